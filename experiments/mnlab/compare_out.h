// SPDX-License-Identifier: MIT
// compare_out.h: the two ways in which a comparison is shown.
#ifndef EXPERIMENTS_MNLAB_COMPARE_OUT_H
#define EXPERIMENTS_MNLAB_COMPARE_OUT_H

#include <stdio.h>

#include "experiments/mnlab/compare_blocks.h"

// A table for people, at most about 120 columns wide; colour: with terminal attributes.
void cmp_print(FILE *, const struct cmp *, const struct cmp_request *, bool colour);

// One JSON object for programs. Figures that do not exist are left out. 0 or -1, as json_dumpf.
int cmp_print_json(FILE *, const struct cmp *, const struct cmp_request *);

#endif
