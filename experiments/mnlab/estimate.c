// SPDX-License-Identifier: MIT
// estimate.c: time left, from what ran, or from the work that the parameters name.
//
// A workload does not say how much work it is. But parameters that end in _ns and _us are work, and the others count it;
// which belong together is the table below. It need not be right, since the first round corrects it.
#include "experiments/mnlab/estimate.h"

#include <stdio.h>
#include <string.h>

// What a repetition costs beside its work: starting the process, setup, verification, the probe.
static const double overhead_ns = 10e6;
static const double unknown_ns = 300e6; // work of a workload whose parameters say nothing

struct term {
	const char
	        *count[3]; // parameters that multiply; the first must be there, others that a workload lacks count as 1
	const char *length; // without this one the term is not there
	double unit_ns;
	bool waits; // not CPU: does not share processors
};

static const struct term terms[] = {
	{ { "tasks", "calls", NULL }, "grain_ns", 1, false },
	{ { "tasks", "calls", NULL }, "block_us", 1e3, true },
	{ { "loops", NULL, NULL }, "loop_us", 1e3, false },
	{ { "pings", "rounds", NULL }, "ping_ns", 1, false },
	{ { "bursts", "size", NULL }, "grain_ns", 1, false },
	{ { "tasks", "waits", NULL }, "wait_us", 1e3, true },
	{ { "pairs", "rounds", NULL }, "grain_ns", 2, false },
	{ { "tokens", "hops", NULL }, "grain_ns", 1, false },
	{ { "items", NULL, NULL }, "grain_ns", 2, false },
	{ { "members", "rounds", NULL }, "inside_ns", 1, false },
	{ { "members", "rounds", NULL }, "outside_ns", 1, false },
	{ { "clients", "rounds", NULL }, "grain_ns", 1, false },
};

static bool
has(const struct workload *w, const char *name)
{
	for (int i = 0; w->params[i].name; i++)
		if (!strcmp(w->params[i].name, name))
			return true;
	return false;
}

static double
term_ns(const struct workload_run *run, const struct term *t, int procs)
{
	if (!has(run->workload, t->length) || !has(run->workload, t->count[0]))
		return 0;
	double ns = (double)workload_get(run, t->length) * t->unit_ns;
	for (int i = 0; t->count[i]; i++)
		if (has(run->workload, t->count[i]))
			ns *= (double)workload_get(run, t->count[i]);
	return ns / procs;
}

static double
nominal_ns(const struct past *p, int block)
{
	const struct cell *c = &p->cells->cell[p->cells->block[block].cells[0]];
	int usable = p->cells->usable, procs = c->options.procs;
	double ns = 0;

	if (c->runtime == RUNTIME_SERIAL)
		procs = 1;
	for (size_t i = 0; i < sizeof terms / sizeof terms[0]; i++)
		ns += term_ns(&c->run, &terms[i], terms[i].waits || procs < usable ? procs : usable);
	return overhead_ns + (ns > 0 ? ns : unknown_ns);
}

static const struct workload *
workload_of(const struct past *p, int block)
{
	return p->cells->cell[p->cells->block[block].cells[0]].run.workload;
}

double
estimate_block_ns(const struct past *p, int block)
{
	double truth = 0, promise = 0;

	if (p->timed[block])
		return p->elapsed_ns[block];
	for (int i = 0; i < p->cells->nblocks; i++)
		if (p->timed[i] && workload_of(p, i) == workload_of(p, block)) {
			truth += p->elapsed_ns[i];
			promise += nominal_ns(p, i);
		}
	return nominal_ns(p, block) * (promise > 0 ? truth / promise : 1);
}

double
estimate_left_ns(const struct past *p, bool retry_failed)
{
	double left = 0;

	for (int b = 0; b < p->cells->nblocks; b++) {
		long n = 0;
		for (int i = 0; i < p->cells->block[b].n; i++) {
			int cell = p->cells->block[b].cells[i];
			for (long r = 0; r < p->cells->cell[cell].rounds; r++) {
				enum rep_state s = past_state(p, cell, r);
				n += s == REP_TODO || (retry_failed && s == REP_FAILED);
			}
		}
		if (n)
			left += (double)n * estimate_block_ns(p, b);
	}
	return left;
}

void
estimate_text(double ns, char *text, size_t size)
{
	long s = (long)(ns / 1e9 + 0.5);

	if (s < 60)
		snprintf(text, size, "%ld s", s);
	else if (s < 3600)
		snprintf(text, size, "%ld min %ld s", s / 60, s % 60);
	else
		snprintf(text, size, "%ld h %ld min", s / 3600, s / 60 % 60);
}
