// SPDX-License-Identifier: MIT
// compare_evidence.h: what the counters of a configuration say, and sums over blocks.
#ifndef EXPERIMENTS_MNLAB_COMPARE_EVIDENCE_H
#define EXPERIMENTS_MNLAB_COMPARE_EVIDENCE_H

#include "experiments/mnlab/compare_blocks.h"

void cmp_evidence_sum(struct cmp_evidence *, const struct cmp_data *, const struct cmp_config *);

#endif
