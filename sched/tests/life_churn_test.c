// SPDX-License-Identifier: MIT
// life_churn_test: GOMAXPROCS changes a thousand times beside spawns, thefts, system calls, timers and locked goroutines. All that was
// started ends, each once, and the laws hold.

#include "sched/base/rng.h"
#include "sched/tests/rig.h"

enum { CHANGES = 1000 / RIG_SLOWER, US = 1000, KINDS = 6, WORKERS = 4, MOST = 60 };

static _Atomic int stop, started[KINDS], ended[KINDS];
static _Atomic int timers_due, timers_fired;
static uint64_t seed;

static void
one_ends(void *kind)
{
	add_relaxed(&ended[(intptr_t)kind], 1);
}

static void
spawn(intptr_t kind, mn_fn fn)
{
	add_relaxed(&started[kind], 1);
	EXPECT_EQ(mn_go(fn, (void *)kind), 0);
}

static void
yielder(void *kind)
{
	for (int i = 0; i < 3; i++)
		mn_yield();
	one_ends(kind);
}

static void
caller(void *kind)
{
	mn_syscall_enter();
	sched_yield();
	mn_syscall_exit();
	mn_blocking_enter();
	mn_blocking_exit();
	one_ends(kind);
}

static void
sleeper(void *kind)
{
	mn_sleep(50 * US);
	one_ends(kind);
}

static void
locked(void *kind)
{
	mn_lock_thread();
	mn_yield();
	mn_sleep(10 * US);
	mn_unlock_thread();
	one_ends(kind);
}

static void
joiner(void *kind)
{
	struct mn_task *child = mn_spawn(one_ends, kind);

	add_relaxed(&started[(intptr_t)kind], 1);
	mn_yield();
	mn_join(child);
	one_ends(kind);
}

static void
fired(void *unused)
{
	(void)unused;
	add_relaxed(&timers_fired, 1);
}

static void
timer_user(void *kind)
{
	struct mn_timer t = { 0 };

	EXPECT_EQ(mn_timer_after(&t, 20 * US, fired, NULL), 0);
	add_relaxed(&timers_due, 1);
	mn_yield();
	if (!mn_timer_reset(&t, 5 * US))
		add_relaxed(&timers_due, 1);
	mn_yield();
	if (mn_timer_stop(&t))
		add_relaxed(&timers_due, -1);
	one_ends(kind);
}

// As many at a time as keeps all Ps busy, and no more than would grow without end.
static void
worker(void *number)
{
	static const mn_fn kinds[KINDS] = { yielder, caller, sleeper, locked, joiner, timer_user };
	struct rng dice;

	rng_seed(&dice, (uint64_t)(uintptr_t)number, 3);
	while (!load_acquire(&stop)) {
		for (int i = 0; i < 8; i++) {
			intptr_t kind = rng_below(&dice, KINDS);

			spawn(kind, kinds[kind]);
		}
		do
			mn_sleep(100 * US);
		while (mn_num_goroutines() > MOST);
	}
}

static void
churn(void *unused)
{
	struct rng dice;
	int now = mn_procs(0);

	(void)unused;
	seed = mn_seed();
	rng_seed(&dice, seed, 4);
	for (intptr_t i = 0; i < WORKERS; i++)
		mn_go(worker, (void *)i);
	for (int i = 0; i < CHANGES; i++) {
		int next = 1 + (int)rng_below(&dice, 8);

		EXPECT_EQ(mn_procs(next), now);
		now = next;
		if (i % 3 == 0)
			mn_sleep(20 * US);
		else
			mn_yield();
	}
	store_release(&stop, 1);
}

static void
churn_with(const char *options)
{
	int all = 0;

	store_relaxed(&stop, 0);
	store_relaxed(&timers_due, 0);
	store_relaxed(&timers_fired, 0);
	for (int i = 0; i < KINDS; i++) {
		store_relaxed(&started[i], 0);
		store_relaxed(&ended[i], 0);
	}
	EXPECT_EQ(rig_run(options, churn, NULL), 0);
	for (int i = 0; i < KINDS; i++) {
		EXPECT_EQ(load_relaxed(&ended[i]), load_relaxed(&started[i]));
		all += load_relaxed(&started[i]);
	}
	EXPECT_EQ(load_relaxed(&timers_fired), load_relaxed(&timers_due));
	fprintf(stderr, "%s: seed %llu, %d goroutines\n", options, (unsigned long long)seed, all);
}

int
main(void)
{
	churn_with("procs=1");
	churn_with("procs=4");
	churn_with("procs=8 local_cap=4 slice_us=100");
	churn_with("procs=3 handoff=immediate spin=none");
	churn_with("procs=2 queue=global");
	churn_with("procs=2 victim=nearest steal=one pin=close");
	return test_result();
}
