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

// ---- Many

enum { MANY = MN_TSAN ? 1000 : 10000 };
static struct mn_timer many[MANY];
static _Atomic int fired[MANY];
static _Atomic int total;

static void
fire(void *index)
{
	add_relaxed(&fired[(intptr_t)index], 1);
	add_acq_rel(&total, 1);
}

static void
start_many(void *seed)
{
	struct rng dice;

	rng_seed(&dice, *(uint64_t *)seed, 1);
	memset(many, 0, sizeof(many));
	memset((void *)fired, 0, sizeof(fired));
	store_relaxed(&total, 0);
	for (intptr_t i = 0; i < MANY; i++)
		EXPECT_EQ(mn_timer_after(&many[i], rng_below(&dice, 20 * MS), fire, (void *)i), 0);
	for (int i = 0; i < MANY / 4; i++) // moves of those that were not stopped nor fired yet: still once each
		if (mn_timer_stop(&many[i]))
			EXPECT_EQ(mn_timer_after(&many[i], rng_below(&dice, 20 * MS), fire, (void *)(intptr_t)i), 0);
	await(&total, MANY);
	mn_sleep(MS);
	for (int i = 0; i < MANY; i++)
		EXPECT_EQ(load_relaxed(&fired[i]), 1);
}

static void
test_ten_thousand_in_random_order(void)
{
	uint64_t seed = (uint64_t)mn_now();

	fprintf(stderr, "seed %llu\n", (unsigned long long)seed);
	EXPECT_EQ(rig_run("procs=1", start_many, &seed), 0);
	EXPECT_EQ(rig_run("procs=4", start_many, &seed), 0);
}

// ---- Ticks

static void
hog(int64_t ns)
{
	int64_t until = mn_now() + ns;

	while (mn_now() < until)
		continue;
}

static _Atomic int ticks;

// Each tick is of its own multiple of the period, and none comes before its time.
static void
expect_no_more_ticks_than_periods(int64_t begun, int64_t period)
{
	EXPECT(load_acquire(&ticks) <= (mn_now() - begun) / period);
}

// The P is kept busy for many periods at a time: what was missed then is dropped.
static void
tick_beside_a_hog(void *unused)
{
	struct mn_timer t = { 0 };
	int64_t begun = mn_now();

	(void)unused;
	store_relaxed(&ticks, 0);
	EXPECT_EQ(mn_timer_start(&t, MS, MS, count_up, (void *)&ticks), 0);
	for (int i = 1; i <= 4; i++) {
		hog(10 * MS);
		EXPECT_EQ(load_acquire(&ticks), i - 1);
		mn_yield();
		EXPECT_EQ(load_acquire(&ticks), i);
	}
	EXPECT(mn_timer_stop(&t));
	expect_no_more_ticks_than_periods(begun, MS);
}

static void
test_ticks_are_dropped_not_bunched(void)
{
	EXPECT_EQ(rig_run("procs=1 preempt=off", tick_beside_a_hog, NULL), 0);
}

static void
five_ticks(void *unused)
{
	struct mn_timer t = { 0 };
	int64_t begun = mn_now();

	(void)unused;
	store_relaxed(&ticks, 0);
	EXPECT_EQ(mn_timer_start(&t, 200 * US, 200 * US, count_up, (void *)&ticks), 0);
	while (load_acquire(&ticks) < 5)
		mn_sleep(100 * US);
	EXPECT(mn_timer_stop(&t));
	expect_no_more_ticks_than_periods(begun, 200 * US);
}

static void
test_ticker(void)
{
	EXPECT_EQ(rig_run("procs=1", five_ticks, NULL), 0);
	EXPECT_EQ(rig_run("procs=4", five_ticks, NULL), 0);
}

// What is pending keeps no run from its end. Hours would show.
static void
leave_pending(void *count)
{
	static struct mn_timer t[3];

	memset(t, 0, sizeof(t));
	EXPECT_EQ(mn_timer_start(&t[0], hour, hour, count_up, count), 0);
	EXPECT_EQ(mn_timer_start(&t[1], 0, 100 * US, count_up, count), 0);
	EXPECT_EQ(mn_timer_after(&t[2], hour, count_up, count), 0);
	mn_sleep(MS);
}

static void
test_pending_timers_keep_no_run(void)
{
	for (int procs = 1; procs <= 4; procs *= 2)
		for (int i = 0; i < 20; i++) {
			_Atomic int count = 0;

			EXPECT_EQ(rig_run_at("procs=%d", procs, leave_pending, (void *)&count), 0);
			EXPECT(load_relaxed(&count) >= 1);
		}
}

// ---- Starting from a callback

static _Atomic int grandchildren;

static void
grandchild(void *unused)
{
	(void)unused;
	add_acq_rel(&grandchildren, 1);
}

static struct mn_timer again;

static void
start_more(void *left)
{
	EXPECT_EQ(mn_go(grandchild, NULL), 0);
	EXPECT_EQ(mn_id(), 0);
	if ((intptr_t)left > 0)
		EXPECT_EQ(mn_timer_after(&again, 10 * US, start_more, (void *)((intptr_t)left - 1)), 0);
}

static void
chain(void *unused)
{
	(void)unused;
	store_relaxed(&grandchildren, 0);
	memset(&again, 0, sizeof(again));
	EXPECT_EQ(mn_timer_after(&again, 0, start_more, (void *)(intptr_t)99), 0);
	while (load_acquire(&grandchildren) < 100)
		mn_sleep(50 * US);
}

static void
test_callbacks_start_goroutines_and_timers(void)
{
	for (int procs = 1; procs <= 4; procs *= 2)
		EXPECT_EQ(rig_run_at("procs=%d", procs, chain, NULL), 0);
}

// ---- Busy Ps

// The G never gives way; that the flag comes at all means that another P ran the timer.
static void
compute_until_fired(void *unused)
{
	struct mn_timer t = { 0 };
	_Atomic int set = 0;

	(void)unused;
	EXPECT_EQ(mn_timer_after(&t, 500 * US, count_up, (void *)&set), 0);
	RIG_WAIT_UNTIL(load_acquire(&set));
}

static void
test_timers_of_a_busy_p_are_run_by_others(void)
{
	for (int i = 0; i < 20; i++)
		EXPECT_EQ(rig_run("procs=2 preempt=off", compute_until_fired, NULL), 0);
	EXPECT_EQ(rig_run("procs=4 preempt=off steal=none", compute_until_fired, NULL), 0);
	EXPECT_EQ(rig_run("procs=2 preempt=off spin=none", compute_until_fired, NULL), 0);
}

static void
sleep_and_count(void *count)
{
	for (int i = 0; i < 20; i++) {
		mn_sleep(100 * US);
		count_up(count);
	}
}

static void
busy_beside_a_sleeper(void *unused)
{
	_Atomic int naps = 0;

	(void)unused;
	mn_go(sleep_and_count, (void *)&naps);
	RIG_WAIT_UNTIL(load_acquire(&naps) == 20);
}

static void
test_a_sleeper_beside_a_busy_p(void)
{
	EXPECT_EQ(rig_run("procs=2 preempt=off", busy_beside_a_sleeper, NULL), 0);
	EXPECT_EQ(rig_run("procs=4 preempt=off", busy_beside_a_sleeper, NULL), 0);
}

// Two that hand each other the P without end, at procs=1: the timer is run between.
static _Atomic int stop;

static void
hand_over(void *unused)
{
	(void)unused;
	while (!load_acquire(&stop))
		mn_yield();
}

static void
starve_a_timer(void *unused)
{
	struct mn_timer t = { 0 };

	store_relaxed(&stop, 0);
	EXPECT_EQ(mn_timer_after(&t, US, count_up, (void *)&stop), 0);
	mn_go(hand_over, unused);
	hand_over(unused);
}

static void
test_after_func_starvation(void)
{
	EXPECT_EQ(rig_run("procs=1 preempt=off", starve_a_timer, NULL), 0);
	EXPECT_EQ(rig_run("procs=1 preempt=off yield_to=local", starve_a_timer, NULL), 0);
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
	RUN(test_ten_thousand_in_random_order);
	RUN(test_ticks_are_dropped_not_bunched);
	RUN(test_ticker);
	RUN(test_pending_timers_keep_no_run);
	RUN(test_callbacks_start_goroutines_and_timers);
	RUN(test_timers_of_a_busy_p_are_run_by_others);
	RUN(test_a_sleeper_beside_a_busy_p);
	RUN(test_after_func_starvation);
	return test_result();
}
