// SPDX-License-Identifier: MIT
// life_procs_test: GOMAXPROCS changes while the scheduler runs: answers, order of what is moved, 1,024 Ps and back, and beside
// everything else that goes on.
// Opens internals.
#include <errno.h>
#include <unistd.h>

#include "sched/core/scheduler.h"
#include "sched/tests/rig.h"

enum { US = 1000 };

// ---- Answers

static void
ask(void *unused)
{
	(void)unused;
	EXPECT_EQ(mn_procs(0), 2);
	EXPECT_EQ(mn_procs(-1), 2);
	EXPECT_EQ(mn_procs(-1000000), 2);
	EXPECT_EQ(mn_procs(MN_PROCS_MAX + 1), -EINVAL);
	EXPECT_EQ(mn_procs(INT32_MAX), -EINVAL);
	EXPECT_EQ(mn_num_procs(), 2);
	EXPECT_EQ(mn_procs(2), 2);
	EXPECT_EQ(mn_procs(5), 2);
	EXPECT_EQ(mn_num_procs(), 5);
	EXPECT_EQ(mn_procs(1), 5);
	EXPECT_EQ(mn_num_procs(), 1);
	EXPECT_EQ(mn_p(), 0);
	EXPECT_EQ(mn_procs(3), 1);
	EXPECT_EQ(mn_procs(0), 3);
}

static void
test_answers(void)
{
	EXPECT_EQ(rig_run("procs=2", ask, NULL), 0);
	EXPECT_EQ(mn_num_procs(), 0);
	EXPECT_EQ(rig_run("procs=2 steal=none", ask, NULL), 0);
	EXPECT_EQ(rig_run("procs=2 queue=global", ask, NULL), 0);
	EXPECT_EQ(rig_run("procs=2 victim=nearest pin=close", ask, NULL), 0);
}

// ---- Order

enum { LINE = 20 };
static int line[2 * LINE + 2];
static _Atomic int in_line, held;

static void
line_up(void *number)
{
	line[load_relaxed(&in_line)] = (int)(intptr_t)number;
	add_relaxed(&in_line, 1);
}

// On P1, which nobody steals from: its queue, and the newest in runnext.
static void
fill_a_queue(void *unused)
{
	(void)unused;
	for (intptr_t i = 1; i <= LINE; i++)
		mn_go(line_up, (void *)i);
	store_release(&held, 1);
	while (load_acquire(&held) == 1)
		mn_check();
}

// Somebody must run on P1 for a while: main, on P0, wakes a P by work that anybody may take, and then stands still.
static void
shrink_over_a_full_queue(void *unused)
{
	store_relaxed(&in_line, 0);
	store_relaxed(&held, 0);
	mn_go(fill_a_queue, unused);
	while (load_acquire(&held) == 0)
		sched_yield();
	mn_sched.how_many = NULL; // from now on nobody steals
	EXPECT_EQ(mn_procs(1), 2);
	store_release(&held, 2);
	while (load_relaxed(&in_line) < LINE)
		mn_yield();
	// runnext, then the queue; the one that stood still stands behind them.
	EXPECT_EQ(line[0], LINE);
	for (int i = 1; i < LINE; i++)
		EXPECT_EQ(line[i], i);
}

static void
test_order_is_kept_when_shrinking(void)
{
	for (int i = 0; i < 20; i++)
		EXPECT_EQ(rig_run("procs=2 preempt=cooperative slice_us=1000000 global_tick=0",
		                  shrink_over_a_full_queue, NULL),
		          0);
}

// ---- Many Ps

static _Atomic int ran;

static void
count_up(void *unused)
{
	(void)unused;
	add_relaxed(&ran, 1);
}

static void
yield_and_count(void *unused)
{
	mn_yield();
	count_up(unused);
}

static void
big(void *unused)
{
	EXPECT_EQ(mn_procs(MN_PROCS_MAX), 1);
	EXPECT_EQ(mn_num_procs(), MN_PROCS_MAX);
	for (int i = 0; i < 2000; i++)
		mn_go(yield_and_count, unused);
	EXPECT_EQ(mn_procs(1), MN_PROCS_MAX);
	for (int i = 0; i < 100; i++)
		mn_go(yield_and_count, unused);
	EXPECT_EQ(mn_procs(MN_PROCS_MAX), 1);
	EXPECT_EQ(mn_procs(2), MN_PROCS_MAX);
}

static void
start_big(void *unused)
{
	for (int i = 0; i < 2000; i++)
		mn_go(yield_and_count, unused);
	mn_yield();
	EXPECT_EQ(mn_procs(1), MN_PROCS_MAX);
}

static void
test_big_gomaxprocs(void)
{
	store_relaxed(&ran, 0);
	EXPECT_EQ(rig_run("procs=1", big, NULL), 0);
	EXPECT_EQ(load_relaxed(&ran), 2100);
	store_relaxed(&ran, 0);
	EXPECT_EQ(rig_run("procs=1024", start_big, NULL), 0);
	EXPECT_EQ(load_relaxed(&ran), 2000);
}

// ---- Those who compute, call, or are locked give way

static _Atomic int stop, around;

static void
compute(void *unused)
{
	(void)unused;
	add_relaxed(&around, 1);
	while (!load_acquire(&stop))
		mn_check();
}

static void
call(void *unused)
{
	(void)unused;
	add_relaxed(&around, 1);
	mn_syscall_enter();
	while (!load_acquire(&stop))
		usleep(100);
	mn_syscall_exit();
}

static void
compute_locked(void *unused)
{
	mn_lock_thread();
	compute(unused);
	mn_unlock_thread();
}

static void
ask_them_all(void *fn)
{
	store_relaxed(&stop, 0);
	store_relaxed(&around, 0);
	for (int i = 0; i < 3; i++)
		mn_go(*(mn_fn *)fn, NULL);
	while (load_acquire(&around) < 1)
		mn_yield();
	for (int i = 0; i < 20; i++) {
		EXPECT_EQ(mn_procs(3), i == 0 ? 4 : 2);
		EXPECT_EQ(mn_procs(2), 3);
	}
	store_release(&stop, 1);
}

static void
test_all_give_way(void)
{
	static mn_fn ways[] = { compute, call, compute_locked };

	for (int i = 0; i < 3; i++) {
		EXPECT_EQ(rig_run("procs=4", ask_them_all, &ways[i]), 0);
		EXPECT_EQ(rig_run("procs=4 preempt=off handoff=none", ask_them_all, &ways[i]), 0);
	}
}

// ---- Two at once, and one who is locked

static void
change_often(void *to)
{
	for (int i = 0; i < 50; i++) {
		int before = mn_procs(1 + (i + (int)(intptr_t)to) % 4);

		EXPECT(before >= 1 && before <= 4);
		if (i % 5 == 0)
			mn_yield();
	}
	add_relaxed(&ran, 1);
}

static void
change_locked(void *to)
{
	mn_lock_thread();
	change_often(to);
	mn_unlock_thread();
}

static void
many_change(void *unused)
{
	(void)unused;
	for (intptr_t i = 0; i < 4; i++)
		mn_go(i % 2 ? change_often : change_locked, (void *)i);
}

static void
test_many_change_at_once(void)
{
	store_relaxed(&ran, 0);
	EXPECT_EQ(rig_run("procs=4", many_change, NULL), 0);
	EXPECT_EQ(rig_run("procs=1", many_change, NULL), 0);
	EXPECT_EQ(load_relaxed(&ran), 8);
}

// ---- Timers go on

static void
sleep_long(void *unused)
{
	mn_sleep(300 * US);
	count_up(unused);
}

static void
sleepers_on_many_ps(void *unused)
{
	for (int i = 0; i < 200; i++) {
		mn_go(sleep_long, unused);
		if (i % 10 == 0)
			mn_procs(i % 20 ? 1 : 4);
	}
	mn_procs(1);
}

static void
test_timers_of_ps_that_go(void)
{
	for (int i = 0; i < 10; i++) {
		store_relaxed(&ran, 0);
		EXPECT_EQ(rig_run("procs=4", sleepers_on_many_ps, NULL), 0);
		EXPECT_EQ(load_relaxed(&ran), 200);
	}
}

int
main(void)
{
	RUN(test_answers);
	RUN(test_order_is_kept_when_shrinking);
	RUN(test_big_gomaxprocs);
	RUN(test_all_give_way);
	RUN(test_many_change_at_once);
	RUN(test_timers_of_ps_that_go);
	return test_result();
}
