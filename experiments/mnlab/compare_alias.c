// SPDX-License-Identifier: MIT
// compare_alias.c: see compare_alias.h.
//
// moot.h knows what has no effect where; it is asked about what was stored, whichever of the equal cells the plan chose
// to run. Rows of an older program whose rules differed do no harm: where it merged less, both cells have rows and are
// compared as any others; where it merged more, a value is missing in some blocks, which shows.
#include "experiments/mnlab/compare_alias.h"

#include <stdlib.h>
#include <string.h>

#include "experiments/mnlab/moot.h"

static const char *
value_or(const struct cmp_data *d, const struct cmp_config *c, size_t key, const char *factor_value)
{
	return key == d->factor && factor_value ? factor_value : cmp_value(d, c, key);
}

static void
set_runtime(struct cell *cell, const char *name)
{
	for (int r = 0; r < RUNTIMES; r++)
		if (!strcmp(runtime_names[r], name))
			cell->runtime = (enum runtime)r;
}

// As much of a cell as moot looks at. A value that this program does not know leaves the default.
static void
as_cell(const struct cmp_data *d, const struct cmp_config *c, const char *factor_value, struct cell *cell)
{
	char err[MN_TEXT_MAX];

	*cell = (struct cell){ .runtime = RUNTIME_MN };
	options_default(&cell->options);
	for (size_t k = 0; k < d->keys; k++) {
		const char *v = value_or(d, c, k, factor_value);

		if (v && d->key[k].option)
			mn_options_set(&cell->options, d->key[k].name, v, err, sizeof(err));
		else if (v && !d->key[k].param && !strcmp(d->key[k].name, "runtime"))
			set_runtime(cell, v);
	}
}

void
cmp_idle_keys(const struct cmp_data *d, const struct cmp_config *c, const char *factor_value, bool *idle)
{
	struct cell cell;

	as_cell(d, c, factor_value, &cell);
	for (size_t k = 0; k < d->keys; k++)
		idle[k] = d->key[k].option && moot(&cell, d->key[k].name);
}

// Does `other` say the same as c with factor_value, in every key (idle NULL) or in every key that has an effect?
static bool
stands_for(const struct cmp_data *d, const struct cmp_config *other, const struct cmp_config *c,
           const char *factor_value, const bool *idle)
{
	for (size_t k = 0; k < d->keys; k++) {
		if (idle && idle[k] != other->idle_key[k])
			return false;
		if (idle && idle[k])
			continue;
		if (!cmp_same_text(cmp_value(d, other, k), value_or(d, c, k, factor_value)))
			return false;
	}
	return true;
}

static const struct cmp_config *
search(const struct cmp_data *d, const struct cmp_config *c, const char *factor_value, const bool *idle)
{
	for (size_t i = 0; i < d->configs; i++)
		if (stands_for(d, &d->config[i], c, factor_value, idle))
			return &d->config[i];
	return NULL;
}

const struct cmp_config *
cmp_stand_in(const struct cmp_data *d, const struct cmp_config *c, const char *factor_value)
{
	const struct cmp_config *found = search(d, c, factor_value, NULL);
	bool *idle;

	if (found)
		return found;
	idle = cmp_alloc(d->keys, sizeof(*idle));
	cmp_idle_keys(d, c, factor_value, idle);
	found = search(d, c, factor_value, idle);
	free(idle);
	return found;
}
