// SPDX-License-Identifier: MIT
// test_baselines.c: every workload, serially and with threads, gives the right answer, again and again on one setup;
// a wrong answer is refused; and what setup and threads_run do when the system refuses.
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "workloads/tests/cases.h"
#include "workloads/tests/check.h"
#include "workloads/threads.h"
#include "workloads/work.h"

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
			int error = run.workload->threads(&run);

			check(error == 0, "%s: threads: %s", c->workload, strerror(-error));
			case_verify(&run, c, "threads");
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

// A file and two pipes need five descriptors: with n fewer, setup fails at each place in turn, and leaves none open.
static void
test_setup_without_descriptors(void)
{
	struct rlimit old, few;
	struct workload_run run;
	int next = dup(0);

	check(next > 0 && close(next) == 0, "dup");
	check(getrlimit(RLIMIT_NOFILE, &old) == 0, "getrlimit");
	workload_init(&run, workload_find("syscall"));
	for (int n = 0; n < 5; n++) {
		few = (struct rlimit){ .rlim_cur = (rlim_t)(next + n), .rlim_max = old.rlim_max };
		check(setrlimit(RLIMIT_NOFILE, &few) == 0, "setrlimit");
		check(run.workload->setup(&run) == -EMFILE, "with %d descriptors", n);
		check(setrlimit(RLIMIT_NOFILE, &old) == 0, "setrlimit");
		int now = dup(0);

		check(now == next && close(now) == 0, "with %d descriptors, one was left open", n);
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

// Holds every thread of the ring until all that can be alive at once are.
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static int alive, alive_max;

static void
linger(void *context, long i)
{
	(void)context;
	(void)i;
	pthread_mutex_lock(&gate);
	if (++alive > alive_max)
		alive_max = alive;
	pthread_mutex_unlock(&gate);
	usleep(1000);
	pthread_mutex_lock(&gate);
	alive--;
	pthread_mutex_unlock(&gate);
}

static void
test_threads_are_bounded(void)
{
	check(threads_run(THREADS_ALIVE_MAX + 200, linger, NULL) == 0, "threads_run");
	check(alive == 0, "%d still run", alive);
	check(alive_max <= THREADS_ALIVE_MAX, "%d at once", alive_max);
}

static long
pages_mapped(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	long pages = 0;

	check(f && fscanf(f, "%ld", &pages) == 1, "statm");
	fclose(f);
	return pages;
}

// In a child, as the limit stays: room for so many KiB more than now.
static int
run_within(long kb)
{
	static unsigned char ran[300];
	int status;
	pid_t child = fork();

	check(child >= 0, "fork");
	if (child == 0) {
		rlim_t bytes = (rlim_t)(pages_mapped() * sysconf(_SC_PAGESIZE) + kb * 1024);
		struct rlimit limit = { .rlim_cur = bytes, .rlim_max = bytes };

		if (setrlimit(RLIMIT_AS, &limit) != 0)
			_exit(100);
		int error = threads_run(300, mark, ran);

		for (int i = 0; i < 300 && !error; i++) {
			if (ran[i] != 1)
				_exit(101);
		}
		_exit(-error);
	}
	check(waitpid(child, &status, 0) == child && WIFEXITED(status), "status %x", status);
	return WEXITSTATUS(status);
}

static void
test_threads_without_room(void)
{
	// A sanitizer cannot live within a limit on address space.
	if (SANITIZED)
		return;
	int status = run_within(1024);

	check(status == 0, "a dozen threads are enough for all, but: %d", status);
	status = run_within(32);
	check(status == EAGAIN || status == ENOMEM, "no room for any thread, but: %d", status);
}

int
main(void)
{
	// First: glibc keeps the stacks of ended threads for the next ones, which then need no room.
	test_threads_without_room();
	check(work_set_rate(100) == 0, "rate");
	cases_cover_all();
	test_all_cases();
	test_setup_without_a_folder();
	test_setup_without_descriptors();
	test_each_thread_once();
	test_threads_are_bounded();
	test_sizes_are_exact();
	return 0;
}
