// SPDX-License-Identifier: MIT
// moot.c: the table of factors without effect.
//
// A row says: where this factor has this value, those options change nothing. Rows are tried in order, and an option
// that a row has put to its default no longer makes a later row apply; so the wider conditions come first. When in doubt
// an option is left out of the table: running a cell twice costs time, merging two that differ costs the truth.
#include "experiments/mnlab/moot.h"
#include "experiments/mnlab/values.h"

#include <stdio.h>
#include <string.h>

struct rule {
	const char *factor, *value;
	const char *options; // blanks around each name; "*" means all
};

// clang-format off
static const struct rule rules[] = {
	{ "runtime", "serial",  "*" },  // no scheduler at all
	{ "runtime", "threads", "*" },
	{ "runtime", "evloop",  "*" },
	{ "queue",   "global",  " steal victim steal_tries local_cap runnext global_tick yield_to " },  // no local queues
	{ "procs",   "1",       " steal victim steal_tries " },  // nobody to steal from
	{ "steal",   "none",    " victim steal_tries " },
};
// clang-format on

static bool
names(const char *options, const char *option)
{
	char word[64];

	snprintf(word, sizeof word, " %s ", option);
	return !strcmp(options, "*") || strstr(options, word);
}

static bool
applies(const struct rule *r, const struct cell *c)
{
	char value[VALUE_TEXT_MAX];

	return cell_get(c, r->factor, value, sizeof value) && !strcmp(value, r->value);
}

bool
moot(const struct cell *c, const char *option)
{
	for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
		if (names(rules[i].options, option) && applies(&rules[i], c))
			return true;
	return false;
}

static void
reset(struct cell *c, const struct rule *r)
{
	const struct mn_option_info *info;
	char err[MN_TEXT_MAX];

	for (int i = 0; (info = mn_option_at(i)); i++)
		if (names(r->options, info->name) && !option_is_reserved(info->name))
			mn_options_set(&c->options, info->name, info->initial, err, sizeof err);
}

void
moot_settle(struct cell *c, int usable)
{
	if (c->options.procs == 0)
		c->options.procs = usable;
	for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
		if (applies(&rules[i], c))
			reset(c, &rules[i]);
	if (c->options.procs == 0)
		c->options.procs = c->runtime == RUNTIME_SERIAL ? 1 : usable;
}
