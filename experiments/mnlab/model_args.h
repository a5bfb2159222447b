// SPDX-License-Identifier: MIT
// model_args.h: the arguments of `mnlab model`.
#ifndef EXPERIMENTS_MNLAB_MODEL_ARGS_H
#define EXPERIMENTS_MNLAB_MODEL_ARGS_H

#include <stdbool.h>
#include <stddef.h>

enum { MODEL_NAME_MAX = 32 };

struct model_spawn {
	char name[MODEL_NAME_MAX + 1];
	int work, p, round;
};

struct model_args {
	int procs, quantum, cap;
	bool step, trace, golden, check;
	bool help;    // has been shown: there is nothing else to do
	bool refused; // the error line is out
	struct model_spawn *spawn;
	size_t spawns, spawn_room;
	char **file; // of --check: points into argv
	size_t files;
};

// Reads the command line into *a, which is to be cleared whatever is returned. Returns 0, or the exit code after one line
// on stderr.
int model_args_read(struct model_args *a, int argc, char **argv);
void model_args_clear(struct model_args *a);

// Takes NAME:WORK[@P][+ROUND] apart. False: it is none.
bool model_spawn_parse(struct model_spawn *s, const char *text);

#endif
