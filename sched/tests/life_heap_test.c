// SPDX-License-Identifier: MIT
// life_heap_test: the heap of timers by itself: order, moves and stops at random, ticks at the end of time, no litter.
// Opens internals: the heap.
#include "sched/sync/timer_heap.h"

#include <stdlib.h>
#include <string.h>

#include "sched/base/rng.h"
#include "sched/core/scheduler.h"
#include "sched/tests/rig.h"

static struct rng dice;

static bool
in_order(const struct heap *h)
{
	for (size_t i = 1; i < h->n; i++)
		if (h->e[i].when < h->e[(i - 1) / ARITY].when)
			return false;
	return true;
}

static void
nothing(void *unused)
{
	(void)unused;
}

// ---- The heap alone

static void
test_what_is_popped_comes_in_order(void)
{
	static struct p p;
	struct heap h = { .p = &p };

	for (int round = 0; round < 50; round++) {
		uint32_t n = rng_below(&dice, 300);
		int64_t last = INT64_MIN;
		uint32_t popped = 0;

		for (uint32_t i = 0; i < n; i++) {
			mn_heap_push(&h, rng_below(&dice, 1 + n / 2), NULL);
			EXPECT(in_order(&h));
		}
		for (; h.n > 0; popped++) {
			EXPECT(h.e[0].when >= last);
			last = h.e[0].when;
			mn_heap_pop(&h);
			EXPECT(in_order(&h));
		}
		EXPECT_EQ(popped, n);
	}
	free(h.e);
}

static void
test_a_change_at_the_top_sinks(void)
{
	static struct p p;
	struct heap h = { .p = &p };

	for (int i = 0; i < 200; i++)
		mn_heap_push(&h, rng_below(&dice, 1000), NULL);
	for (int i = 0; i < 1000; i++) {
		h.e[0].when += rng_below(&dice, 1000);
		mn_heap_sink(&h, 0);
		EXPECT(in_order(&h));
	}
	free(h.e);
}

static void
test_ticks_are_dropped_and_never_pass_the_end_of_time(void)
{
	int64_t end = SOURCE_NEVER - 1;

	EXPECT_EQ(mn_next_tick(100, 10, 100), 110);
	EXPECT_EQ(mn_next_tick(100, 10, 109), 110);
	EXPECT_EQ(mn_next_tick(100, 10, 110), 120);
	EXPECT_EQ(mn_next_tick(100, 10, 1234), 1240);
	EXPECT_EQ(mn_next_tick(100, 10, 50), 110);
	EXPECT_EQ(mn_next_tick(100, INT64_MAX, 100), end);
	EXPECT_EQ(mn_next_tick(100, INT64_MAX - 100, 100), end);
	EXPECT_EQ(mn_next_tick(100, INT64_MAX - 102, 100), end - 1);
	EXPECT_EQ(mn_next_tick(end - 5, 10, end), end);
}

// ---- A P's heap in a run

static struct heap *
own_heap(void)
{
	return m_p(mn_m())->timers;
}

enum { FAR = 1000, HOUR_S = 3600 };

static int64_t
hours(uint32_t n)
{
	return (int64_t)n * HOUR_S * 1000000000;
}

// What the heap's entries say is never later than the truth, but for what `sooner` covers.
static void
expect_entries_cover_their_timers(struct heap *h)
{
	int64_t first = SOURCE_NEVER;

	EXPECT(in_order(h));
	for (size_t i = 0; i < h->n; i++) {
		struct timer *t = h->e[i].timer;

		EXPECT(t->heap == h);
		EXPECT(!t->armed || h->e[i].when <= t->when || load_relaxed(&h->sooner) <= t->when);
		if (t->armed && t->when < first)
			first = t->when;
	}
	EXPECT(load_relaxed(&h->p->next_timer) <= first);
}

static void
tidy_and_look(struct heap *h, size_t armed)
{
	spin_lock(&h->lock);
	mn_heap_tidy_locked(h);
	mn_heap_publish(h);
	spin_unlock(&h->lock);
	expect_entries_cover_their_timers(h);
	EXPECT_EQ(h->n, armed);
	for (size_t i = 0; i < h->n; i++)
		EXPECT_EQ(h->e[i].when, h->e[i].timer->when);
	EXPECT_EQ(load_relaxed(&h->p->next_timer), h->n ? h->e[0].when : SOURCE_NEVER);
}

static struct mn_timer timers[FAR];
static bool started[FAR];

static size_t
one_move(uint32_t i, size_t armed)
{
	int64_t delay = hours(1 + rng_below(&dice, 1000));

	switch (rng_below(&dice, 3)) {
	case 0:
		EXPECT_EQ(mn_timer_stop(&timers[i]), started[i]);
		armed -= started[i];
		started[i] = false;
		break;
	case 1:
		EXPECT_EQ(mn_timer_start(&timers[i], delay, 0, nothing, NULL), 0);
		armed += !started[i];
		started[i] = true;
		break;
	default:
		// One that was never started has no function to call.
		if (!handle_of(&timers[i])->fn)
			break;
		EXPECT_EQ(mn_timer_reset(&timers[i], delay), started[i]);
		armed += !started[i];
		started[i] = true;
	}
	return armed;
}

static void
move_at_random(void *unused)
{
	size_t armed = 0;

	memset(timers, 0, sizeof(timers));
	memset(started, 0, sizeof(started));
	EXPECT_EQ(mn_timer_after(&timers[0], hours(1), nothing, unused), 0);
	started[0] = true;
	armed = 1;
	for (int i = 0; i < 20000 / RIG_SLOWER; i++) {
		armed = one_move(rng_below(&dice, FAR), armed);
		if (i % 64 == 0)
			expect_entries_cover_their_timers(own_heap());
		if (i % 1024 == 0)
			tidy_and_look(own_heap(), armed);
	}
	tidy_and_look(own_heap(), armed);
}

// Adjusting: all are moved about, most of them forward; the heap is mended before it is used.
static void
test_stops_and_moves_at_random(void)
{
	EXPECT_EQ(rig_run("procs=1", move_at_random, NULL), 0);
}

// A timeout that is started and stopped again and again must not fill the heap with what is no longer wanted.
static void
start_and_stop(void *unused)
{
	struct mn_timer kept = { 0 }, t = { 0 };
	size_t most = 0;

	EXPECT_EQ(mn_timer_after(&kept, hours(1), nothing, unused), 0);
	for (int i = 0; i < 10000; i++) {
		EXPECT_EQ(mn_timer_after(&t, hours(2), nothing, unused), 0);
		EXPECT(mn_timer_stop(&t));
		most = own_heap()->n > most ? own_heap()->n : most;
	}
	EXPECT(most < 16);
	EXPECT(mn_timer_stop(&kept));
}

static void
test_stopped_timers_do_not_pile_up(void)
{
	EXPECT_EQ(rig_run("procs=1", start_and_stop, NULL), 0);
}

// The generation keeps a handle from the timer's next owner.
static void
reuse(void *unused)
{
	struct mn_timer old = { 0 }, new = { 0 };

	EXPECT_EQ(mn_timer_after(&old, hours(1), nothing, unused), 0);
	EXPECT(mn_timer_stop(&old));
	tidy_and_look(own_heap(), 0);
	EXPECT_EQ(mn_timer_after(&new, hours(1), nothing, unused), 0);
	EXPECT(handle_of(&old)->timer == handle_of(&new)->timer);
	EXPECT(!mn_timer_stop(&old));
	tidy_and_look(own_heap(), 1);
	EXPECT(!mn_timer_reset(&old, hours(2))); // starts another
	EXPECT(handle_of(&old)->timer != handle_of(&new)->timer);
	tidy_and_look(own_heap(), 2);
	EXPECT(mn_timer_stop(&new));
	EXPECT(mn_timer_stop(&old));
}

static void
test_a_handle_does_not_reach_the_next_owner(void)
{
	EXPECT_EQ(rig_run("procs=1", reuse, NULL), 0);
}

// Those of a P that goes out of use go to one that stays, and all memory goes at the end (the leak checker looks).
static void
leave_timers_on_ps_that_go(void *unused)
{
	struct mn_timer t[8] = { 0 };

	for (int i = 0; i < 8; i++)
		EXPECT_EQ(mn_timer_after(&t[i], hours(1), nothing, unused), 0);
	EXPECT_EQ(mn_procs(4), 1);
	EXPECT(mn_heap_of(&mn_sched.allp[3]) != NULL);
	spin_lock(&mn_heap_of(&mn_sched.allp[3])->lock);
	mn_heap_push(mn_heap_of(&mn_sched.allp[3]), hours(1), handle_of(&t[0])->timer);
	mn_heap_of(&mn_sched.allp[3])->n = 0;
	spin_unlock(&mn_heap_of(&mn_sched.allp[3])->lock);
	EXPECT_EQ(mn_procs(1), 4);
	EXPECT_EQ(own_heap()->n, 8);
	for (int i = 0; i < 8; i++)
		EXPECT(mn_timer_stop(&t[i]));
}

static void
test_a_p_out_of_use_leaves_nothing(void)
{
	EXPECT_EQ(rig_run("procs=1", leave_timers_on_ps_that_go, NULL), 0);
}

int
main(void)
{
	uint64_t seed = mn_os_entropy();

	fprintf(stderr, "seed %llu\n", (unsigned long long)seed);
	rng_seed(&dice, seed, 0);
	RUN(test_what_is_popped_comes_in_order);
	RUN(test_a_change_at_the_top_sinks);
	RUN(test_ticks_are_dropped_and_never_pass_the_end_of_time);
	RUN(test_stops_and_moves_at_random);
	RUN(test_stopped_timers_do_not_pile_up);
	RUN(test_a_handle_does_not_reach_the_next_owner);
	RUN(test_a_p_out_of_use_leaves_nothing);
	return test_result();
}
