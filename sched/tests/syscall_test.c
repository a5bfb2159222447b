// SPDX-License-Identifier: MIT
// syscall_test: a goroutine in a system call does not keep others from running, comes back with a P or through the global
// queue, and every call is accounted for. Opens sched/core/scheduler.h, to see where a P and a goroutine stand.
#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "sched/base/rng.h"
#include "sched/core/scheduler.h"
#include "sched/tests/rig.h"

static const char *const handoffs[] = { "sysmon", "immediate", "none" };
static const int procs[] = { 1, 2, 4 };

static int
run_at(int n, const char *handoff, mn_fn fn, void *arg)
{
	char options[128];

	snprintf(options, sizeof(options), "procs=%d handoff=%s", n, handoff);
	return rig_run(options, fn, arg);
}

// Whatever happened: a call kept its P, or lost it once and came back with another or through the global queue.
static void
expect_calls(uint64_t calls)
{
	struct mn_counters c = rig_total();

	EXPECT_EQ(c.syscalls, calls);
	EXPECT_EQ(c.handoffs, c.syscalls - c.syscalls_kept);
	EXPECT(c.run_returned <= c.handoffs);
	EXPECT(c.global_put >= c.handoffs - c.run_returned);
}

// ---- One P: blocked in a pipe until another goroutine writes

struct pipe_call {
	int fd[2];
	bool announced;
	char got;
};

static void
write_one(void *arg)
{
	struct pipe_call *c = arg;

	if (write(c->fd[1], "x", 1) != 1)
		c->got = '!';
}

static void
read_one(void *arg)
{
	struct pipe_call *c = arg;

	mn_go(write_one, c);
	if (c->announced)
		mn_blocking_enter();
	else
		mn_syscall_enter();
	if (read(c->fd[0], &c->got, 1) != 1)
		c->got = '?';
	if (c->announced)
		mn_blocking_exit();
	else
		mn_syscall_exit();
}

static void
expect_pipe(const char *handoff, bool announced)
{
	struct pipe_call c = { .announced = announced };

	EXPECT_EQ(pipe(c.fd), 0);
	EXPECT_EQ(run_at(1, handoff, read_one, &c), 0);
	EXPECT_EQ(c.got, 'x');
	expect_calls(1);
	EXPECT_EQ(rig_total().syscalls_kept, 0);
	EXPECT_EQ(rig_total().handoffs, 1);
	close(c.fd[0]);
	close(c.fd[1]);
}

static void
test_blocked_call_gives_its_p_away(void)
{
	for (int i = 0; i < 20; i++) {
		expect_pipe("sysmon", false);
		expect_pipe("immediate", false);
		expect_pipe("sysmon", true);
		expect_pipe("immediate", true);
	}
}

// ---- The ways back

static void
come_back_to_an_idle_p(void *unused)
{
	(void)unused;
	mn_blocking_enter();
	RIG_WAIT_UNTIL(load_acquire(&mn_sched.npidle) == 1);
	mn_blocking_exit();
	EXPECT_EQ(mn_p(), 0);
	EXPECT_EQ(mn_id(), 1);
}

static void
test_back_to_the_old_p_if_it_is_idle(void)
{
	EXPECT_EQ(run_at(1, "sysmon", come_back_to_an_idle_p, NULL), 0);
	expect_calls(1);
	EXPECT_EQ(rig_total().run_returned, 1);
	EXPECT_EQ(rig_total().global_put, 0);
	EXPECT_EQ(rig_total().executed, 2);
}

static _Atomic int in_call, may_return;

static void
call_until_told(void *unused)
{
	(void)unused;
	mn_blocking_enter();
	store_release(&in_call, 1);
	RIG_WAIT_UNTIL(load_acquire(&may_return));
	mn_blocking_exit();
}

static void
keep_the_p_until_it_is_queued(void *unused)
{
	mn_go(call_until_told, unused);
	mn_yield();
	RIG_WAIT_UNTIL(load_acquire(&in_call));
	store_release(&may_return, 1);
	RIG_WAIT_UNTIL(globq_len(&mn_sched.globq) == 1);
}

// The one P is another goroutine's, which does not let go of it.
static void
test_back_through_the_global_queue(void)
{
	for (int i = 0; i < 20; i++) {
		store_relaxed(&in_call, 0);
		store_relaxed(&may_return, 0);
		EXPECT_EQ(run_at(1, "sysmon", keep_the_p_until_it_is_queued, NULL), 0);
		expect_calls(1);
		EXPECT_EQ(rig_total().run_returned, 0);
		EXPECT_EQ(rig_total().handoffs, 1);
		EXPECT_EQ(rig_total().global_put, 2); // it, and main when it yielded
	}
}

// errno is a thread's, and what a call left there the goroutine's. Asked for anew each time, by a call of its own, for its
// address moves with the goroutine.
static NOINLINE int
errno_now(void)
{
	return errno;
}

static NOINLINE void
leave_errno(int value)
{
	errno = value;
}

static _Atomic int lost_errno;

static void
fail_in_calls(void *unused)
{
	int value = 1 + (int)(mn_id() % 100);

	(void)unused;
	for (int i = 0; i < 50; i++) {
		mn_blocking_enter();
		leave_errno(value);
		mn_blocking_exit();
		if (errno_now() != value)
			add_relaxed(&lost_errno, 1);
	}
}

static void
spawn_failing(void *unused)
{
	for (int i = 0; i < 50; i++)
		mn_go(fail_in_calls, unused);
}

static void
test_errno_comes_back_too(void)
{
	for (size_t i = 0; i < array_len(procs); i++) {
		EXPECT_EQ(run_at(procs[i], "sysmon", spawn_failing, NULL), 0);
		EXPECT_EQ(load_relaxed(&lost_errno), 0);
	}
}

// ---- Fast calls

enum { FAST = 20000 };

static void
call_fast(void *unused)
{
	(void)unused;
	for (int i = 0; i < FAST; i++) {
		mn_syscall_enter();
		mn_syscall_exit();
	}
}

static void
call_fast_announced(void *unused)
{
	(void)unused;
	for (int i = 0; i < FAST; i++) {
		mn_blocking_enter();
		mn_blocking_exit();
	}
}

static void
test_fast_calls_keep_the_p(void)
{
	for (size_t i = 0; i < array_len(procs); i++) {
		EXPECT_EQ(run_at(procs[i], "none", call_fast, NULL), 0);
		expect_calls(FAST);
		EXPECT_EQ(rig_total().syscalls_kept, FAST);
		EXPECT_EQ(run_at(procs[i], "none", call_fast_announced, NULL), 0);
		expect_calls(FAST);
		EXPECT_EQ(rig_total().syscalls_kept, FAST);
		EXPECT_EQ(run_at(procs[i], "sysmon", call_fast, NULL), 0);
		expect_calls(FAST);
		EXPECT(rig_total().syscalls_kept > 0);
	}
}

static void
call_some(void *unused)
{
	(void)unused;
	for (int i = 0; i < 500; i++) {
		mn_syscall_enter();
		mn_syscall_exit();
	}
}

static void
test_immediate_never_keeps_it(void)
{
	for (size_t i = 0; i < array_len(procs); i++) {
		EXPECT_EQ(run_at(procs[i], "immediate", call_some, NULL), 0);
		expect_calls(500);
		EXPECT_EQ(rig_total().syscalls_kept, 0);
	}
}

// ---- Many at once

static void
nap(long ns)
{
	struct timespec t = { .tv_nsec = ns };

	nanosleep(&t, NULL);
}

static _Atomic int naps;

static void
nap_five_times(void *unused)
{
	(void)unused;
	for (int i = 0; i < 5; i++) {
		mn_syscall_enter();
		nap(50000);
		mn_syscall_exit();
		add_relaxed(&naps, 1);
	}
}

static void
spawn_nappers(void *unused)
{
	for (int i = 0; i < 64; i++)
		mn_go(nap_five_times, unused);
}

static void
test_64_in_short_sleeps(void)
{
	for (size_t i = 0; i < array_len(procs); i++)
		for (size_t h = 0; h < array_len(handoffs); h++) {
			store_relaxed(&naps, 0);
			EXPECT_EQ(run_at(procs[i], handoffs[h], spawn_nappers, NULL), 0);
			EXPECT_EQ(load_relaxed(&naps), 320);
			expect_calls(320);
		}
}

// All 64 are in their calls at the same moment: had they no threads of their own, none would ever get out.
static _Atomic int together;

static void
call_together(void *unused)
{
	(void)unused;
	mn_blocking_enter();
	add_relaxed(&together, 1);
	RIG_WAIT_UNTIL(load_relaxed(&together) == 64);
	mn_blocking_exit();
}

static void
spawn_callers(void *unused)
{
	for (int i = 0; i < 64; i++)
		mn_go(call_together, unused);
}

static void
test_64_at_the_same_moment(void)
{
	for (size_t i = 0; i < array_len(procs); i++) {
		struct mn_stats s;

		store_relaxed(&together, 0);
		EXPECT_EQ(run_at(procs[i], "sysmon", spawn_callers, NULL), 0);
		mn_stats(&s);
		EXPECT(s.threads >= 64);
		expect_calls(64);
	}
}

// ---- A mixture

enum { MIXERS = 60, MIXED_OPS = 200 / (RIG_SLOWER > 4 ? 4 : RIG_SLOWER) };
static _Atomic int mixed, children, mixed_calls;
static int pipes[MIXERS][2];

static void
count_child(void *unused)
{
	(void)unused;
	add_relaxed(&children, 1);
}

static void
call_shortly(void *unused)
{
	(void)unused;
	mn_syscall_enter();
	nap(1000);
	mn_syscall_exit();
	add_relaxed(&mixed_calls, 1);
}

static void
write_and_read(int *fd)
{
	char c = 'c';

	mn_blocking_enter();
	if (write(fd[1], &c, 1) != 1 || read(fd[0], &c, 1) != 1)
		c = '!';
	mn_blocking_exit();
	if (c == 'c')
		add_relaxed(&mixed_calls, 1);
}

static void
do_one(uint32_t which, int *fd)
{
	switch (which) {
	case 0:
		mn_syscall_enter();
		mn_syscall_exit();
		add_relaxed(&mixed_calls, 1);
		break;
	case 1:
		call_shortly(NULL);
		break;
	case 2:
		write_and_read(fd);
		break;
	case 3:
		mn_yield();
		break;
	case 4:
		mn_join(mn_spawn(count_child, NULL));
		break;
	case 5: // a child that calls where it stands: on its joiner's stack
		mn_join(mn_spawn(call_shortly, NULL));
		add_relaxed(&children, 1);
		break;
	default:
		mn_go(count_child, NULL);
	}
}

static void
mix(void *arg)
{
	int *fd = arg;
	struct rng rng = { (uint64_t)fd[0] };

	for (int i = 0; i < MIXED_OPS; i++) {
		do_one(rng_below(&rng, 7), fd);
		add_relaxed(&mixed, 1);
	}
}

static void
spawn_mixers(void *unused)
{
	(void)unused;
	for (int i = 0; i < MIXERS; i++)
		mn_go(mix, pipes[i]);
}

static void
test_a_mixture(void)
{
	for (int i = 0; i < MIXERS; i++)
		EXPECT_EQ(pipe(pipes[i]), 0);
	for (size_t i = 0; i < array_len(procs); i++)
		for (size_t h = 0; h < array_len(handoffs); h++) {
			store_relaxed(&mixed, 0);
			store_relaxed(&children, 0);
			store_relaxed(&mixed_calls, 0);
			EXPECT_EQ(run_at(procs[i], handoffs[h], spawn_mixers, NULL), 0);
			EXPECT_EQ(load_relaxed(&mixed), MIXERS * MIXED_OPS);
			EXPECT_EQ(rig_total().spawned, 1 + MIXERS + load_relaxed(&children));
			expect_calls((uint64_t)load_relaxed(&mixed_calls));
		}
}

int
main(void)
{
	RUN(test_blocked_call_gives_its_p_away);
	RUN(test_back_to_the_old_p_if_it_is_idle);
	RUN(test_back_through_the_global_queue);
	RUN(test_errno_comes_back_too);
	RUN(test_fast_calls_keep_the_p);
	RUN(test_immediate_never_keeps_it);
	RUN(test_64_in_short_sleeps);
	RUN(test_64_at_the_same_moment);
	RUN(test_a_mixture);
	return test_result();
}
