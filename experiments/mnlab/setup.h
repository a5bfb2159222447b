// SPDX-License-Identifier: MIT
// setup.h: what plan and run do first: read the machine, the matrix and the program, and make the cells.
#ifndef EXPERIMENTS_MNLAB_SETUP_H
#define EXPERIMENTS_MNLAB_SETUP_H

#include "experiments/mnlab/cells.h"
#include "experiments/mnlab/machine.h"
#include "experiments/mnlab/matrix.h"

struct setup {
	struct machine machine;
	struct matrix matrix;
	struct cells cells;
	char program[4096]; // mncell; "" when there is none
	uint64_t binary;    // its hash
	char dir[4096];     // results folder
};

struct setup_request {
	const char *file;       // matrix
	const char *out;        // results folder, NULL: results/NAME
	long rounds, timeout_s; // 0: as the matrix says
	bool need_program;
};

// Returns MNLAB_OK, or the exit code, with the reason printed on stderr.
int setup_open(struct setup *s, const struct setup_request *q);
void setup_close(struct setup *s);

// A number from a command line, or -1 with a line on stderr that names what is allowed.
long setup_number(const char *program, const char *option, const char *text, long min, long max);

#endif
