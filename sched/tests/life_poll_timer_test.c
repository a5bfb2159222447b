// SPDX-License-Identifier: MIT
// life_poll_timer_test: a goroutine that the network woke computes for long on the M that slept for all sources; timers must then be
// looked after by another.
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sched/tests/rig.h"

static int ends[2];
static struct mn_wait_group done;
static _Atomic int rang;
static struct mn_timer alarm_clock;

static void
ring(void *arg)
{
	(void)arg;
	rang = 1;
}

// Woken by the poller, then never calls the library until the timer has fired.
static void
reader(void *arg)
{
	char c;

	(void)arg;
	EXPECT_EQ(mn_read(ends[0], &c, 1), 1);
	while (!rang)
		continue;
	mn_wait_group_done(&done);
}

static void *
writer(void *arg)
{
	(void)arg;
	usleep(20000);
	EXPECT_EQ(write(ends[1], "x", 1), 1);
	return NULL;
}

static void
first(void *arg)
{
	pthread_t thread;

	(void)arg;
	EXPECT_EQ(pthread_create(&thread, NULL, writer, NULL), 0);
	EXPECT_EQ(mn_timer_after(&alarm_clock, 60 * 1000 * 1000, ring, NULL), 0);
	mn_wait_group_add(&done, 1);
	mn_go(reader, NULL);
	mn_wait_group_wait(&done);
	mn_blocking_enter();
	pthread_join(thread, NULL);
	mn_blocking_exit();
	EXPECT_EQ(mn_close(ends[0]), 0);
}

static void
test_timers_beside_a_polled_computation(void)
{
	for (int i = 0; i < 5; i++) {
		rang = 0;
		EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
		EXPECT_EQ(rig_run("procs=2", first, NULL), 0);
		close(ends[1]);
	}
}

int
main(void)
{
	RUN(test_timers_beside_a_polled_computation);
	return test_result();
}
