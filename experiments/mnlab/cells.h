// SPDX-License-Identifier: MIT
// cells.h: the cells of a matrix: every combination of its factors that is to be run, once each, in blocks.
//
// A cell is what is measured; a repetition of it is data, never part of its identity. Its id is a hash over what can
// change the result: workload and version, parameters, runtime, every option (given or default), and the program that
// runs it. Cells that differ only in factors without effect there (moot.h) are one cell.
//
// A block holds the cells that are compared with each other: same workload, parameters and procs. Each workload with
// given parameters also has a serial cell, the reference of its speed-ups, in a block of its own.
#ifndef EXPERIMENTS_MNLAB_CELLS_H
#define EXPERIMENTS_MNLAB_CELLS_H

#include "experiments/mnlab/factor.h"

#include <stdint.h>

struct machine;
struct matrix;

enum { CELL_ID_SIZE = 17, CELLS_MAX = 100000, BLOCK_NAME_MAX = 384 };

struct cell {
	struct workload_run run; // workload and parameters; never started here
	enum runtime runtime;
	struct mn_options options;
	long rounds, timeout_s;
	int block;             // its block, by position
	int serial;            // its serial cell, by position; of a serial cell itself: itself
	char id[CELL_ID_SIZE]; // 16 hex digits
};

struct block {
	char name[BLOCK_NAME_MAX]; // "skewed/tasks=200/grain_ns=5000000/procs=2"
	int serial;                // the serial cell of its cells, by position
	int *cells;                // by position
	int n;
};

struct cells {
	struct cell *cell;
	int n;
	struct block *block;
	int nblocks;
	long asked;      // combinations that the matrix names
	long excluded;   // of these: left out by an exclude line, or a runtime that the workload does not have
	long collapsed;  // of these: the same as another cell
	uint64_t binary; // hash of the program that runs them
	int usable;      // processors that auto stands for here
};

// 0, or -errno with one line in err (-E2BIG: more than CELLS_MAX cells; -ENODATA: all were excluded).
int cells_make(struct cells *c, const struct matrix *m, uint64_t binary, const struct machine *machine, char *err,
               size_t size);
void cells_free(struct cells *c);

// The value of a factor in a cell, in its canonical spelling, by the factor's name; "" for a parameter of another
// workload. False: no such factor.
bool cell_get(const struct cell *c, const char *name, char *text, size_t size);

// "procs=2 steal=half local_cap=64": what tells this cell from one with defaults, for people.
void cell_describe(const struct cell *c, char *text, size_t size);

// Hash of a file's contents. 0 or -errno.
int file_hash(const char *path, uint64_t *hash);

#endif
