// SPDX-License-Identifier: MIT
// estimate.h: how long what is left of a run will take.
#ifndef EXPERIMENTS_MNLAB_ESTIMATE_H
#define EXPERIMENTS_MNLAB_ESTIMATE_H

#include "experiments/mnlab/past.h"

// Expected duration of one repetition of a block, ns: the mean of those that ran, else what the parameters promise,
// corrected by how far that was from the truth in other blocks of the workload.
double estimate_block_ns(const struct past *p, int block);

// Of all repetitions that are still to do. retry_failed: those that failed count as to do.
double estimate_left_ns(const struct past *p, bool retry_failed);

// "3 min 20 s", "45 s", "1 h 5 min".
void estimate_text(double ns, char *text, size_t size);

#endif
