// SPDX-License-Identifier: MIT
// life_timer_test: sleep and timers, seen from outside: never early, in order of expiry, each once, and stop and reset tell the
// truth. Nothing here fails because it comes late.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sched/base/rng.h"
#include "sched/tests/rig.h"

enum { US = 1000, MS = 1000 * US };
static const int64_t hour = (int64_t)3600 * 1000 * MS;

static void
count_up(void *count)
{
	add_acq_rel((_Atomic int *)count, 1);
}

static void
await(_Atomic int *count, int n)
{
	while (load_acquire(count) < n)
		mn_yield();
}

// ---- Sleep

static void
sleep_a_while(void *done)
{
	for (int i = 0; i < 5; i++) {
		int64_t ns = i * 300 * US, before = mn_now();

		mn_sleep(ns);
		EXPECT(mn_now() - before >= ns);
	}
	count_up(done);
}

static void
fifty_sleepers(void *done)
{
	for (int i = 0; i < 50; i++)
		mn_go(sleep_a_while, done);
}

static void
test_sleep_is_never_short(void)
{
	for (int procs = 1; procs <= 4; procs *= 2) {
		_Atomic int done = 0;

		EXPECT_EQ(rig_run_at("procs=%d", procs, fifty_sleepers, (void *)&done), 0);
		EXPECT_EQ(load_relaxed(&done), 50);
	}
}

// Neither parks; a G that is ready meanwhile does not run.
static void
sleep_for_nothing(void *done)
{
	mn_go(count_up, done);
	mn_sleep(0);
	mn_sleep(-1);
	mn_sleep(INT64_MIN);
	EXPECT_EQ(load_relaxed((_Atomic int *)done), 0);
}

static void
test_no_time_is_no_sleep(void)
{
	_Atomic int done = 0;

	EXPECT_EQ(rig_run("procs=1", sleep_for_nothing, (void *)&done), 0);
	EXPECT_EQ(rig_total().parked, 0);
}

// Sleeps of next to nothing, with nobody else about: the timer may be due before its G is parked. None may be lost.
static void
sleep_shortly(void *unused)
{
	(void)unused;
	for (int i = 0; i < 2000; i++)
		mn_sleep(1 + i % 3);
}

static void
test_shortest_sleeps_are_not_lost(void)
{
	for (int procs = 1; procs <= 4; procs *= 2)
		EXPECT_EQ(rig_run_at("procs=%d", procs, sleep_shortly, NULL), 0);
}

// ---- Order

struct queue {
	int at[64];
	_Atomic int n;
};
static struct queue queue;

static void
line_up(void *number)
{
	queue.at[load_relaxed(&queue.n)] = (int)(intptr_t)number;
	add_acq_rel(&queue.n, 1);
}

// Started in any order, they fire in that of their times. Whoever was too slow to start all before the first was due tries again.
static void
start_in_disorder(void *unused)
{
	static const int order[] = { 5, 2, 7, 0, 3, 6, 1, 4 };
	struct mn_timer t[array_len(order)] = { 0 };
	int n = (int)array_len(order);
	int64_t ahead = 5 * MS, begun, late;

	(void)unused;
	do {
		for (int i = 0; i < n; i++)
			mn_timer_stop(&t[i]);
		ahead *= 2;
		mn_sleep(ahead); // what could not be stopped has run
		memset(&queue, 0, sizeof(queue));
		begun = mn_now();
		for (int i = 0; i < n; i++)
			EXPECT_EQ(mn_timer_after(&t[i], ahead * (1 + order[i]), line_up, (void *)(intptr_t)order[i]),
			          0);
		late = mn_now() - begun;
	} while (late >= ahead);
	await(&queue.n, n);
	for (int i = 0; i < n; i++)
		EXPECT_EQ(queue.at[i], i);
}

static void
test_after_queuing(void)
{
	EXPECT_EQ(rig_run("procs=1", start_in_disorder, NULL), 0);
	EXPECT_EQ(rig_run("procs=2", start_in_disorder, NULL), 0);
}

// ---- Stop and reset

static void
stop_before_and_after(void *unused)
{
	struct mn_timer t = { 0 };
	_Atomic int fired = 0;

	(void)unused;
	EXPECT(!mn_timer_stop(&t)); // never started
	EXPECT(!mn_timer_reset(&t, MS));
	EXPECT_EQ(mn_timer_after(&t, hour, count_up, (void *)&fired), 0);
	EXPECT(mn_timer_stop(&t));
	EXPECT(!mn_timer_stop(&t));
	EXPECT_EQ(mn_timer_after(&t, 0, count_up, (void *)&fired), 0);
	await(&fired, 1);
	EXPECT(!mn_timer_stop(&t));
	EXPECT(!mn_timer_reset(&t, hour)); // fired, and starts again
	EXPECT(mn_timer_reset(&t, 2 * hour));
	EXPECT(mn_timer_reset(&t, MS)); // forward
	await(&fired, 2);
	EXPECT(!mn_timer_reset(&t, -5)); // as if none
	await(&fired, 3);
	EXPECT(!mn_timer_stop(&t));
	EXPECT_EQ(mn_timer_after(&t, hour, count_up, (void *)&fired), 0);
	EXPECT_EQ(mn_timer_after(&t, 0, count_up, (void *)&fired), 0); // moved, not doubled
	await(&fired, 4);
	mn_sleep(2 * MS);
	EXPECT_EQ(load_relaxed(&fired), 4);
}

static void
test_stop_and_reset_results(void)
{
	EXPECT_EQ(rig_run("procs=1", stop_before_and_after, NULL), 0);
	EXPECT_EQ(rig_run("procs=4", stop_before_and_after, NULL), 0);
}

// Many at once, and each answer is taken at its word: what was started fires once, unless stop said that it would not; and a reset
// that came too late starts it anew.
enum { STOPPERS = 30, STOPS = 300 / RIG_SLOWER + 10 };
static _Atomic int due, fires;

static void
stop_again_and_again(void *number)
{
	struct mn_timer t = { 0 };
	struct rng dice;

	rng_seed(&dice, (uint64_t)(uintptr_t)number, 2);
	for (int i = 0; i < STOPS; i++) {
		EXPECT_EQ(mn_timer_after(&t, rng_below(&dice, 50 * US), count_up, (void *)&fires), 0);
		add_relaxed(&due, 1);
		if (rng_below(&dice, 3) == 0)
			mn_sleep(rng_below(&dice, 50 * US));
		if (rng_below(&dice, 2) == 0 && !mn_timer_reset(&t, rng_below(&dice, 50 * US)))
			add_relaxed(&due, 1);
		if (rng_below(&dice, 3) == 0)
			mn_yield();
		if (mn_timer_stop(&t))
			add_relaxed(&due, -1);
	}
}

static void
stop_in_many(void *done)
{
	store_relaxed(&due, 0);
	store_relaxed(&fires, 0);
	for (intptr_t i = 0; i < STOPPERS; i++)
		mn_go(stop_again_and_again, (void *)i);
	(void)done;
}

static void
test_timer_stop_stress(void)
{
	for (int procs = 1; procs <= 4; procs *= 2) {
		EXPECT_EQ(rig_run_at("procs=%d", procs, stop_in_many, NULL), 0);
		// Callbacks run on Ms, which have ended.
		EXPECT_EQ(load_relaxed(&fires), load_relaxed(&due));
	}
}

// A handle's memory may go as soon as the timer is stopped, or has fired.
static void
stop_and_scribble(void *unused)
{
	static _Atomic int fired; // a callback may still run when we are gone

	(void)unused;
	store_relaxed(&fired, 0);
	for (int i = 0; i < 300; i++) {
		struct mn_timer *t = calloc(1, sizeof(*t));

		EXPECT_EQ(mn_timer_after(t, (i % 4) * 50 * US, count_up, (void *)&fired), 0);
		if (i % 3 == 0)
			mn_sleep(60 * US);
		mn_timer_stop(t);
		memset(t, 0xa5, sizeof(*t));
		free(t);
	}
	mn_sleep(MS);
	EXPECT(load_acquire(&fired) <= 300);
}

static void
test_handle_is_free_after_stop(void)
{
	EXPECT_EQ(rig_run("procs=2", stop_and_scribble, NULL), 0);
}

// Handles outlive a run, and then know nothing of the next one's timers.
static struct mn_timer survivor;

static void
leave_one_started(void *count)
{
	memset(&survivor, 0, sizeof(survivor));
	EXPECT_EQ(mn_timer_after(&survivor, hour, count_up, count), 0);
}

static void
meet_it_again(void *count)
{
	struct mn_timer other = { 0 };

	EXPECT_EQ(mn_timer_after(&other, hour, count_up, count), 0);
	EXPECT(!mn_timer_stop(&survivor));
	EXPECT(!mn_timer_reset(&survivor, 0));
	await(count, 1);
	EXPECT(mn_timer_stop(&other));
}

static void
test_handle_of_an_earlier_run(void)
{
	_Atomic int fired = 0;

	EXPECT_EQ(rig_run("procs=1", leave_one_started, (void *)&fired), 0);
	EXPECT_EQ(load_relaxed(&fired), 0);
	EXPECT_EQ(rig_run("procs=1", meet_it_again, (void *)&fired), 0);
	EXPECT_EQ(load_relaxed(&fired), 1);
}

// ---- Times out of range

static void
ask_for_the_impossible(void *unused)
{
	struct mn_timer t = { 0 };
	_Atomic int fired = 0;

	(void)unused;
	EXPECT_EQ(mn_timer_after(&t, -1, count_up, (void *)&fired), -EINVAL);
	EXPECT_EQ(mn_timer_start(&t, 0, -1, count_up, (void *)&fired), -EINVAL);
	EXPECT_EQ(mn_timer_start(&t, INT64_MIN, INT64_MIN, count_up, (void *)&fired), -EINVAL);
	EXPECT(!mn_timer_stop(&t));
	EXPECT_EQ(mn_timer_after(&t, INT64_MAX, count_up, (void *)&fired), 0);
	mn_sleep(MS);
	EXPECT(mn_timer_reset(&t, INT64_MAX - 1));
	EXPECT(mn_timer_stop(&t));
	// The first tick is now, the next at the end of time.
	EXPECT_EQ(mn_timer_start(&t, 0, INT64_MAX, count_up, (void *)&fired), 0);
	await(&fired, 1);
	mn_sleep(2 * MS);
	EXPECT_EQ(load_relaxed(&fired), 1);
	EXPECT(mn_timer_stop(&t));
}

static void
test_times_out_of_range(void)
{
	EXPECT_EQ(rig_run("procs=1", ask_for_the_impossible, NULL), 0);
	EXPECT_EQ(rig_run("procs=2", ask_for_the_impossible, NULL), 0);
}

static void
sleep_to_the_end_of_time(void *unused)
{
	(void)unused;
	mn_sleep(INT64_MAX);
}

static void
leave_while_one_sleeps(void *unused)
{
	mn_go(sleep_to_the_end_of_time, unused);
	mn_sleep(5 * MS);
	_exit(0);
}

static void
sleeper_and_others(void)
{
	rig_run("procs=2", leave_while_one_sleeps, NULL);
}

static void
test_overflowing_sleep_sleeps(void)
{
	struct rig_end end;

	rig_fork(sleeper_and_others, &end);
	EXPECT_EQ(end.status, 0);
}

// ---- Moved forward

// Everybody sleeps until the far one is due; moved forward, it fires all the same. Main sleeps in a way that needs the timer.
static struct mn_wait_group group;

static void
group_done(void *unused)
{
	(void)unused;
	mn_wait_group_done(&group);
}

static void
move_forward(void *timer)
{
	mn_sleep(3 * MS); // until all else sleeps too
	EXPECT(mn_timer_reset(timer, MS));
}

static void
wait_for_one_moved_forward(void *unused)
{
	struct mn_timer t = { 0 };

	memset(&group, 0, sizeof(group));
	mn_wait_group_add(&group, 1);
	EXPECT_EQ(mn_timer_after(&t, hour, group_done, unused), 0);
	mn_go(move_forward, &t);
	mn_wait_group_wait(&group);
	EXPECT(!mn_timer_stop(&t));
}

static void
test_timer_modified_earlier(void)
{
	for (int procs = 1; procs <= 4; procs *= 2)
		for (int i = 0; i < 10; i++)
			EXPECT_EQ(rig_run_at("procs=%d", procs, wait_for_one_moved_forward, NULL), 0);
}

int
main(void)
{
	RUN(test_sleep_is_never_short);
	RUN(test_no_time_is_no_sleep);
	RUN(test_shortest_sleeps_are_not_lost);
	RUN(test_after_queuing);
	RUN(test_stop_and_reset_results);
	RUN(test_timer_stop_stress);
	RUN(test_handle_is_free_after_stop);
	RUN(test_handle_of_an_earlier_run);
	RUN(test_times_out_of_range);
	RUN(test_overflowing_sleep_sleeps);
	RUN(test_timer_modified_earlier);
	return test_result();
}
