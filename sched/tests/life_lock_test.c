// SPDX-License-Identifier: MIT
// life_lock_test: goroutines that are locked to their threads: they keep them over everything, nobody else runs there, and a thread
// whose goroutine ends locked is gone.
// Opens internals, to see what a thread is locked to.
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sched/core/park.h"
#include "sched/core/scheduler.h"
#include "sched/tests/rig.h"

enum { MS = 1000 * 1000, ROUNDS = 200 / RIG_SLOWER + 10 };

static NOINLINE pid_t
own_tid(void)
{
	return gettid();
}

// ---- Nesting

static bool
locked_here(void)
{
	return mn_m()->locked_g == mn_self_g();
}

static void
nest(void *unused)
{
	(void)unused;
	mn_unlock_thread(); // without lock: nothing
	EXPECT(!locked_here());
	mn_lock_thread();
	EXPECT(locked_here());
	mn_lock_thread();
	mn_unlock_thread();
	EXPECT(locked_here());
	mn_unlock_thread();
	EXPECT(!locked_here());
	mn_unlock_thread();
	mn_lock_thread();
	EXPECT(locked_here());
	mn_unlock_thread();
	EXPECT(!locked_here());
}

static void
test_locks_nest(void)
{
	EXPECT_EQ(rig_run("procs=1", nest, NULL), 0);
	EXPECT_EQ(rig_run("procs=4", nest, NULL), 0);
}

// ---- The same thread over everything

enum { KEEPERS = 4 };
static _Atomic pid_t taken[KEEPERS];
static _Atomic int keepers, intruders;

static void
look_where_we_are(void)
{
	pid_t tid = own_tid();

	for (int i = 0; i < KEEPERS; i++)
		if (load_acquire(&taken[i]) == tid)
			add_relaxed(&intruders, 1);
}

static void
stranger(void *left)
{
	look_where_we_are();
	if ((intptr_t)left > 0)
		mn_go(stranger, (void *)((intptr_t)left - 1));
	mn_yield();
	look_where_we_are();
	mn_syscall_enter();
	mn_syscall_exit();
	look_where_we_are();
}

static void
nothing(void *unused)
{
	(void)unused;
}

static void
one_round(int i)
{
	switch (i % 6) {
	case 0:
		mn_yield();
		break;
	case 1:
		mn_sleep(1000 * (i % 50));
		break;
	case 2:
		mn_syscall_enter();
		mn_syscall_exit();
		break;
	case 3:
		mn_blocking_enter();
		usleep(10);
		mn_blocking_exit();
		break;
	case 4:
		mn_join(mn_spawn(nothing, NULL));
		break;
	default:
		mn_go(stranger, NULL);
		mn_check();
	}
}

static void
keep_a_thread(void *number)
{
	pid_t tid;
	int strayed = 0;

	mn_lock_thread();
	tid = own_tid();
	store_release(&taken[(intptr_t)number], tid);
	for (int i = 0; i < ROUNDS; i++) {
		one_round(i);
		strayed += own_tid() != tid;
	}
	EXPECT_EQ(strayed, 0);
	store_release(&taken[(intptr_t)number], 0);
	mn_unlock_thread();
	add_acq_rel(&keepers, 1);
}

static void
keepers_and_strangers(void *unused)
{
	(void)unused;
	memset((void *)taken, 0, sizeof(taken));
	store_relaxed(&keepers, 0);
	for (intptr_t i = 0; i < KEEPERS; i++) {
		mn_go(keep_a_thread, (void *)i);
		mn_go(stranger, (void *)(intptr_t)ROUNDS);
	}
}

static void
keep(const char *options)
{
	store_relaxed(&intruders, 0);
	EXPECT_EQ(rig_run(options, keepers_and_strangers, NULL), 0);
	EXPECT_EQ(load_relaxed(&keepers), KEEPERS);
	EXPECT_EQ(load_relaxed(&intruders), 0);
}

static void
test_a_locked_goroutine_keeps_its_thread(void)
{
	keep("procs=1");
	keep("procs=2");
	keep("procs=4");
	keep("procs=2 handoff=immediate");
	keep("procs=2 queue=global");
	keep("procs=4 pin=close spin=none");
}

// ---- Hand to hand

static _Atomic int turn;

static void
ping_pong(void *me)
{
	int my_turn = (int)(intptr_t)me;

	mn_lock_thread();
	for (int i = 0; i < ROUNDS; i++) {
		while (load_acquire(&turn) != my_turn)
			mn_yield();
		store_release(&turn, !my_turn);
	}
	mn_unlock_thread();
}

static void
two_locked(void *unused)
{
	(void)unused;
	store_relaxed(&turn, 0);
	mn_go(ping_pong, (void *)(intptr_t)0);
	mn_go(ping_pong, (void *)(intptr_t)1);
}

static void
test_locked_ping_pong(void)
{
	for (int procs = 1; procs <= 4; procs *= 2) {
		EXPECT_EQ(rig_run_at("procs=%d", procs, two_locked, NULL), 0);
		EXPECT_EQ(load_relaxed(&turn), 0);
	}
}

// A join of a locked one parks: its child runs elsewhere, for nobody else may run here.
static void
tell_tid(void *tid)
{
	*(pid_t *)tid = own_tid();
}

static void
join_locked(void *unused)
{
	pid_t child = 0;

	(void)unused;
	mn_lock_thread();
	mn_join(mn_spawn(tell_tid, &child));
	EXPECT(child != 0 && child != own_tid());
	mn_unlock_thread();
}

static void
test_children_of_a_locked_one_run_elsewhere(void)
{
	EXPECT_EQ(rig_run("procs=1", join_locked, NULL), 0);
	EXPECT_EQ(rig_run("procs=2", join_locked, NULL), 0);
}

// ---- Ended while locked

static _Atomic pid_t lost;

static void
end_locked(void *unused)
{
	(void)unused;
	mn_lock_thread();
	mn_lock_thread();
	store_release(&lost, own_tid());
}

static void
exit_locked(void *unused)
{
	end_locked(unused);
	mn_exit();
}

static bool
thread_lives(pid_t tid)
{
	return tgkill(getpid(), tid, 0) == 0 || errno != ESRCH;
}

// Main keeps the caller's thread, so that the other has one of ours; it waits until the system has no such thread any more.
static void
watch_it_go(void *fn)
{
	mn_lock_thread();
	EXPECT_EQ(own_tid(), getpid());
	for (int i = 0; i < 20; i++) {
		store_relaxed(&lost, 0);
		mn_go(*(mn_fn *)fn, NULL);
		while (!load_acquire(&lost))
			mn_yield();
		EXPECT(load_acquire(&lost) != getpid());
		while (thread_lives(load_acquire(&lost)))
			mn_sleep(MS / 10);
	}
	mn_unlock_thread();
}

static void
test_exit_while_locked_ends_the_thread(void)
{
	static mn_fn ways[] = { end_locked, exit_locked };

	for (int i = 0; i < 2; i++)
		for (int procs = 1; procs <= 4; procs *= 2)
			EXPECT_EQ(rig_run_at("procs=%d", procs, watch_it_go, &ways[i]), 0);
}

static _Atomic int elsewhere, on_callers;

static void
run_elsewhere(void *left)
{
	add_relaxed(own_tid() == getpid() ? &on_callers : &elsewhere, 1);
	mn_sleep(MS / 10);
	add_relaxed(own_tid() == getpid() ? &on_callers : &elsewhere, 1);
	if ((intptr_t)left > 0)
		mn_go(run_elsewhere, (void *)((intptr_t)left - 1));
}

// The caller's thread cannot end: it sleeps, and then mn_run returns on it.
static void
end_on_the_callers(void *unused)
{
	(void)unused;
	mn_lock_thread();
	EXPECT_EQ(own_tid(), getpid());
	mn_go(run_elsewhere, (void *)(intptr_t)19);
}

static void
test_exit_while_locked_on_the_callers_thread(void)
{
	for (int procs = 1; procs <= 4; procs *= 2) {
		store_relaxed(&elsewhere, 0);
		store_relaxed(&on_callers, 0);
		EXPECT_EQ(rig_run_at("procs=%d", procs, end_on_the_callers, NULL), 0);
		EXPECT_EQ(load_relaxed(&elsewhere), 40);
		EXPECT_EQ(load_relaxed(&on_callers), 0);
		EXPECT_EQ(own_tid(), getpid());
	}
}

// A whole crowd that ends so, beside one that goes on.
static _Atomic int ended;

static void
end_after_a_while(void *unused)
{
	(void)unused;
	mn_lock_thread();
	mn_yield();
	add_relaxed(&ended, 1);
}

static void
many_end_locked(void *unused)
{
	store_relaxed(&ended, 0);
	for (int i = 0; i < 50; i++) {
		mn_go(end_after_a_while, unused);
		if (i % 7 == 0)
			mn_yield();
	}
}

static void
test_many_end_locked(void)
{
	for (int procs = 1; procs <= 4; procs *= 2) {
		EXPECT_EQ(rig_run_at("procs=%d", procs, many_end_locked, NULL), 0);
		EXPECT_EQ(load_relaxed(&ended), 50);
	}
}

// A child that ends locked took nothing over: it ran as a part of its joiner, which must not stay locked.
static void
lock_and_end(void *unused)
{
	(void)unused;
	mn_lock_thread();
}

static void
join_one_that_locks(void *unused)
{
	mn_join(mn_spawn(lock_and_end, unused));
	EXPECT(!locked_here());
	EXPECT_EQ(mn_self_g()->stack->lock_depth, 0);
	mn_yield();
}

static void
test_a_child_that_ends_locked_does_not_lock_its_joiner(void)
{
	EXPECT_EQ(rig_run("procs=1", join_one_that_locks, NULL), 0);
	EXPECT_EQ(rig_run("procs=2", join_one_that_locks, NULL), 0);
}

// ---- Deadlocks

static struct mn_wait_group never;

static void
wait_locked(void *unused)
{
	(void)unused;
	mn_lock_thread();
	mn_wait_group_add(&never, 1);
	mn_wait_group_wait(&never);
}

static void
wait_beside_a_locked_one(void *unused)
{
	mn_go(wait_locked, unused);
	mn_sleep(MS);
	mn_wait_group_add(&never, 1);
	mn_wait_group_wait(&never);
}

// Main has ended, and its thread is lost; who is left waits.
static void
leave_one_waiting(void *unused)
{
	mn_go(wait_locked, unused);
	mn_lock_thread();
}

static void
locked_deadlock(void)
{
	rig_run("procs=1", wait_locked, NULL);
}

static void
locked_deadlock_at_four(void)
{
	rig_run("procs=4", wait_locked, NULL);
}

static void
locked_deadlock_2(void)
{
	rig_run("procs=2", wait_beside_a_locked_one, NULL);
}

static void
locked_deadlock_2_at_one(void)
{
	rig_run("procs=1", wait_beside_a_locked_one, NULL);
}

static void
deadlock_without_the_callers_thread(void)
{
	rig_run("procs=2", leave_one_waiting, NULL);
}

static void
test_locked_deadlocks(void)
{
	static void (*const ways[])(void) = { locked_deadlock, locked_deadlock_at_four, locked_deadlock_2,
		                              locked_deadlock_2_at_one, deadlock_without_the_callers_thread };
	static const char text[] = "fatal error: all goroutines are asleep - deadlock!\n";

	for (size_t i = 0; i < array_len(ways); i++) {
		struct rig_end end;

		rig_fork(ways[i], &end);
		EXPECT(WIFEXITED(end.status));
		EXPECT_EQ(WEXITSTATUS(end.status), 2);
		EXPECT(strstr(end.text, text) != NULL);
	}
}

int
main(void)
{
	RUN(test_locks_nest);
	RUN(test_a_locked_goroutine_keeps_its_thread);
	RUN(test_locked_ping_pong);
	RUN(test_children_of_a_locked_one_run_elsewhere);
	RUN(test_exit_while_locked_ends_the_thread);
	RUN(test_exit_while_locked_on_the_callers_thread);
	RUN(test_many_end_locked);
	RUN(test_a_child_that_ends_locked_does_not_lock_its_joiner);
	RUN(test_locked_deadlocks);
	return test_result();
}
