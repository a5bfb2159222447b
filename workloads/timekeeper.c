// SPDX-License-Identifier: MIT
// timekeeper.c: one thread, two pipes. All requests have the same delay, so their order is that of their deadlines and
// no heap is needed. One reply pipe for all callers, not one each: descriptors are scarcer than tasks.
#include "workloads/timekeeper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

// Smaller than PIPE_BUF, and the size of the pipe is a multiple of it: written and read whole.
struct request {
	int64_t at_ns;
	uint64_t byte;
};

static int64_t
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void
sleep_until(int64_t at_ns)
{
	struct timespec t = { .tv_sec = at_ns / 1000000000, .tv_nsec = at_ns % 1000000000 };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
}

// Ends when the write end of the requests is closed.
static void *
keep_time(void *arg)
{
	struct timekeeper *k = arg;
	struct request batch[64];
	ssize_t got;

	// 1 ns in place of 50 us: replies come when they are due.
	prctl(PR_SET_TIMERSLACK, 1);
	while ((got = read(k->request[0], batch, sizeof(batch))) > 0) {
		for (size_t i = 0; i < (size_t)got / sizeof(batch[0]); i++) {
			uint8_t byte = (uint8_t)batch[i].byte;

			sleep_until(batch[i].at_ns);
			if (write(k->reply[1], &byte, 1) != 1)
				return NULL;
		}
	}
	return NULL;
}

static void
close_pipe(int fd[2])
{
	close(fd[0]);
	close(fd[1]);
}

// With all signals blocked: those of the process are for its other threads.
static int
start_thread(struct timekeeper *k)
{
	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	int error = pthread_create(&k->thread, NULL, keep_time, k);

	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return -error;
}

int
timekeeper_start(struct timekeeper *k, int64_t delay_ns)
{
	int error;

	k->delay_ns = delay_ns;
	if (pipe2(k->request, O_CLOEXEC) != 0)
		return -errno;
	if (pipe2(k->reply, O_CLOEXEC) != 0) {
		error = -errno;
		goto close_request;
	}
	error = start_thread(k);
	if (error)
		goto close_reply;
	return 0;
close_reply:
	close_pipe(k->reply);
close_request:
	close_pipe(k->request);
	return error;
}

void
timekeeper_stop(struct timekeeper *k)
{
	close(k->request[1]);
	pthread_join(k->thread, NULL);
	close(k->request[0]);
	close_pipe(k->reply);
}

// A signal (preemption is one) may interrupt either call before it has moved a byte.
int
timekeeper_wait(struct timekeeper *k, uint8_t byte)
{
	struct request r = { .at_ns = now_ns() + k->delay_ns, .byte = byte };
	uint8_t answer;
	ssize_t n;

	do
		n = write(k->request[1], &r, sizeof(r));
	while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof(r))
		return n < 0 ? -errno : -EIO;
	do
		n = read(k->reply[0], &answer, 1);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		return n < 0 ? -errno : -EIO;
	return answer;
}
