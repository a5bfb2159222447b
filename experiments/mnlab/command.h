// SPDX-License-Identifier: MIT
// command.h: the command that runs one repetition of a cell.
#ifndef EXPERIMENTS_MNLAB_COMMAND_H
#define EXPERIMENTS_MNLAB_COMMAND_H

#include "experiments/mnlab/cells.h"

enum { COMMAND_WORDS = 128 };

struct command {
	char *argv[COMMAND_WORDS + 1]; // NULL at the end
	int n;
};

// What changes from repetition to repetition.
struct command_facts {
	const char *program;
	double rate;
	uint64_t seed;           // of the scheduler's choices; 0: none
	const char *sample_file; // or NULL
};

void command_make(struct command *c, const struct cell *cell, const struct command_facts *facts);
void command_add(struct command *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
void command_free(struct command *c);

// As a line for a shell; to be freed.
char *command_text(const struct command *c);

// Our environment without what the library and Google Benchmark would read from it. To be freed, the strings not.
char **command_environment(void);

// Where mncell is: beside this program. 0, or -ENOENT with one line in err.
int command_find(char *path, size_t path_size, char *err, size_t size);

#endif
