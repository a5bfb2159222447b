// SPDX-License-Identifier: MIT
// netpoll_poller_test: the poller itself: breaks, who sleeps where, deadlocks. Opens sched/core/scheduler.h for its table.
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sched/core/scheduler.h"
#include "sched/tests/fds_run.h"

enum { MS = 1000000, MANY = 256 };
static const int64_t long_ns = 60ll * 1000 * MS, short_ns = 20ll * 1000 * MS;

// ---- TestNetpollBreak

static _Atomic int64_t slept;

static const struct poll_source *
poller(void)
{
	EXPECT_EQ(mn_netpoll_open(), 0);
	return load_acquire(&mn_sched.poller);
}

static void *
sleep_in_poller(void *unused)
{
	struct g *woken[MANY];
	int64_t begun = mn_now();

	(void)unused;
	EXPECT_EQ(poller()->poll(woken, MANY, long_ns), 0);
	store_release(&slept, mn_now() - begun);
	return NULL;
}

// The goroutine never gives way: its M is the only one, and no other hears the bell.
static void
break_sleep(void *unused)
{
	pthread_t thread;

	(void)unused;
	poller();
	store_relaxed(&slept, 0);
	pthread_create(&thread, NULL, sleep_in_poller, NULL);
	for (int i = 0; i < 100; i++) {
		poller()->interrupt();
		poller()->interrupt();
	}
	pthread_join(thread, NULL);
	EXPECT(load_acquire(&slept) < short_ns);
}

static void
test_TestNetpollBreak(void)
{
	EXPECT_EQ(rig_run("procs=1", break_sleep, NULL), 0);
}

// A break stays for the next poll that may block, once however many there were.
static void
break_ahead(void *unused)
{
	struct g *woken[MANY];
	int64_t begun = mn_now();

	(void)unused;
	for (int i = 0; i < 3; i++)
		poller()->interrupt();
	EXPECT_EQ(poller()->poll(woken, MANY, 0), 0);
	EXPECT_EQ(poller()->poll(woken, MANY, long_ns), 0);
	EXPECT(mn_now() - begun < short_ns);
	begun = mn_now();
	EXPECT_EQ(poller()->poll(woken, MANY, 3 * MS / 2), 0);
	EXPECT(mn_now() - begun >= 3 * MS / 2);
	// Nobody waits: a sleep without end would have none.
	EXPECT_EQ(poller()->poll(woken, MANY, -1), 0);
}

static void
test_break_is_kept_once(void)
{
	EXPECT_EQ(rig_run("procs=1", break_ahead, NULL), 0);
}

// ---- Timeouts in ns, and where the system has none, in ms rounded up

static void
sleep_all_times(void)
{
	static const int64_t times[] = { 1, 50000, 999999, 1000001, 2500000 };
	struct mn_os_poll p;
	struct mn_os_event e;

	EXPECT_EQ(mn_os_poll_open(&p), 0);
	for (size_t i = 0; i < array_len(times); i++) {
		int64_t begun = mn_now();

		EXPECT_EQ(mn_os_poll_wait(&p, &e, 1, times[i]), 0);
		EXPECT(mn_now() - begun >= times[i]);
	}
	mn_os_poll_close(&p);
}

static void
test_timeouts_are_not_short(void)
{
	sleep_all_times();
}

enum { NO_FILTER = 99 };

// For the calling process epoll_pwait2 is a call that does not exist.
static void
forbid_pwait2(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_epoll_pwait2, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { array_len(code), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		_exit(NO_FILTER);
}

static void
sleep_without_pwait2(void)
{
	int before = test_failures;

	forbid_pwait2();
	EXPECT_EQ(syscall(SYS_epoll_pwait2, -1, NULL, 0, NULL, NULL, 0), -1);
	EXPECT_EQ(errno, ENOSYS);
	sleep_all_times();
	_exit(test_failures > before);
}

static void
test_timeouts_without_pwait2(void)
{
	static struct rig_end end;

	rig_fork(sleep_without_pwait2, &end);
	EXPECT(WIFEXITED(end.status));
	if (WEXITSTATUS(end.status) == NO_FILTER)
		fprintf(stderr, "skipped: no system call filters here\n");
	else
		EXPECT_EQ(WEXITSTATUS(end.status), 0);
}

// ---- Who sleeps for timers also hears the network

static int fd[2];
static _Atomic bool late;

static void *
write_later(void *unused)
{
	(void)unused;
	usleep(20000);
	EXPECT_EQ(write(fd[1], "x", 1), 1);
	return NULL;
}

static void
be_late(void *unused)
{
	(void)unused;
	store_release(&late, true);
}

// A timer far away is started first, and an M lies down for it. Then, for the first time, somebody waits for the network.
static void
wait_beside_timer(void *unused)
{
	static struct mn_timer timer;
	pthread_t thread;
	char byte;

	(void)unused;
	timer = (struct mn_timer){ 0 };
	store_relaxed(&late, false);
	fds_pipe(fd);
	EXPECT_EQ(mn_timer_after(&timer, long_ns, be_late, NULL), 0);
	usleep(5000); // in which others lie down
	pthread_create(&thread, NULL, write_later, NULL);
	EXPECT_EQ(mn_read(fd[0], &byte, 1), 1);
	EXPECT(!load_acquire(&late));
	mn_timer_stop(&timer);
	pthread_join(thread, NULL);
	EXPECT_EQ(mn_close(fd[0]), 0);
	EXPECT_EQ(mn_close(fd[1]), 0);
}

static void
test_network_beside_a_far_timer(void)
{
	fds_run_everywhere(wait_beside_timer);
}

// ---- One poller at a time of each kind (golang/go#65064): seen from a table put in front of the true one

static const struct poll_source *true_source;
static _Atomic int inside[2], crowds; // [0]: polls that do not block, [1]: that may

static uint32_t
counted_poll(struct g **out, uint32_t max, int64_t timeout)
{
	_Atomic int *n = &inside[timeout != 0];
	uint32_t got;

	if (add_relaxed(n, 1) != 0)
		add_relaxed(&crowds, 1);
	got = true_source->poll(out, max, timeout);
	add_relaxed(n, -1);
	return got;
}

enum { PAIRS = 16, PASSES = 500 / RIG_SLOWER };

static void
pass_byte(void *arg)
{
	int end = *(int *)arg;
	char byte = 0;

	for (int i = 0; i < PASSES; i++) {
		EXPECT_EQ(mn_write(end, &byte, 1), 1);
		EXPECT_EQ(mn_read(end, &byte, 1), 1);
	}
}

static void
poll_from_all_sides(void *unused)
{
	static struct poll_source counting;
	static int pair[PAIRS][2];
	struct mn_task *tasks[2 * PAIRS];

	(void)unused;
	true_source = poller();
	counting = *true_source;
	counting.poll = counted_poll;
	mn_source_poller(&counting);
	for (int i = 0; i < PAIRS; i++) {
		fds_pair(pair[i]);
		for (int k = 0; k < 2; k++)
			tasks[2 * i + k] = mn_spawn(pass_byte, &pair[i][k]);
	}
	for (int i = 0; i < 2 * PAIRS; i++) {
		mn_join(tasks[i]);
		EXPECT_EQ(mn_close(pair[i / 2][i % 2]), 0);
	}
}

static void
test_one_poller_at_a_time(void)
{
	EXPECT_EQ(rig_run("procs=4 spin=all", poll_from_all_sides, NULL), 0);
	EXPECT_EQ(load_relaxed(&crowds), 0);
	EXPECT_EQ(load_relaxed(&inside[0]) + load_relaxed(&inside[1]), 0);
}

// ---- TestNetpollDeadlock: the poller being there is no reason to wait for ever

static struct mn_wait_group never;

static void
wait_for_nobody(void *unused)
{
	(void)unused;
	poller();
	mn_wait_group_add(&never, 1);
	mn_wait_group_wait(&never);
}

static void
read_until_closed(void *unused)
{
	char byte;

	(void)unused;
	mn_read(fd[0], &byte, 1);
}

// The last one that waited for I/O is sent away by another goroutine, while an M sleeps for it.
static void
close_and_wait_for_nobody(void *unused)
{
	struct mn_task *reader;

	(void)unused;
	fds_pipe(fd);
	reader = mn_spawn(read_until_closed, NULL);
	fds_until_waiting(1);
	usleep(5000); // in which others lie down
	mn_close(fd[0]);
	mn_join(reader);
	wait_for_nobody(NULL);
}

static mn_fn in_child;
static const char *options;

static void
run_in_child(void)
{
	rig_run(options, in_child, NULL);
}

static void
expect_deadlock(mn_fn fn, const char *with)
{
	static struct rig_end end;

	in_child = fn;
	options = with;
	rig_fork(run_in_child, &end);
	EXPECT(WIFEXITED(end.status) && WEXITSTATUS(end.status) == 2);
	EXPECT(strstr(end.text, "fatal error: all goroutines are asleep - deadlock!") != NULL);
}

static void
test_TestNetpollDeadlock(void)
{
	expect_deadlock(wait_for_nobody, "procs=1");
	expect_deadlock(wait_for_nobody, "procs=2");
	expect_deadlock(close_and_wait_for_nobody, "procs=1");
	expect_deadlock(close_and_wait_for_nobody, "procs=2");
}

// ---- Misuse inside: two waiters on one side

static void
wait_twice(void *unused)
{
	struct poll_desc *d;

	(void)unused;
	fds_pipe(fd);
	mn_go(read_until_closed, NULL);
	fds_until_waiting(1);
	EXPECT_EQ(mn_desc_enter(fd[0], &d), 0);
	mn_netpoll_wait(d, POLL_READ);
}

static void
test_double_wait_is_fatal(void)
{
	static struct rig_end end;

	in_child = wait_twice;
	options = "procs=1";
	rig_fork(run_in_child, &end);
	EXPECT(WIFEXITED(end.status) && WEXITSTATUS(end.status) == 2);
	EXPECT(strstr(end.text, "fatal error: netpoll: double wait") != NULL);
}

int
main(void)
{
	RUN(test_TestNetpollBreak);
	RUN(test_break_is_kept_once);
	RUN(test_timeouts_are_not_short);
	RUN(test_timeouts_without_pwait2);
	RUN(test_network_beside_a_far_timer);
	RUN(test_one_poller_at_a_time);
	RUN(test_TestNetpollDeadlock);
	RUN(test_double_wait_is_fatal);
	return test_result();
}
