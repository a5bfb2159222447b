// SPDX-License-Identifier: MIT
// timer.c: timers: a heap a P, stopped and moved lazily.
//
// A timer is started on the caller's P, into its 4-ary heap. Stopping and moving it touch the timer alone, under its own lock:
// the heap's entry keeps the old time until somebody comes across it, takes a stopped one out and sinks a moved one. Only a move
// to an earlier time is told to the heap (`sooner`), which is then set in order before anything fires. The heap is run by
// its P's M, or by any M that has nothing to do (source.c).
//
// What users hold (struct mn_timer) is a handle: their memory may go as soon as the timer is stopped, while the heap still has its
// entry. The timer proper comes from a pool, is type-stable during a run, and carries a generation that the handle knows.
//
// Locks: a heap's, then a timer's. Callbacks run with neither.
#include <errno.h>
#include <stdlib.h>

#include "sched/core/park.h"
#include "sched/core/scheduler.h"
#include "sched/core/source.h"
#include "sched/mn.h"
#include "sched/sync/timer_heap.h"

// With the heap's lock and the top due by its entry. Answers whether there is a callback to run.
static bool
take_top_locked(struct heap *h, int64_t now, mn_fn *fn, void **arg)
{
	struct timer *t = h->e[0].timer;

	spin_lock(&t->lock);
	if (!t->armed) {
		t->heap = NULL;
		mn_heap_pop(h);
		mn_timer_free_unlock(t);
		return false;
	}
	if (t->when > now) { // moved meanwhile
		h->e[0].when = t->when;
		spin_unlock(&t->lock);
		mn_heap_sink(h, 0);
		return false;
	}
	*fn = t->fn;
	*arg = t->arg;
	if (t->period > 0) {
		t->when = h->e[0].when = mn_next_tick(t->when, t->period, now);
		spin_unlock(&t->lock);
		mn_heap_sink(h, 0);
		return true;
	}
	t->armed = false;
	t->heap = NULL;
	mn_heap_pop(h);
	mn_timer_free_unlock(t);
	return true;
}

static bool
untidy(struct heap *h, int64_t now)
{
	return load_seq_cst(&h->sooner) <= now || heap_littered(h); // TI
}

static bool
run(struct p *p, struct p *on, int64_t now)
{
	struct heap *h = p->timers;
	bool fired = false;

	(void)on; // callbacks find it: it is the caller's P
	spin_lock(&h->lock);
	if (untidy(h, now))
		mn_heap_tidy_locked(h);
	while (h->n && h->e[0].when <= now) {
		mn_fn fn;
		void *arg;

		if (!take_top_locked(h, now, &fn, &arg))
			continue;
		mn_heap_publish(h);
		spin_unlock(&h->lock);
		fn(arg);
		fired = true;
		spin_lock(&h->lock);
	}
	mn_heap_publish(h);
	spin_unlock(&h->lock);
	return fired;
}

// ---- Ends

static void
release(void)
{
	for (uint32_t i = 0; i < load_relaxed(&mn_sched.nps); i++) { // those out of use have theirs still
		struct heap *h = mn_sched.allp[i].timers;

		if (h)
			free(h->e);
		free(h);
	}
	mn_timer_pool_release();
}

static void
move(struct p *from, struct p *to)
{
	struct heap *h = from->timers, *other;

	if (!h)
		return;
	other = mn_heap_of(to);
	mn_heap_tidy_locked(h);
	for (size_t i = 0; i < h->n; i++) {
		h->e[i].timer->heap = other;
		mn_heap_push(other, h->e[i].when, h->e[i].timer);
	}
	h->n = 0;
	mn_heap_publish(h);
	mn_heap_publish(other);
	// Whoever is lying down may have looked at `to` before, and at `from` after.
	if (other->n)
		mn_source_earlier(other->e[0].when);
}

static const struct timer_source source = { .run = run, .move = move, .release = release };

// ---- Starting, stopping, moving

static int64_t
in(int64_t delay)
{
	int64_t now = mn_os_now();

	return delay > SOURCE_NEVER - 1 - now ? SOURCE_NEVER - 1 : now + delay;
}

// A new timer on the caller's P. Its handle, if it has one, is filled in before anybody can fire it: the callback may use it.
static void
start(int64_t when, int64_t period, mn_fn fn, void *arg, struct handle *handle)
{
	struct p *p = m_p(mn_m());

	if (unlikely(!p))
		mn_misplaced("mn_timer_start");
	struct heap *h = mn_heap_of(p);
	struct timer *t = mn_timer_new();

	if (!load_relaxed(&mn_sched.timers))
		mn_source_timers(&source);
	spin_lock(&h->lock);
	// Far-off timers that are started and stopped in turn never come due, and would pile up.
	if (heap_littered(h))
		mn_heap_tidy_locked(h);
	spin_lock(&t->lock);
	t->armed = true;
	t->heap = h;
	t->when = when;
	t->period = period;
	t->fn = fn;
	t->arg = arg;
	if (handle)
		*handle = (struct handle){ t, t->generation, mn_timer_run(), fn, arg, period };
	spin_unlock(&t->lock);
	mn_heap_push(h, when, t);
	bool first = h->e[0].timer == t;

	mn_heap_publish(h);
	spin_unlock(&h->lock);
	if (first)
		mn_source_earlier(when);
}

// The timer of a handle, locked, if it still is the handle's and armed; else NULL.
static struct timer *
lock_armed(struct handle *h)
{
	struct timer *t = h->timer;

	if (!t || h->run != mn_timer_run())
		return NULL;
	spin_lock(&t->lock);
	if (t->generation == h->generation && t->armed)
		return t;
	spin_unlock(&t->lock);
	return NULL;
}

bool
mn_timer_stop(struct mn_timer *public)
{
	struct timer *t = lock_armed(handle_of(public));

	if (!t)
		return false;
	t->armed = false;
	add_relaxed(&t->heap->stopped, 1);
	spin_unlock(&t->lock);
	return true;
}

int
mn_timer_start(struct mn_timer *public, int64_t delay, int64_t period, mn_fn fn, void *arg)
{
	struct handle *h = handle_of(public);

	if (delay < 0 || period < 0)
		return -EINVAL;
	mn_timer_stop(public);
	start(in(delay), period, fn, arg, h);
	return 0;
}

int
mn_timer_after(struct mn_timer *t, int64_t delay, mn_fn fn, void *arg)
{
	return mn_timer_start(t, delay, 0, fn, arg);
}

static void
lower(_Atomic int64_t *word, int64_t when)
{
	int64_t was = load_seq_cst(word); // TI

	while (when < was && !cas_seq_cst(word, &was, when)) // TI
		continue;
}

bool
mn_timer_reset(struct mn_timer *public, int64_t delay)
{
	struct handle *h = handle_of(public);
	struct timer *t = lock_armed(h);
	int64_t when = in(delay < 0 ? 0 : delay);

	if (!t) {
		if (h->fn)
			mn_timer_start(public, delay < 0 ? 0 : delay, h->period, h->fn, h->arg);
		return false;
	}
	bool forward = when < t->when;

	t->when = when;
	if (forward) {
		lower(&t->heap->sooner, when);
		lower(&t->heap->p->next_timer, when);
	}
	spin_unlock(&t->lock);
	if (forward)
		mn_source_earlier(when);
	return true;
}

// ---- Sleep

static void
wake(void *arg)
{
	mn_ready(arg);
}

// Started only once the G is parked: a short sleep could be over before.
static bool
commit_sleep(struct g *g, void *arg)
{
	start(*(int64_t *)arg, 0, wake, g, NULL);
	return true;
}

void
mn_sleep(int64_t ns)
{
	int64_t when;

	if (ns <= 0)
		return;
	when = in(ns);
	mn_park(commit_sleep, &when, WAIT_SLEEP);
}

int64_t
mn_now(void)
{
	return mn_os_now();
}
