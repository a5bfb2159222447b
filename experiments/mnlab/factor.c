// SPDX-License-Identifier: MIT
// factor.c: finds factors by name and checks their values by asking the library and the workloads.
#include "experiments/mnlab/factor.h"
#include "experiments/mnlab/values.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const char *const runtime_names[RUNTIMES + 1] = { "mn", "serial", "threads", "evloop", NULL };

// seed differs in each repetition, sample_file is a path in the results folder, schedtrace would fill stderr.
static const char *const reserved[] = { "seed", "sample_file", "schedtrace_ms" };

bool
option_is_reserved(const char *name)
{
	for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++)
		if (!strcmp(name, reserved[i]))
			return true;
	return false;
}

void
options_default(struct mn_options *o)
{
	const struct mn_option_info *info;
	char err[MN_TEXT_MAX];

	mn_options_init(o); // also takes the environment, which must not leak into an experiment: undone below
	for (int i = 0; (info = mn_option_at(i)); i++)
		mn_options_set(o, info->name, info->initial, err, sizeof err);
	o->sample_file[0] = 0;
	o->seed = 0;
	o->error[0] = 0;
}

// Appends a word to a line of words.
static void
append(char *text, size_t size, const char *word)
{
	size_t n = strlen(text);

	if (n < size)
		snprintf(text + n, size - n, " %s", word);
}

static void
list_factors(char *text, size_t size)
{
	const struct mn_option_info *info;

	append(text, size, "workload runtime");
	for (int i = 0; (info = mn_option_at(i)); i++)
		if (!option_is_reserved(info->name))
			append(text, size, info->name);
	append(text, size, "WORKLOAD.PARAMETER");
}

static void
list_workloads(char *text, size_t size)
{
	const struct workload *w;

	for (int i = 0; (w = workload_at(i)); i++)
		append(text, size, w->name);
}

static int
find_param(struct factor_id *id, const char *name, const char *dot, char *err, size_t size)
{
	char workload[64];

	id->kind = FACTOR_PARAM;
	snprintf(workload, sizeof workload, "%.*s", (int)(dot - name), name);
	id->workload = workload_find(workload);
	if (!id->workload) {
		snprintf(err, size, "unknown workload \"%s\"; allowed:", workload);
		list_workloads(err, size);
		return -ENOENT;
	}
	for (id->param = id->workload->params; id->param->name; id->param++)
		if (!strcmp(id->param->name, dot + 1))
			return 0;
	snprintf(err, size, "unknown parameter \"%s\" of %s; allowed:", dot + 1, workload);
	for (id->param = id->workload->params; id->param->name; id->param++)
		append(err, size, id->param->name);
	return -ENOENT;
}

int
factor_find(struct factor_id *id, const char *name, char *err, size_t size)
{
	const char *dot = strchr(name, '.');

	*id = (struct factor_id){ .kind = FACTOR_WORKLOAD };
	if (!strcmp(name, "workload"))
		return 0;
	id->kind = FACTOR_RUNTIME;
	if (!strcmp(name, "runtime"))
		return 0;
	if (dot)
		return find_param(id, name, dot, err, size);
	id->kind = FACTOR_OPTION;
	for (int i = 0; (id->option = mn_option_at(i)); i++)
		if (!strcmp(name, id->option->name))
			break;
	if (id->option && !option_is_reserved(name))
		return 0;
	if (id->option)
		snprintf(err, size, "\"%s\" is set by the runner for each repetition; allowed:", name);
	else
		snprintf(err, size, "unknown factor \"%s\"; allowed:", name);
	list_factors(err, size);
	return -ENOENT;
}

bool
factor_is_numeric(const struct factor_id *id)
{
	if (id->kind == FACTOR_OPTION)
		return !id->option->values && id->option->min <= id->option->max;
	return id->kind == FACTOR_PARAM;
}

static int
check_workload(const char *text, char *err, size_t size)
{
	if (workload_find(text))
		return 0;
	snprintf(err, size, "unknown workload \"%s\"; allowed:", text);
	list_workloads(err, size);
	return -EINVAL;
}

static int
check_runtime(const char *text, char *err, size_t size)
{
	for (int i = 0; runtime_names[i]; i++)
		if (!strcmp(text, runtime_names[i]))
			return 0;
	snprintf(err, size, "unknown runtime \"%s\"; allowed:", text);
	for (int i = 0; runtime_names[i]; i++)
		append(err, size, runtime_names[i]);
	return -EINVAL;
}

static int
check_option(const struct factor_id *id, char *text, char *err, size_t size)
{
	struct mn_options o;

	options_default(&o);
	if (mn_options_set(&o, id->option->name, text, err, size))
		return -EINVAL;
	return mn_options_get(&o, id->option->name, text, VALUE_TEXT_MAX);
}

static int
check_param(const struct factor_id *id, char *text, char *err, size_t size)
{
	struct workload_run r;

	workload_init(&r, id->workload);
	if (workload_set(&r, id->param->name, text, err, size))
		return -EINVAL;
	snprintf(text, VALUE_TEXT_MAX, "%ld", workload_get(&r, id->param->name));
	return 0;
}

int
factor_check(const struct factor_id *id, char *text, char *err, size_t size)
{
	switch (id->kind) {
	case FACTOR_WORKLOAD:
		return check_workload(text, err, size);
	case FACTOR_RUNTIME:
		return check_runtime(text, err, size);
	case FACTOR_OPTION:
		return check_option(id, text, err, size);
	case FACTOR_PARAM:
		return check_param(id, text, err, size);
	}
	return -EINVAL;
}
