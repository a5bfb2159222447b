// SPDX-License-Identifier: MIT
// expand.c: the cross product of the factors of a section, workload by workload.
//
// A set inherits every factor of [matrix] that it does not name itself. Parameters come, strongest first, from the set,
// from [matrix], from the [workload] section; those of other workloads do not take part. The product is walked like an
// odometer: the last factor turns fastest.
#include "experiments/mnlab/expand.h"

#include <errno.h>
#include <string.h>

enum { FACTORS_MAX = 64 };

struct walk {
	const struct matrix *m;
	const struct section *s;
	const struct factor *factor[FACTORS_MAX]; // of the workload at hand
	int at[FACTORS_MAX];                      // the odometer
	int n;
	expand_fn fn;
	void *user;
	struct expand_count *count;
};

static bool
overridden(const struct section *strong, const struct section *strong2, const char *name)
{
	return (strong && section_find(strong, name)) || (strong2 && section_find(strong2, name));
}

// Takes the factors of `from` that belong to this workload and that no stronger section names.
static void
take(struct walk *w, const struct section *from, const struct workload *workload, const struct section *strong,
     const struct section *strong2)
{
	for (int i = 0; i < from->nfactors && w->n < FACTORS_MAX; i++) {
		const struct factor *f = &from->factors[i];
		if (f->id.kind == FACTOR_WORKLOAD || (f->id.kind == FACTOR_PARAM && f->id.workload != workload))
			continue;
		if (!overridden(strong, strong2, f->name))
			w->factor[w->n++] = f;
	}
}

static void
apply(struct cell *c, const struct factor *f, const char *value)
{
	char err[MN_TEXT_MAX];

	// Values were checked when they were read: none of these can fail.
	if (f->id.kind == FACTOR_RUNTIME)
		for (int i = 0; runtime_names[i]; i++)
			c->runtime = strcmp(value, runtime_names[i]) ? c->runtime : (enum runtime)i;
	else if (f->id.kind == FACTOR_OPTION)
		mn_options_set(&c->options, f->name, value, err, sizeof err);
	else
		workload_set(&c->run, f->id.param->name, value, err, sizeof err);
}

static bool
term_holds(const struct factor *term, const struct cell *c)
{
	char value[VALUE_TEXT_MAX];

	if (!cell_get(c, term->name, value, sizeof value))
		return false;
	for (int i = 0; i < term->values.n; i++)
		if (!strcmp(term->values.v[i].text, value))
			return true;
	return false;
}

static bool
excluded_by(const struct section *s, const struct cell *c)
{
	for (int i = 0; i < s->nexcludes; i++) {
		int held = 0;
		while (held < s->excludes[i].n && term_holds(&s->excludes[i].terms[held], c))
			held++;
		if (held == s->excludes[i].n)
			return true;
	}
	return false;
}

static int
visit(struct walk *w, const struct workload *workload, const struct mn_options *defaults)
{
	const struct section *all = &w->m->sections[0];
	struct cell c = { .runtime = RUNTIME_MN, .options = *defaults };

	workload_init(&c.run, workload);
	for (int i = 0; i < w->n; i++)
		apply(&c, w->factor[i], w->factor[i]->values.v[w->at[i]].text);
	if (++w->count->asked > EXPAND_MAX)
		return -E2BIG;
	if (excluded_by(all, &c) || (w->s != all && excluded_by(w->s, &c)) ||
	    (c.runtime == RUNTIME_THREADS && !workload->threads) ||
	    (c.runtime == RUNTIME_EVLOOP && !workload->evloop)) {
		w->count->excluded++;
		return 0;
	}
	c.rounds = w->s->rounds ? w->s->rounds : all->rounds ? all->rounds : MATRIX_ROUNDS;
	c.timeout_s = w->s->timeout_s ? w->s->timeout_s : all->timeout_s ? all->timeout_s : MATRIX_TIMEOUT_S;
	return w->fn(w->user, &c);
}

// Turns the odometer; false when it is through.
static bool
turn(struct walk *w)
{
	for (int i = w->n - 1; i >= 0; i--) {
		if (++w->at[i] < w->factor[i]->values.n)
			return true;
		w->at[i] = 0;
	}
	return false;
}

static int
expand_workload(struct walk *w, const struct workload *workload)
{
	const struct section *all = &w->m->sections[0];
	const struct section *set = w->s == all ? NULL : w->s;
	struct mn_options defaults;

	options_default(&defaults);
	w->n = 0;
	take(w, &w->m->workloads, workload, all, set);
	take(w, all, workload, set, NULL);
	if (set)
		take(w, set, workload, NULL, NULL);
	memset(w->at, 0, sizeof w->at);
	for (int i = 0; i < w->n; i++)
		if (w->factor[i]->values.n == 0) // a range that this machine makes empty
			return 0;
	do {
		int rc = visit(w, workload, &defaults);
		if (rc)
			return rc;
	} while (turn(w));
	return 0;
}

int
expand_section(const struct matrix *m, const struct section *s, expand_fn fn, void *user, struct expand_count *count)
{
	struct walk w = { .m = m, .s = s, .fn = fn, .user = user, .count = count };
	const struct factor *workloads = section_find(s, "workload");

	if (!workloads)
		workloads = section_find(&m->sections[0], "workload");
	for (int i = 0; i < workloads->values.n; i++) {
		int rc = expand_workload(&w, workload_find(workloads->values.v[i].text));
		if (rc)
			return rc;
	}
	return 0;
}
