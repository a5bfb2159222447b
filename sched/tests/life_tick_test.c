// SPDX-License-Identifier: MIT
// life_tick_test: many timers, ticks, callbacks, and timers beside Ps that are busy: each fires as often as it should, and nobody
// who computes keeps others' timers from firing. Nothing here fails because it comes late.
#include <string.h>

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

// The timer is started just when another M searches, which then finds something else: it must see to it that somebody sleeps for the
// timer on the third P. What goes wrong here waits for ever.
static _Atomic int over;

static void
compute_until_over(void *unused)
{
	(void)unused;
	RIG_WAIT_UNTIL(load_acquire(&over));
}

static void
start_beside_a_searcher(void *delay)
{
	struct mn_timer t = { 0 };

	store_relaxed(&over, 0);
	mn_go(compute_until_over, NULL);
	hog(*(int64_t *)delay);
	EXPECT_EQ(mn_timer_after(&t, 50 * US, count_up, (void *)&over), 0);
	compute_until_over(NULL);
}

static void
test_a_timer_started_beside_a_searcher(void)
{
	for (int64_t i = 0; i < 1000 / RIG_SLOWER; i++) {
		int64_t delay = i % 30 * US;

		EXPECT_EQ(rig_run("procs=3 preempt=off", start_beside_a_searcher, &delay), 0);
	}
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
	RUN(test_ten_thousand_in_random_order);
	RUN(test_ticks_are_dropped_not_bunched);
	RUN(test_ticker);
	RUN(test_pending_timers_keep_no_run);
	RUN(test_callbacks_start_goroutines_and_timers);
	RUN(test_timers_of_a_busy_p_are_run_by_others);
	RUN(test_a_sleeper_beside_a_busy_p);
	RUN(test_a_timer_started_beside_a_searcher);
	RUN(test_after_func_starvation);
	return test_result();
}
