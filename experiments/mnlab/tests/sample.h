// SPDX-License-Identifier: MIT
// sample.h: a few cells to test with: skewed on 1, 2 and 4 Ps of a machine with 2 processors, in every runtime, two rounds.
#ifndef EXPERIMENTS_MNLAB_TESTS_SAMPLE_H
#define EXPERIMENTS_MNLAB_TESTS_SAMPLE_H

#include "experiments/mnlab/cells.h"

extern struct cells sample;

void sample_make(void);
void sample_free(void);

// The cell with that runtime and procs.
int sample_find(enum runtime runtime, int procs);

#endif
