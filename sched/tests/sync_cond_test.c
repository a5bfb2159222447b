// SPDX-License-Identifier: MIT
// sync_cond_test: a signal wakes one, the one that has waited longest; a broadcast wakes all; no signal is lost or stolen.
// Opens sched/core/scheduler.h for the state of goroutines: who is asleep.
#include "sched/core/scheduler.h"

#include <string.h>

#include "sched/core/park.h"
#include "sched/tests/rig.h"

static const int procs[] = { 1, 2, 4 };

static struct mn_cond cond;
static struct mn_mutex m;

static void
reset(void)
{
	memset(&cond, 0, sizeof(cond));
	memset(&m, 0, sizeof(m));
}

// Waits, letting others run, until *n is what is wanted.
static void
until(_Atomic int *n, int want)
{
	while (load_acquire(n) != want)
		mn_yield();
}

static void
count_sleeper(struct g *g, void *n)
{
	*(int *)n += g_status(g) == G_WAITING && g->reason == WAIT_COND;
}

// Goroutines parked in mn_cond_wait. On one P only: elsewhere others move on while one looks.
static int
sleepers(void)
{
	int n = 0;

	mn_g_each(&mn_sched.gs, count_sleeper, &n);
	return n;
}

// ---- Signal

enum { GENERATIONS = 100 };

static _Atomic int running, awake;
static int order[GENERATIONS]; // guarded by m
static int n_order;

static void
wait_in_order(void *arg)
{
	mn_mutex_lock(&m);
	add_acq_rel(&running, 1);
	mn_cond_wait(&cond, &m);
	order[n_order++] = *(const int *)arg;
	add_acq_rel(&awake, 1);
	mn_mutex_unlock(&m);
}

// Each of them is known to have drawn its ticket before the next comes: it holds the mutex from before `running` until then.
static void
start_waiters(int n)
{
	static int number[GENERATIONS];

	for (int i = 0; i < n; i++) {
		number[i] = i;
		mn_go(wait_in_order, &number[i]);
		until(&running, i + 1);
		mn_mutex_lock(&m);
		mn_mutex_unlock(&m);
	}
}

static void
signal_one_by_one(void *arg)
{
	int n = *(const int *)arg;

	start_waiters(n);
	for (int i = 0; i < n; i++) {
		EXPECT_EQ(load_relaxed(&awake), i);
		if (mn_num_procs() == 1) {
			while (sleepers() != n - i)
				mn_yield();
		}
		mn_mutex_lock(&m);
		mn_cond_signal(&cond);
		mn_mutex_unlock(&m);
		until(&awake, i + 1);
	}
	mn_cond_signal(&cond); // nobody there: of no effect
}

static void
signal_waiters(int n)
{
	for (size_t i = 0; i < array_len(procs); i++) {
		reset();
		store_relaxed(&running, 0);
		store_relaxed(&awake, 0);
		n_order = 0;
		EXPECT_EQ(rig_run_at("procs=%d", procs[i], signal_one_by_one, &n), 0);
		EXPECT_EQ(n_order, n);
		for (int at = 0; at < n; at++)
			EXPECT_EQ(order[at], at);
	}
}

static void
test_cond_signal(void)
{
	signal_waiters(2);
}

static void
test_cond_signal_generations(void)
{
	signal_waiters(GENERATIONS);
}

// Signals come all at once: the waiters need not come to run, let alone to the mutex, in order, but each comes once.
static void
signal_at_once(void *unused)
{
	(void)unused;
	start_waiters(GENERATIONS);
	for (int i = 0; i < GENERATIONS; i++)
		mn_cond_signal(&cond);
}

static void
test_as_many_woken_as_signalled(void)
{
	for (size_t i = 0; i < array_len(procs); i++) {
		reset();
		store_relaxed(&running, 0);
		store_relaxed(&awake, 0);
		n_order = 0;
		EXPECT_EQ(rig_run_at("procs=%d", procs[i], signal_at_once, NULL), 0);
		EXPECT_EQ(load_relaxed(&awake), GENERATIONS);
	}
}

// ---- Broadcast, round after round

enum { CROWD = 200, ROUNDS = 20 };

static int asleep, round_no, returns; // guarded by m
static bool over;

static void
wait_for_rounds(void *unused)
{
	(void)unused;
	mn_mutex_lock(&m);
	while (!over) {
		int now = round_no;

		asleep++;
		mn_cond_wait(&cond, &m);
		returns++;
		EXPECT_EQ(round_no, now + 1);
	}
	mn_mutex_unlock(&m);
}

static void
broadcast_rounds(void *unused)
{
	(void)unused;
	for (int i = 0; i < CROWD; i++)
		mn_go(wait_for_rounds, NULL);
	mn_mutex_lock(&m);
	while (round_no < ROUNDS) {
		if (asleep < CROWD) {
			mn_mutex_unlock(&m);
			mn_yield();
			mn_mutex_lock(&m);
			continue;
		}
		asleep = 0;
		over = ++round_no == ROUNDS;
		mn_cond_broadcast(&cond);
	}
	mn_mutex_unlock(&m);
}

static void
test_cond_broadcast(void)
{
	for (size_t i = 0; i < array_len(procs); i++) {
		reset();
		asleep = round_no = returns = 0;
		over = false;
		EXPECT_EQ(rig_run_at("procs=%d", procs[i], broadcast_rounds, NULL), 0);
		EXPECT_EQ(returns, CROWD * ROUNDS);
	}
}

static void
broadcast_to_nobody(void *unused)
{
	(void)unused;
	mn_cond_broadcast(&cond);
	mn_cond_signal(&cond);
	EXPECT_EQ(sleepers(), 0);
}

static void
test_nobody_waits(void)
{
	reset();
	EXPECT_EQ(rig_run("procs=1", broadcast_to_nobody, NULL), 0);
}

// ---- Race: three hand a value on through one condition

static int x; // guarded by m

static void
first_and_last(void *unused)
{
	(void)unused;
	mn_mutex_lock(&m);
	x = 1;
	mn_cond_wait(&cond, &m);
	EXPECT_EQ(x, 2);
	x = 3;
	mn_cond_signal(&cond);
	mn_mutex_unlock(&m);
}

static void
second(void *unused)
{
	bool seen = false;

	(void)unused;
	while (!seen) {
		mn_mutex_lock(&m);
		if (x == 1) {
			x = 2;
			mn_cond_signal(&cond);
			seen = true;
		}
		mn_mutex_unlock(&m);
		mn_yield();
	}
}

static void
third(void *unused)
{
	bool seen = false;

	(void)unused;
	while (!seen) {
		mn_mutex_lock(&m);
		if (x == 2) {
			mn_cond_wait(&cond, &m);
			EXPECT_EQ(x, 3);
			seen = true;
		} else {
			seen = x == 3;
		}
		mn_mutex_unlock(&m);
		mn_yield();
	}
}

static void
start_race(void *unused)
{
	(void)unused;
	mn_go(first_and_last, NULL);
	mn_go(second, NULL);
	mn_go(third, NULL);
}

static void
test_cond_race(void)
{
	for (int i = 0; i < 300 / RIG_SLOWER + 3; i++) {
		reset();
		x = 0;
		EXPECT_EQ(rig_run_at("procs=%d", procs[(size_t)i % array_len(procs)], start_race, NULL), 0);
		EXPECT_EQ(x, 3);
	}
}

// ---- A signal is for who waited when it was sent: a later waiter does not get it

enum { THEFTS = 1000 / RIG_SLOWER };

static _Atomic int first_waits, first_done, second_done;
static bool condition; // guarded by m

static void
wait_first(void *unused)
{
	(void)unused;
	mn_mutex_lock(&m);
	add_acq_rel(&first_waits, 1);
	mn_cond_wait(&cond, &m);
	mn_mutex_unlock(&m);
	add_acq_rel(&first_done, 1);
}

static void
wait_second(void *unused)
{
	(void)unused;
	mn_mutex_lock(&m);
	while (!condition)
		mn_cond_wait(&cond, &m);
	mn_mutex_unlock(&m);
	add_acq_rel(&second_done, 1);
}

static void
one_theft(int i)
{
	condition = false;
	mn_go(wait_first, NULL);
	until(&first_waits, i + 1);
	mn_mutex_lock(&m); // it has drawn its ticket
	mn_mutex_unlock(&m);
	mn_go(wait_second, NULL);
	mn_cond_signal(&cond);     // races with the second's coming
	until(&first_done, i + 1); // for ever, if the second had it
	mn_mutex_lock(&m);
	condition = true;
	mn_mutex_unlock(&m);
	mn_cond_broadcast(&cond);
	until(&second_done, i + 1);
}

static void
try_thefts(void *unused)
{
	(void)unused;
	for (int i = 0; i < THEFTS; i++)
		one_theft(i);
}

static void
test_cond_signal_stealing(void)
{
	for (size_t i = 0; i < array_len(procs); i++) {
		reset();
		store_relaxed(&first_waits, 0);
		store_relaxed(&first_done, 0);
		store_relaxed(&second_done, 0);
		EXPECT_EQ(rig_run_at("procs=%d", procs[i], try_thefts, NULL), 0);
		EXPECT_EQ(load_relaxed(&second_done), THEFTS);
	}
}

// ---- Tickets go round at 2^32

static void
test_tickets_wrap(void)
{
	static int n = 4;

	reset();
	memset(cond.opaque, 0xff, 2 * sizeof(uint32_t)); // tickets drawn and called: both at 2^32 - 1
	store_relaxed(&running, 0);
	store_relaxed(&awake, 0);
	n_order = 0;
	EXPECT_EQ(rig_run("procs=1", signal_one_by_one, &n), 0);
	for (int at = 0; at < n; at++)
		EXPECT_EQ(order[at], at);
}

// ---- A signal belongs to the next ticket, even if its owner is not in the list yet

static void
signal_past_a_late_one(void *unused)
{
	static const uint32_t drawn = 1;

	(void)unused;
	memcpy(cond.opaque, &drawn, sizeof(drawn)); // the first ticket is drawn, its owner on the way
	start_waiters(1);
	while (sleepers() != 1)
		mn_yield();
	mn_cond_signal(&cond);
	EXPECT_EQ(sleepers(), 1);
	mn_cond_signal(&cond);
	EXPECT_EQ(sleepers(), 0);
}

static void
test_a_signal_waits_for_its_ticket(void)
{
	reset();
	store_relaxed(&running, 0);
	store_relaxed(&awake, 0);
	n_order = 0;
	EXPECT_EQ(rig_run("procs=1", signal_past_a_late_one, NULL), 0);
	EXPECT_EQ(load_relaxed(&awake), 1);
}

int
main(void)
{
	RUN(test_nobody_waits);
	RUN(test_cond_signal);
	RUN(test_cond_signal_generations);
	RUN(test_as_many_woken_as_signalled);
	RUN(test_cond_broadcast);
	RUN(test_cond_race);
	RUN(test_cond_signal_stealing);
	RUN(test_tickets_wrap);
	RUN(test_a_signal_waits_for_its_ticket);
	return test_result();
}
