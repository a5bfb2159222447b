// SPDX-License-Identifier: MIT
// plot_rows.c: from JSON rows to observations; see plot_rows.h.
//
// Lists here are short (thousands of rows), so everything is a plain scan over one array; an index was rejected as one
// more thing that could disagree with the rows.
#include "experiments/mnlab/plot_rows.h"

#include "experiments/mnlab/rows.h"
#include "sched/mn.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- One row -------------------------------------------------------------------------------------------------------

static const char *
word(const json_t *row, const char *key, const char *missing)
{
	const char *s = json_string_value(json_object_get(row, key));

	return s ? s : missing;
}

static double
number(const json_t *row, const char *key)
{
	const json_t *v = json_object_get(row, key);

	return json_is_number(v) ? json_number_value(v) : NAN;
}

static int
whole(const json_t *row, const char *key, int missing)
{
	const json_t *v = json_object_get(row, key);

	return json_is_integer(v) ? (int)json_integer_value(v) : missing;
}

static int
by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// Any scalar as text, as the options are compared and the parameters are shown.
static void
value_text(const json_t *v, char *text, size_t size)
{
	if (json_is_string(v))
		snprintf(text, size, "%s", json_string_value(v));
	else if (json_is_integer(v))
		snprintf(text, size, "%lld", (long long)json_integer_value(v));
	else if (json_is_real(v))
		snprintf(text, size, "%g", json_real_value(v));
	else
		snprintf(text, size, "%s", json_is_true(v) ? "true" : json_is_false(v) ? "false" : "");
}

static void
params_text(const json_t *params, char *text, size_t size)
{
	const char *names[32], *name;
	char value[64];
	size_t n = 0, used = 0;
	json_t *v;

	text[0] = '\0';
	json_object_foreach((json_t *)params, name, v)
	{
		if (n < sizeof(names) / sizeof(names[0]))
			names[n++] = name;
	}
	qsort(names, n, sizeof(names[0]), by_name);
	for (size_t i = 0; i < n && used < size; i++) {
		value_text(json_object_get(params, names[i]), value, sizeof(value));
		used += (size_t)snprintf(text + used, size - used, "%s%s=%s", i ? " " : "", names[i], value);
	}
}

static void
policy_text(const json_t *row, char *text, size_t size)
{
	const char *runtime = word(row, "runtime", "mn");
	const char *steal = word(row, "steal", "half");

	if (strcmp(runtime, "mn"))
		snprintf(text, size, "%s", runtime);
	else if (!strcmp(word(row, "queue", "local"), "global"))
		snprintf(text, size, "global");
	else if (!strcmp(steal, "none"))
		snprintf(text, size, "none");
	else
		snprintf(text, size, "%s/%s", steal, word(row, "victim", "random"));
}

static void
read_obs(const json_t *row, struct obs *o)
{
	*o = (struct obs){ .row = row, .wall_ns = number(row, "wall_ns"), .speedup = number(row, "speedup") };
	snprintf(o->workload, sizeof(o->workload), "%s", word(row, "workload", ""));
	params_text(json_object_get(row, "params"), o->params, sizeof(o->params));
	policy_text(row, o->policy, sizeof(o->policy));
	o->procs = whole(row, "procs", 0);
	o->local_cap = whole(row, "local_cap", 256);
	o->round = whole(row, "round", 0);
	o->sim = json_is_true(json_object_get(row, "sim"));
	o->tainted = !strcmp(word(row, "status", ""), "TAINTED");
	if (isnan(o->speedup))
		o->speedup = number(row, "serial_ns") / o->wall_ns;
}

// A row without a serial time of its own is set against the serial run of its workload in the same round.
static void
find_serial(struct obs_list *list, struct obs *o)
{
	for (size_t i = 0; i < list->n && isnan(o->speedup); i++) {
		const struct obs *s = &list->obs[i];
		if (!strcmp(s->policy, "serial") && s->round == o->round && !strcmp(s->workload, o->workload) &&
		    !strcmp(s->params, o->params))
			o->speedup = s->wall_ns / o->wall_ns;
	}
}

int
obs_load(const json_t *rows, bool sim, struct obs_list *all)
{
	json_t *final = rows_final(rows);
	json_t *row;
	size_t i;

	*all = (struct obs_list){ .obs = calloc(json_array_size(final) + 1, sizeof(*all->obs)) };
	if (!final || !all->obs) {
		json_decref(final);
		return -ENOMEM;
	}
	json_array_foreach(final, i, row)
	{
		if (json_is_true(json_object_get(row, "sim")) == sim && number(row, "wall_ns") > 0)
			read_obs(row, &all->obs[all->n++]);
	}
	json_decref(final); // the rows themselves live on in the caller's array
	for (i = 0; i < all->n; i++)
		find_serial(all, &all->obs[i]);
	return 0;
}

void
obs_free(struct obs_list *list)
{
	free(list->obs);
	*list = (struct obs_list){ 0 };
}

// ---- What may stand in one chart -----------------------------------------------------------------------------------

// Options that charts show, or that do not change what is measured.
static bool
shown(const char *option)
{
	static const char *const names[] = { "procs", "steal",       "victim",        "local_cap", "queue",
		                             "seed",  "sample_file", "schedtrace_ms", "sample_us", NULL };

	for (int i = 0; names[i]; i++) {
		if (!strcmp(option, names[i]))
			return true;
	}
	return false;
}

static void
option_text(const struct obs *o, const struct mn_option_info *info, char *text, size_t size)
{
	const json_t *v = json_object_get(o->row, info->name);

	if (v)
		value_text(v, text, size);
	else
		snprintf(text, size, "%s", info->initial ? info->initial : "");
}

struct tally {
	char text[PLOT_PARAMS];
	size_t rows;
};

static void
count(struct tally *t, size_t *n, size_t size, const char *text)
{
	for (size_t i = 0; i < *n; i++) {
		if (!strcmp(t[i].text, text)) {
			t[i].rows++;
			return;
		}
	}
	if (*n < size) {
		snprintf(t[*n].text, sizeof(t[*n].text), "%s", text);
		t[(*n)++].rows = 1;
	}
}

// The most frequent value; among equals the preferred one, else the first.
static const char *
most_frequent(const struct tally *t, size_t n, const char *preferred)
{
	size_t best = 0;

	for (size_t i = 1; i < n; i++) {
		if (t[i].rows > t[best].rows || (t[i].rows == t[best].rows && !strcmp(t[i].text, preferred)))
			best = i;
	}
	return n ? t[best].text : "";
}

static void
keep_option(struct obs_list *list, const struct mn_option_info *info)
{
	struct tally tallies[64];
	char text[PLOT_PARAMS];
	size_t n = 0, kept = 0;
	const char *value;

	for (size_t i = 0; i < list->n; i++) {
		if (!policy_is_scheduled(list->obs[i].policy))
			continue;
		option_text(&list->obs[i], info, text, sizeof(text));
		count(tallies, &n, sizeof(tallies) / sizeof(tallies[0]), text);
	}
	value = most_frequent(tallies, n, info->initial ? info->initial : "");
	for (size_t i = 0; i < list->n; i++) {
		option_text(&list->obs[i], info, text, sizeof(text));
		if (!policy_is_scheduled(list->obs[i].policy) || !strcmp(text, value))
			list->obs[kept++] = list->obs[i];
	}
	list->held_back += list->n - kept;
	list->n = kept;
}

static void
keep_params(struct obs_list *list, const char *workload)
{
	struct tally tallies[64] = { 0 };
	size_t n = 0, kept = 0;
	const char *value;

	for (size_t i = 0; i < list->n; i++) {
		if (!strcmp(list->obs[i].workload, workload))
			count(tallies, &n, sizeof(tallies) / sizeof(tallies[0]), list->obs[i].params);
	}
	value = most_frequent(tallies, n, "");
	for (size_t i = 0; i < list->n; i++) {
		if (strcmp(list->obs[i].workload, workload) || !strcmp(list->obs[i].params, value))
			list->obs[kept++] = list->obs[i];
	}
	list->held_back += list->n - kept;
	list->n = kept;
}

int
obs_comparable(const struct obs_list *all, struct obs_list *out)
{
	const struct mn_option_info *info;
	const char *workloads[64];
	size_t n = obs_workloads(all, workloads, 64);

	*out = (struct obs_list){ .obs = malloc((all->n + 1) * sizeof(*out->obs)), .n = all->n };
	if (!out->obs)
		return -ENOMEM;
	memcpy(out->obs, all->obs, all->n * sizeof(*all->obs));
	for (size_t i = 0; i < n; i++)
		keep_params(out, workloads[i]);
	for (int i = 0; (info = mn_option_at(i)); i++) {
		if (!shown(info->name))
			keep_option(out, info);
	}
	return 0;
}
