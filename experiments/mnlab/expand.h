// SPDX-License-Identifier: MIT
// expand.h: walks through all combinations of the factors of one section of a matrix.
#ifndef EXPERIMENTS_MNLAB_EXPAND_H
#define EXPERIMENTS_MNLAB_EXPAND_H

#include "experiments/mnlab/cells.h"
#include "experiments/mnlab/matrix.h"

// Called with each combination that no exclude line leaves out, options as written (nothing settled). Non-zero stops.
typedef int (*expand_fn)(void *user, const struct cell *c);

struct expand_count {
	long asked, excluded;
};

// Returns 0, or what fn returned, or -E2BIG when there are more combinations than EXPAND_MAX.
enum { EXPAND_MAX = 2000000 };
int expand_section(const struct matrix *m, const struct section *s, expand_fn fn, void *user,
                   struct expand_count *count);

#endif
