// SPDX-License-Identifier: MIT
// plot_events.c: reads spills, batches and thefts off two successive samples of all queue lengths.
//
// What is certain: only a spill (or a goroutine put there by name) makes the global queue grow by 2 or more, only batches
// make it fall by 2 or more, and a P that grows without a batch to pay for it was given nothing by its own goroutines
// when another P fell by more at the same time. Anything that more than one story explains is left out.
#include "experiments/mnlab/plot_trace.h"

#include <stdbool.h>

const char *const trace_kind_names[] = { "spill", "batch", "refill", "steal" };

struct step {
	const struct trace *t;
	size_t i;
	const int *was, *is;
	int batch_left; // goroutines of the batches that no P has been found for
	bool taken[TRACE_PROCS_MAX + 1];
	void (*put)(void *, const struct trace_event *);
	void *arg;
};

static void
emit(struct step *s, enum trace_kind kind, int k, int n)
{
	struct trace_event e = { kind, s->t->ms[s->i], k - 1, n, s->is[k] };

	s->put(s->arg, &e);
}

// The P that grew most among those not yet explained, by at most `limit`; 0 when none did by 2 or more.
static int
grown(const struct step *s, int limit)
{
	int best = 0;

	for (int k = 1; k <= s->t->procs; k++) {
		int rise = s->is[k] - s->was[k];
		if (s->taken[k] || rise < 2 || rise > limit)
			continue;
		if (best == 0 || rise > s->is[best] - s->was[best])
			best = k;
	}
	return best;
}

static void
refills(struct step *s)
{
	int k;

	while ((k = grown(s, s->batch_left)) != 0) {
		s->taken[k] = true;
		s->batch_left -= s->is[k] - s->was[k];
		emit(s, TRACE_REFILL, k, s->is[k] - s->was[k]);
	}
}

static bool
fell_by(const struct step *s, int n)
{
	for (int k = 1; k <= s->t->procs; k++) {
		if (s->was[k] - s->is[k] >= n)
			return true;
	}
	return false;
}

static void
thefts(struct step *s)
{
	int k;

	while ((k = grown(s, 1 << 30)) != 0) {
		int rise = s->is[k] - s->was[k];
		s->taken[k] = true;
		if (fell_by(s, rise + 1))
			emit(s, TRACE_STEAL, k, rise);
	}
}

static void
examine(struct step *s)
{
	int rise = s->is[0] - s->was[0];

	if (rise >= 2)
		emit(s, TRACE_SPILL, 0, rise);
	s->batch_left = rise <= -2 ? -rise : 0;
	if (s->batch_left)
		emit(s, TRACE_BATCH, 0, -rise);
	if (rise < 2) { // while somebody spawns, a longer queue means nothing
		refills(s);
		thefts(s);
	}
}

void
trace_events(const struct trace *t, void (*put)(void *, const struct trace_event *), void *arg)
{
	static const int none[TRACE_PROCS_MAX + 1];

	for (size_t i = 0; i < t->n; i++) {
		struct step s = { .t = t, .i = i, .was = i ? trace_at(t, i - 1) : none, .is = trace_at(t, i) };
		s.put = put;
		s.arg = arg;
		examine(&s);
	}
}
