// SPDX-License-Identifier: MIT
// compare_alias.h: cells under several names. With one P nobody steals, with one global queue there is no local cap (moot.h):
// cells that differ in such a factor only are one cell, run once, and its rows stand for all of them. So compare can look
// a missing cell up under its other names, and must not set a cell against itself.
#ifndef EXPERIMENTS_MNLAB_COMPARE_ALIAS_H
#define EXPERIMENTS_MNLAB_COMPARE_ALIAS_H

#include "experiments/mnlab/compare_data.h"

// Sets idle[key] for each key without effect in configuration c; factor_value, if not NULL, stands in for c's own.
void cmp_idle_keys(const struct cmp_data *, const struct cmp_config *c, const char *factor_value, bool *idle);

// The configuration whose rows stand for c with another value of the factor: the one that was run under that very name,
// else one that differs in idle keys only, else NULL.
const struct cmp_config *cmp_stand_in(const struct cmp_data *, const struct cmp_config *c, const char *factor_value);

#endif
