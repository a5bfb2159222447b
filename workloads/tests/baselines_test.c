// SPDX-License-Identifier: MIT
// baselines_test.c: every workload, serially and with threads, gives the right answer, again and again on one setup;
// a wrong answer is refused; and what setup and threads_run do when the system refuses.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "workloads/tests/cases.h"
#include "workloads/tests/check.h"
#include "workloads/tests/faults.h"
#include "workloads/threads.h"
#include "workloads/work.h"

// A form that not every workload has.
static void
run_form(struct workload_run *run, const struct test_case *c, int (*form)(struct workload_run *), const char *name)
{
	int error = form ? form(run) : 0;

	check(error == 0, "%s: %s: %s", c->workload, name, strerror(-error));
	if (form)
		case_verify(run, c, name);
}

static void
test_all_cases(void)
{
	const struct test_case *c;
	struct workload_run run;

	for (int i = 0; (c = case_at(i)); i++) {
		case_setup(&run, c);
		for (int again = 0; again < 2; again++) {
			run.workload->serial(&run);
			case_verify(&run, c, "serial");
			run_form(&run, c, run.workload->threads, "threads");
			run_form(&run, c, run.workload->evloop, "evloop");
		}
		run.workload->teardown(&run);
		check(!run.state, "%s: teardown left its state", c->workload);
	}
}

// As asked for in the experiments: 200 tasks of 5 ms, 1000 of 3 ms. The rate is low, so this counts, not works.
static void
test_sizes_are_exact(void)
{
	struct workload_run run;
	char err[256];

	check(work_set_rate(1) == 0, "rate");
	workload_init(&run, workload_find("skewed"));
	check(workload_set(&run, "tasks", "200", err, sizeof(err)) == 0, "%s", err);
	check(workload_set(&run, "grain_ns", "5000000", err, sizeof(err)) == 0, "%s", err);
	check(run.workload->setup(&run) == 0, "setup");
	run.workload->serial(&run);
	check(run.result.tasks == 200, "%llu tasks", (unsigned long long)run.result.tasks);
	uint64_t sum = 0;

	for (uint64_t i = 0; i < 200; i++)
		sum += work_chain(5000, i % 4 + 1) * (2 * i + 1);
	check(run.result.checksum == sum, "not 200 times 5,000 iterations");
	run.workload->teardown(&run);
}

static void
test_setup_without_a_folder(void)
{
	static char long_name[8192];
	struct workload_run run;

	workload_init(&run, workload_find("syscall"));
	check(setenv("TMPDIR", "/nonexistent", 1) == 0, "setenv");
	check(run.workload->setup(&run) == -ENOENT, "a folder that is not there");
	memset(long_name, 'x', sizeof(long_name) - 1);
	check(setenv("TMPDIR", long_name, 1) == 0, "setenv");
	check(run.workload->setup(&run) == -ENAMETOOLONG, "a folder with a name too long");
	check(setenv("TMPDIR", "", 1) == 0, "setenv");
	check(run.workload->setup(&run) == 0, "an empty name means the default");
	run.workload->teardown(&run);
	unsetenv("TMPDIR");
}

static int
descriptors(void)
{
	int n = 0;

	for (int fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

// A file and two pipes need five descriptors: with n fewer, setup fails at each place in turn, and leaves none open.
static void
test_setup_without_descriptors(void)
{
	struct rlimit old, few;
	struct workload_run run;
	int next = dup(0), open_before = descriptors() - 1;

	check(next > 0 && close(next) == 0, "dup");
	check(getrlimit(RLIMIT_NOFILE, &old) == 0, "getrlimit");
	workload_init(&run, workload_find("syscall"));
	for (int n = 0; n < 5; n++) {
		few = (struct rlimit){ .rlim_cur = (rlim_t)(next + n), .rlim_max = old.rlim_max };
		check(setrlimit(RLIMIT_NOFILE, &few) == 0, "setrlimit");
		check(run.workload->setup(&run) == -EMFILE, "with %d descriptors", n);
		check(setrlimit(RLIMIT_NOFILE, &old) == 0, "setrlimit");
		check(descriptors() == open_before, "with %d descriptors, one was left open", n);
	}
}

static void
mark(void *context, long i)
{
	((unsigned char *)context)[i]++;
}

static void
test_each_thread_once(void)
{
	enum { N = 2 * THREADS_ALIVE_MAX + 3 };
	unsigned char ran[N] = { 0 };

	check(threads_run(0, mark, ran) == 0, "none");
	check(threads_run(N, mark, ran) == 0, "more than the ring holds");
	for (int i = 0; i < N; i++)
		check(ran[i] == 1, "%d ran %d times", i, ran[i]);
}

// Threads 0..ALIVE_MAX-1 stay until the last of them has given one too many the time to show up.
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static int alive, alive_max;
static bool open_gate;
static struct timespec patience;

static void
linger(void *context, long i)
{
	(void)context;
	pthread_mutex_lock(&gate);
	if (++alive > alive_max)
		alive_max = alive;
	if (i >= THREADS_ALIVE_MAX - 1) {
		pthread_mutex_unlock(&gate);
		usleep(20000);
		pthread_mutex_lock(&gate);
		open_gate = true;
		pthread_cond_broadcast(&opened);
	}
	// Where the system has fewer threads to give, that last one does not come.
	while (!open_gate && pthread_cond_timedwait(&opened, &gate, &patience) == 0)
		;
	alive--;
	pthread_mutex_unlock(&gate);
}

static void
test_threads_are_bounded(void)
{
	clock_gettime(CLOCK_REALTIME, &patience);
	patience.tv_sec += 10;
	check(threads_run(THREADS_ALIVE_MAX + 1, linger, NULL) == 0, "threads_run");
	check(alive == 0, "%d still run", alive);
	check(alive_max <= THREADS_ALIVE_MAX, "%d at once", alive_max);
}

static void
test_threads_without_room(void)
{
	unsigned char ran[100] = { 0 };

	fail_thread_after(12);
	check(threads_run(100, mark, ran) == 0, "a dozen at a time are enough for all");
	fail_thread_after(0);
	check(threads_run(100, mark, ran) == -EAGAIN, "not even one");
	fail_thread_after(-1);
	for (int i = 0; i < 100; i++)
		check(ran[i] == 1, "%d ran %d times", i, ran[i]);
	fail_allocation(0);
	check(threads_run(100, mark, ran) == -ENOMEM, "no ring");
	fail_allocation(-1);
}

// A tree gets some of its threads, or none; what has no thread is a call.
static void
test_trees_without_threads(void)
{
	static const struct test_case c = { "skynet", { "levels=3", "grain_ns=0" } };
	struct workload_run run;

	case_setup(&run, &c);
	for (int successes = 12; successes >= 0; successes -= 12) {
		fail_thread_after(successes);
		check(run.workload->threads(&run) == 0, "threads");
		fail_thread_after(-1);
		case_verify(&run, &c, "with few threads");
	}
	run.workload->teardown(&run);
}

// Bursts whose threads cannot be had: an error, not a right answer.
static void
test_burst_without_threads(void)
{
	static const struct test_case c = { "burst", { "bursts=3", "size=5", "grain_ns=0" } };
	struct workload_run run;
	char err[256];

	case_setup(&run, &c);
	fail_thread_after(0);
	check(run.workload->threads(&run) == -EAGAIN, "threads");
	fail_thread_after(-1);
	check(run.result.tasks == 0 && workload_verify(&run, err, sizeof(err)) == -EUCLEAN, "taken");
	run.workload->teardown(&run);
}

// Each allocation of each setup fails once; nothing may be left of a setup that failed (memory: by the leak checker).
static void
test_setup_without_memory(void)
{
	const struct workload *w;
	struct workload_run run;

	for (int i = 0; (w = workload_at(i)); i++) {
		int open_before = descriptors(), n = 0;

		for (;; n++) {
			workload_init(&run, w);
			fail_allocation(n);
			int error = w->setup(&run);
			bool failed = allocation_failed();

			fail_allocation(-1);
			if (!failed) {
				check(error == 0, "%s: %s", w->name, strerror(-error));
				break;
			}
			check(error == -ENOMEM, "%s, allocation %d: %d", w->name, n, error);
			check(descriptors() == open_before, "%s, allocation %d: a descriptor is left open", w->name, n);
		}
		check(n >= 2, "%s: only %d allocations", w->name, n);
		w->teardown(&run);
		check(descriptors() == open_before, "%s: teardown left a descriptor open", w->name);
	}
}

static void
test_setup_without_a_thread(void)
{
	struct workload_run run;
	int open_before = descriptors();

	workload_init(&run, workload_find("syscall"));
	fail_thread_after(0);
	check(run.workload->setup(&run) == -EAGAIN, "no timekeeper");
	fail_thread_after(-1);
	check(descriptors() == open_before, "a descriptor is left open");
}

// Both blocking kinds take the time they say, at least.
static void
test_blocking_takes_its_time(void)
{
	static const struct test_case cases[] = {
		{ "syscall", { "tasks=1", "calls=1", "grain_ns=0", "block_us=20000", "kinds=1" } },
		{ "syscall", { "tasks=1", "calls=1", "grain_ns=0", "block_us=20000", "kinds=2" } },
	};
	struct workload_run run;
	struct timespec start, end;

	for (int i = 0; i < 2; i++) {
		case_setup(&run, &cases[i]);
		clock_gettime(CLOCK_MONOTONIC, &start);
		run.workload->serial(&run);
		clock_gettime(CLOCK_MONOTONIC, &end);
		long us = (end.tv_sec - start.tv_sec) * 1000000 + (end.tv_nsec - start.tv_nsec) / 1000;

		check(us >= 20000, "%s: %ld us", cases[i].set[4], us);
		case_verify(&run, &cases[i], "serial");
		run.workload->teardown(&run);
	}
}

int
main(void)
{
	check(work_set_rate(100) == 0, "rate");
	cases_cover_all();
	test_all_cases();
	test_setup_without_a_folder();
	test_setup_without_descriptors();
	test_each_thread_once();
	test_threads_are_bounded();
	test_threads_without_room();
	test_trees_without_threads();
	test_burst_without_threads();
	test_setup_without_memory();
	test_setup_without_a_thread();
	test_blocking_takes_its_time();
	test_sizes_are_exact();
	return 0;
}
