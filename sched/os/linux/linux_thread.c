// SPDX-License-Identifier: MIT
// linux_thread.c: threads, futex, time.
#include "sched/os/os.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "sched/base/check.h"

// used: link-time optimisation does not see the name in the asm that reads it.
__attribute__((used)) __thread void *mn_os_self_slot;

void
mn_os_set_self(void *self)
{
	mn_os_self_slot = self;
	__asm__ volatile("" ::: "memory"); // before any of the asm that reads it
}

struct start {
	void (*fn)(void *);
	void *arg;
};

static void *
enter(void *boxed)
{
	struct start start = *(struct start *)boxed;

	free(boxed);
	start.fn(start.arg);
	return NULL;
}

static int
create(pthread_t *thread, size_t stack_size, struct start *start)
{
	pthread_attr_t attr;
	int error = pthread_attr_init(&attr);

	if (error)
		return error;
	if (stack_size)
		error = pthread_attr_setstacksize(&attr, stack_size);
	if (!error)
		error = pthread_create(thread, &attr, enter, start);
	pthread_attr_destroy(&attr);
	return error;
}

static const int own_faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS };

int
mn_os_thread_start(struct mn_os_thread *t, void (*fn)(void *), void *arg, size_t stack_size)
{
	struct start *start = malloc(sizeof(*start));
	sigset_t all, before;
	pthread_t thread;
	int error;

	if (!start)
		return -ENOMEM;
	*start = (struct start){ fn, arg };
	// The host's signals are the host's threads' business: ours inherit a full mask, but for what a thread does to itself,
	// which the system answers with the end of the process if it is blocked.
	sigfillset(&all);
	for (size_t i = 0; i < array_len(own_faults); i++)
		sigdelset(&all, own_faults[i]);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = create(&thread, stack_size, start);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error) {
		free(start);
		return -error;
	}
	t->handle = thread;
	return 0;
}

void
mn_os_thread_join(struct mn_os_thread *t)
{
	CHECK(pthread_join(t->handle, NULL) == 0);
}

void
mn_os_thread_self(struct mn_os_thread *t)
{
	t->handle = pthread_self();
}

static struct timespec
timespec_of(int64_t ns)
{
	return (struct timespec){ .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };
}

void
mn_os_wait(_Atomic uint32_t *word, uint32_t expected, int64_t timeout)
{
	struct timespec limit = timespec_of(timeout < 0 ? 0 : timeout);

	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, timeout < 0 ? NULL : &limit, NULL, 0);
}

void
mn_os_wake(_Atomic uint32_t *word, int n)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, n, NULL, NULL, 0);
}

void
mn_os_sleep(int64_t ns)
{
	struct timespec left = timespec_of(ns);

	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR)
		continue;
}

void
mn_os_sleep_precisely(void)
{
	prctl(PR_SET_TIMERSLACK, 1);
}

int64_t
mn_os_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000 + now.tv_nsec;
}

int
mn_os_current_pu(void)
{
	int pu = sched_getcpu();

	return pu < 0 ? -errno : pu;
}

int
mn_os_num_pus(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		return CPU_COUNT(&set);
	// More processors than the fixed set holds: then the mask is not what limits us.
	return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

uint64_t
mn_os_entropy(void)
{
	uint64_t seed;

	if (getrandom(&seed, sizeof(seed), 0) != sizeof(seed))
		seed = (uint64_t)mn_os_now();
	return seed;
}
