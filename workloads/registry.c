// SPDX-License-Identifier: MIT
// registry.c: finds workloads and their parameters by name, and checks results. Every refusal says what is allowed.
#include "workloads/workload.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORKLOAD(name) extern const struct workload workload_##name;
#include "workloads/workloads.def"
#undef WORKLOAD

static const struct workload *const workloads[] = {
#define WORKLOAD(name) &workload_##name,
#include "workloads/workloads.def"
#undef WORKLOAD
};

enum { WORKLOADS = sizeof(workloads) / sizeof(workloads[0]) };

const struct workload *
workload_at(int i)
{
	return i >= 0 && i < WORKLOADS ? workloads[i] : NULL;
}

const struct workload *
workload_find(const char *name)
{
	for (int i = 0; i < WORKLOADS; i++) {
		if (strcmp(workloads[i]->name, name) == 0)
			return workloads[i];
	}
	return NULL;
}

// Appends to a text that may be too small for it.
static void
append(char *text, size_t size, const char *separator, const char *word)
{
	size_t used = strlen(text);

	snprintf(text + used, size - used, "%s%s", used ? separator : "", word);
}

void
workload_names(char *text, size_t size)
{
	if (size == 0)
		return;
	text[0] = '\0';
	for (int i = 0; i < WORKLOADS; i++)
		append(text, size, ", ", workloads[i]->name);
}

void
workload_init(struct workload_run *r, const struct workload *w)
{
	*r = (struct workload_run){ .workload = w };
	for (int i = 0; w->params[i].name; i++)
		r->param[i] = w->params[i].initial;
}

static int
param_index(const struct workload *w, const char *name)
{
	for (int i = 0; w->params[i].name; i++) {
		if (strcmp(w->params[i].name, name) == 0)
			return i;
	}
	return -1;
}

// A whole decimal number and nothing else: strtol alone would take " 7", "+7" and "7 tasks".
static bool
parse(const char *text, long *value)
{
	char *end;

	if (!isdigit((unsigned char)text[text[0] == '-']))
		return false;
	errno = 0;
	*value = strtol(text, &end, 10);
	return errno == 0 && *end == '\0';
}

int
workload_set(struct workload_run *r, const char *name, const char *value, char *err, size_t size)
{
	const struct workload *w = r->workload;
	int i = param_index(w, name);
	long number;

	if (i < 0) {
		char known[256] = "";

		for (int k = 0; w->params[k].name; k++)
			append(known, sizeof(known), ", ", w->params[k].name);
		snprintf(err, size, "workload %s has no parameter '%s'; it has: %s", w->name, name, known);
		return -ENOENT;
	}
	const struct workload_param *p = &w->params[i];

	if (!parse(value, &number) || number < p->min || number > p->max) {
		snprintf(err, size, "workload %s: %s='%s' is not a whole number from %ld to %ld (%s)", w->name, name,
		         value, p->min, p->max, p->help);
		return -EINVAL;
	}
	r->param[i] = number;
	return 0;
}

long
workload_get(const struct workload_run *r, const char *name)
{
	int i = param_index(r->workload, name);

	if (i < 0) {
		fprintf(stderr, "workload %s has no parameter '%s'\n", r->workload->name, name);
		abort();
	}
	return r->param[i];
}

int
workload_verify(const struct workload_run *r, char *err, size_t size)
{
	struct workload_result right;

	r->workload->expect(r, &right);
	if (r->result.tasks != right.tasks) {
		snprintf(err, size, "workload %s: %" PRIu64 " tasks ran, not %" PRIu64, r->workload->name,
		         r->result.tasks, right.tasks);
		return -EUCLEAN;
	}
	if (r->result.checksum != right.checksum) {
		snprintf(err, size, "workload %s: checksum %016" PRIx64 ", not %016" PRIx64, r->workload->name,
		         r->result.checksum, right.checksum);
		return -EUCLEAN;
	}
	return 0;
}
