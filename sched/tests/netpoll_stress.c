// SPDX-License-Identifier: MIT
// netpoll_stress: echo with every byte checked, ping-pong with a foreign thread, signals from all sides.
// `netpoll_stress [ROUNDS]`: round trips of each of the 64 connections.
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sched/base/rng.h"
#include "sched/tests/fds_run.h"

enum { CONNECTIONS = 64, MESSAGE_MAX = 5000, MS = 1000000 };

static uint32_t rounds = 100;
static uint64_t seed;

// ---- Echo

static bool
read_exactly(int fd, uint8_t *buf, size_t n)
{
	for (size_t done = 0; done < n;) {
		intptr_t got = mn_read(fd, buf + done, n - done);

		if (got <= 0)
			return false;
		done += (size_t)got;
	}
	return true;
}

static void
echo(void *arg)
{
	int fd = *(int *)arg;
	uint8_t buf[1000];
	intptr_t got;

	while ((got = mn_read(fd, buf, sizeof(buf))) > 0)
		EXPECT_EQ(mn_write(fd, buf, (size_t)got), got);
	EXPECT_EQ(got, 0);
	EXPECT_EQ(mn_close(fd), 0);
}

static _Atomic uint64_t echoed;

static void
talk(int fd, uint64_t stream)
{
	uint8_t *buf = malloc(MESSAGE_MAX);
	struct rng r;

	rng_seed(&r, seed, stream);
	for (uint32_t i = 0; i < rounds; i++) {
		// Short ones, and now and then one longer than the echo's buffer.
		size_t n = 1 + rng_below(&r, i % 8 ? 64 : MESSAGE_MAX);

		fds_pattern((uint32_t)stream + i, buf, n);
		EXPECT_EQ(mn_write(fd, buf, n), n);
		EXPECT(read_exactly(fd, buf, n));
		EXPECT_EQ(fds_differ((uint32_t)stream + i, buf, n), 0);
		add_relaxed(&echoed, 1);
	}
	EXPECT_EQ(mn_close(fd), 0);
	free(buf);
}

static int pairs[CONNECTIONS][2];

static void
talk_over_pair(void *arg)
{
	int *pair = arg;

	talk(pair[0], (uint64_t)(pair - pairs[0]));
}

static void
echo_over_pairs(void *unused)
{
	struct mn_task *tasks[2 * CONNECTIONS];

	(void)unused;
	store_relaxed(&echoed, 0);
	for (int i = 0; i < CONNECTIONS; i++) {
		fds_pair(pairs[i]);
		tasks[2 * i] = mn_spawn(echo, &pairs[i][1]);
		tasks[2 * i + 1] = mn_spawn(talk_over_pair, pairs[i]);
	}
	for (int i = 0; i < 2 * CONNECTIONS; i++)
		mn_join(tasks[i]);
	EXPECT_EQ(load_relaxed(&echoed), CONNECTIONS * (uint64_t)rounds);
}

static void
test_echo_over_socketpairs(void)
{
	fds_run_everywhere(echo_over_pairs);
}

static struct sockaddr_in where;
static int listener, accepted[CONNECTIONS];

static void
serve(void *unused)
{
	struct mn_task *tasks[CONNECTIONS];

	(void)unused;
	for (int i = 0; i < CONNECTIONS; i++) {
		accepted[i] = mn_accept(listener, NULL, NULL);
		EXPECT(accepted[i] >= 0);
		tasks[i] = mn_spawn(echo, &accepted[i]);
	}
	for (int i = 0; i < CONNECTIONS; i++)
		mn_join(tasks[i]);
	EXPECT_EQ(mn_close(listener), 0);
}

static void
call_and_talk(void *arg)
{
	int fd = fds_tcp();

	EXPECT_EQ(mn_connect(fd, &where, sizeof(where)), 0);
	talk(fd, *(uint32_t *)arg);
}

static void
echo_over_tcp(void *unused)
{
	static uint32_t streams[CONNECTIONS];
	struct mn_task *server, *tasks[CONNECTIONS];

	(void)unused;
	store_relaxed(&echoed, 0);
	listener = fds_listen(CONNECTIONS, &where);
	server = mn_spawn(serve, NULL);
	for (uint32_t i = 0; i < CONNECTIONS; i++) {
		streams[i] = 1000 * i;
		tasks[i] = mn_spawn(call_and_talk, &streams[i]);
	}
	for (int i = 0; i < CONNECTIONS; i++)
		mn_join(tasks[i]);
	mn_join(server);
	EXPECT_EQ(load_relaxed(&echoed), CONNECTIONS * (uint64_t)rounds);
}

static void
test_echo_over_tcp(void)
{
	fds_run_everywhere(echo_over_tcp);
}

// ---- A goroutine and a foreign thread: at each moment only one of them runs, so that a deadlock would be seen if a
// goroutine that has just been woken were counted nowhere (golang/go#61454)

enum { SERVES = 20000 / RIG_SLOWER };
static int there[2], back[2];

static void
dawdle(struct rng *r)
{
	for (uint32_t n = rng_below(r, 2) ? 0 : rng_below(r, 2000); n > 0; n--)
		cpu_pause();
}

static void *
return_balls(void *unused)
{
	struct rng r;
	uint32_t ball;

	(void)unused;
	rng_seed(&r, seed, 1);
	for (uint32_t i = 0; i < SERVES; i++) {
		fds_read_all(there[0], &ball, sizeof(ball));
		dawdle(&r);
		ball = ~ball;
		fds_write_all(back[1], &ball, sizeof(ball));
	}
	return NULL;
}

static void
serve_balls(void *unused)
{
	pthread_t thread;
	struct rng r;
	uint32_t ball;

	(void)unused;
	rng_seed(&r, seed, 2);
	fds_pipe(there);
	fds_pipe(back);
	EXPECT_EQ(pthread_create(&thread, NULL, return_balls, NULL), 0);
	for (uint32_t i = 0; i < SERVES; i++) {
		EXPECT_EQ(mn_write(there[1], &i, sizeof(i)), sizeof(i));
		dawdle(&r);
		EXPECT_EQ(mn_read(back[0], &ball, sizeof(ball)), sizeof(ball));
		EXPECT_EQ(ball, ~i);
	}
	pthread_join(thread, NULL);
	for (int i = 0; i < 2; i++) {
		EXPECT_EQ(mn_close(there[i]), 0);
		EXPECT_EQ(mn_close(back[i]), 0);
	}
}

static void
test_ping_pong_with_a_foreign_thread(void)
{
	fds_run_everywhere(serve_balls);
}

// ---- Signals at every thread, 1,000 a second each

static _Atomic bool storm_over;
static _Atomic uint32_t struck;

static void
strike(int signal)
{
	(void)signal;
	add_relaxed(&struck, 1);
}

static void *
storm(void *unused)
{
	(void)unused;
	while (!load_acquire(&storm_over)) {
		DIR *d = opendir("/proc/self/task");

		for (struct dirent *e; d && (e = readdir(d));)
			if (e->d_name[0] != '.')
				syscall(SYS_tgkill, getpid(), atoi(e->d_name), SIGUSR2);
		if (d)
			closedir(d);
		usleep(1000);
	}
	return NULL;
}

// Our threads block all signals; those that run a goroutine of this test do not.
static void
unblock(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static void
sleep_in_storm(void *unused)
{
	(void)unused;
	for (int i = 0; i < 50; i++) {
		int64_t begun = mn_now();

		unblock();
		mn_sleep(2 * MS);
		EXPECT(mn_now() - begun >= 2 * MS);
	}
}

static void
file_in_storm(void *unused)
{
	FILE *file = tmpfile();
	uint8_t block[4096] = { 0 };
	int fd = dup(fileno(file));

	(void)unused;
	fclose(file);
	for (int i = 0; i < 200; i++) {
		unblock();
		EXPECT_EQ(mn_write(fd, block, sizeof(block)), sizeof(block));
	}
	EXPECT_EQ(mn_close(fd), 0);
}

static void
talk_in_storm(void *unused)
{
	struct mn_task *tasks[] = { mn_spawn(sleep_in_storm, NULL), mn_spawn(file_in_storm, NULL) };

	unblock();
	serve_balls(NULL);
	echo_over_tcp(unused);
	for (size_t i = 0; i < array_len(tasks); i++)
		mn_join(tasks[i]);
}

static void
test_TestEINTR(void)
{
	struct sigaction act = { .sa_handler = strike };
	pthread_t thread;
	uint32_t before = rounds;

	rounds = 10;
	store_relaxed(&struck, 0);
	store_relaxed(&storm_over, false);
	sigaction(SIGUSR2, &act, NULL); // without SA_RESTART
	pthread_create(&thread, NULL, storm, NULL);
	EXPECT_EQ(rig_run("procs=2", talk_in_storm, NULL), 0);
	store_release(&storm_over, true);
	pthread_join(thread, NULL);
	EXPECT(load_relaxed(&struck) > 10);
	signal(SIGUSR2, SIG_IGN);
	rounds = before;
}

int
main(int argc, char **argv)
{
	rounds = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : rounds / RIG_SLOWER;
	seed = mn_os_entropy();
	fprintf(stderr, "seed %llu, %u rounds\n", (unsigned long long)seed, rounds);
	RUN(test_echo_over_socketpairs);
	RUN(test_echo_over_tcp);
	RUN(test_ping_pong_with_a_foreign_thread);
	RUN(test_TestEINTR);
	return test_result();
}
