// SPDX-License-Identifier: MIT
// matrix_lines.h: what reading a matrix file line by line and reading its pairs share. Only matrix*.c include it.
#ifndef EXPERIMENTS_MNLAB_MATRIX_LINES_H
#define EXPERIMENTS_MNLAB_MATRIX_LINES_H

#include "experiments/mnlab/matrix.h"

// inih's limits in the distribution's build: its line buffer with end of line and NUL, and its name buffers.
enum { LINE_MAX_CHARS = 190, NAME_MAX_CHARS = 49 };

enum where { IN_NOTHING, IN_MATRIX, IN_SET, IN_WORKLOAD };

struct parser {
	struct matrix *m;
	const struct machine *machine;
	const char *next;              // first byte not yet given to inih
	char line[LINE_MAX_CHARS + 2]; // the line given to it last, without its indentation
	int number;                    // of that line
	int column;                    // where it begins
	enum where where;
	const struct workload *workload; // of IN_WORKLOAD
	int heading[64];                 // line of each workload's section, by registry position; 0: none
	int rc;                          // first error
	char *err;
	size_t size;
};

// Stores file:line:column and the text as the error, and returns it.
int matrix_refuse(struct parser *p, int column, const char *format, ...) __attribute__((format(printf, 3, 4)));

// The same array with room for one more item, zeroed; NULL after an error.
void *matrix_grow(struct parser *p, void *array, int n, size_t item);

// Opens a section of cells: "" for [matrix], or a set's name. NULL after an error.
struct section *matrix_add_section(struct parser *p, const char *name);

// inih's reader, with a struct parser as its stream: the next line, or NULL at the end or after an error.
char *matrix_next_line(char *buffer, int size, void *parser);

#endif
