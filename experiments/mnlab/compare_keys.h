// SPDX-License-Identifier: MIT
// compare_keys.h: the keys of a configuration, their values as text and in order, and the compared one among them.
#ifndef EXPERIMENTS_MNLAB_COMPARE_KEYS_H
#define EXPERIMENTS_MNLAB_COMPARE_KEYS_H

#include "experiments/mnlab/compare_data.h"

// Lists the keys that occur in d->final, in the order in which blocks are sorted.
void cmp_keys_find(struct cmp_data *d);

// The row's value of a key as text that the caller frees, or NULL.
char *cmp_key_text(const struct cmp_key *, const json_t *row);

// Sets d->factor. -EINVAL with a line that names the factors that vary.
int cmp_factor_find(struct cmp_data *d, const struct cmp_request *, char *err, size_t size);

#endif
