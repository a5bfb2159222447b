// SPDX-License-Identifier: MIT
// past.h: what is already known of each repetition of the cells at hand: from stored rows, and from the run going on.
#ifndef EXPERIMENTS_MNLAB_PAST_H
#define EXPERIMENTS_MNLAB_PAST_H

#include "experiments/mnlab/cells.h"

#include <jansson.h>

// In order of preference: a later row of a repetition replaces what is known when it is as good or better.
enum rep_state { REP_TODO, REP_FAILED, REP_TAINTED, REP_OK };

struct past {
	const struct cells *cells;
	int *by_id;           // cells in order of their ids
	size_t *first;        // of each cell: where its rounds begin in the arrays below
	unsigned char *state; // enum rep_state
	int64_t *wall_ns;     // of OK and TAINTED repetitions; 0: not known
	int64_t *best_cpu_ns; // of each cell: least CPU time of a repetition; 0: not known
	double *elapsed_ns;   // of each block: mean duration of its repetitions, start and end of the process included
	long *timed;          // of each block: repetitions in that mean
};

int past_init(struct past *p, const struct cells *c);
void past_free(struct past *p);

// Takes a row into account. Rows of other cells or rounds are passed over.
void past_take(struct past *p, const json_t *row);
void past_take_all(struct past *p, const json_t *rows);

enum rep_state past_state(const struct past *p, int cell, long round);
int64_t past_wall_ns(const struct past *p, int cell, long round);

// The least CPU time in which the work of this cell was ever done by another one: its serial reference, or another policy.
// 0: not known.
int64_t past_least_cpu_ns(const struct past *p, int cell);

// Repetitions in that state, of all cells.
long past_count(const struct past *p, enum rep_state state);
long past_total(const struct past *p);

#endif
