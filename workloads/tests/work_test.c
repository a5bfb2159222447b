// SPDX-License-Identifier: MIT
// work_test.c: the calibrated work is the work it claims to be: known answers, exact counts, refusals, and a CPU time
// that grows with the length. Times are reported; only a gross departure fails, so that no slow machine can.
#include "workloads/work.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "workloads/tests/check.h"

static int checks;

static void
count_check(void)
{
	checks++;
}

// From an independent computation with unbounded integers, modulo 2^64.
static void
test_known_answers(void)
{
	check(work_chain(0, 42) == 42, "no iteration");
	check(work_chain(1, 0) == UINT64_C(0x632be59bd9b4e019), "got %llx", (unsigned long long)work_chain(1, 0));
	check(work_chain(2, 0) == UINT64_C(0x321abb1bcd8db2df), "got %llx", (unsigned long long)work_chain(2, 0));
	check(work_chain(1000, 1) == UINT64_C(0x6fd828393fab8a2a), "got %llx", (unsigned long long)work_chain(1000, 1));
}

static void
test_chain_composes(void)
{
	check(work_chain(700, 3) == work_chain(300, work_chain(400, 3)), "400 and 300 are not 700");
	check(work_chain(700, 3) != work_chain(701, 3), "an iteration more is not seen");
	check(work_chain(700, 3) != work_chain(700, 4), "the seed is not seen");
}

static void
test_rate_range(void)
{
	check(work_rate() == 0, "set before anybody set it");
	check(work_set_rate(0) == -ERANGE, "0");
	check(work_set_rate(-1) == -ERANGE, "-1");
	check(work_set_rate((double)NAN) == -ERANGE, "NaN");
	check(work_set_rate((double)INFINITY) == -ERANGE, "infinite");
	check(work_set_rate(work_rate_max * 1.01) == -ERANGE, "above");
	check(work_set_rate(work_rate_min) == 0 && work_set_rate(work_rate_max) == 0, "the ends belong to the range");
	check(work_rate() == work_rate_max, "%g", work_rate());
}

static void
test_iterations_are_linear(void)
{
	check(work_set_rate(523.7) == 0, "rate");
	check(work_iterations(0) == 0, "0 ns");
	check(work_iterations(1000) == 524, "1 us");
	check(work_iterations(10000) == 5237, "10 us");
	check(work_iterations(100000) == 52370, "100 us");
	check(work_iterations(100000000) == 52370000, "100 ms");
	check(work_iterations(work_ns_max) == UINT64_C(1885320000000), "the longest");
	check(work_set_rate(work_rate_max) == 0, "rate");
	check(work_iterations(work_ns_max) == UINT64_C(360000000000000), "the longest at the highest rate");
}

static void
test_ns_is_the_chain(void)
{
	check(work_set_rate(500) == 0, "rate");
	check(work_ns(20000, 5) == work_chain(10000, 5), "20 us at 500 a us are 10,000 iterations");
}

static void
test_checked_is_the_same_work(void)
{
	static const long lengths[] = { 0, 1, WORK_CHECK_EVERY, WORK_CHECK_EVERY + 1, 10 * WORK_CHECK_EVERY };

	check(work_set_rate(1000) == 0, "rate");
	for (int i = 0; i < 5; i++) {
		long n = lengths[i];

		checks = 0;
		check(work_ns_checked(n, 9, count_check) == work_ns(n, 9), "length %ld", n);
		check(checks == (n ? (n - 1) / WORK_CHECK_EVERY : 0), "length %ld: %d checks", n, checks);
	}
}

// The child must abort, not work.
static void
expect_abort(int64_t ns)
{
	int status;
	pid_t child = fork();

	check(child >= 0, "fork");
	if (child == 0) {
		if (!freopen("/dev/null", "w", stderr))
			_exit(3);
		work_ns(ns, 1);
		_exit(0);
	}
	check(waitpid(child, &status, 0) == child, "waitpid");
	check(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, "%lld ns: status %x", (long long)ns, status);
}

static void
test_impossible_lengths_abort(void)
{
	check(work_set_rate(1000) == 0, "rate");
	expect_abort(-1);
	expect_abort(INT64_MIN);
	expect_abort(work_ns_max + 1);
	expect_abort(INT64_MAX);
}

static int64_t
cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

// Least CPU time of several, in ns.
static double
best_of(int tries, int64_t ns)
{
	volatile uint64_t sink;
	double best = INFINITY;

	for (int i = 0; i < tries; i++) {
		int64_t start_ns = cpu_ns();

		sink = work_ns(ns, (uint64_t)i);
		best = fmin(best, (double)(cpu_ns() - start_ns));
	}
	(void)sink;
	return best;
}

static void
test_calibration(void)
{
	struct timespec start, end;

	clock_gettime(CLOCK_MONOTONIC, &start);
	int64_t start_ns = cpu_ns();
	double rate = work_calibrate();
	int64_t spent_ns = cpu_ns() - start_ns;

	clock_gettime(CLOCK_MONOTONIC, &end);
	double wall_ms = (double)(end.tv_sec - start.tv_sec) * 1e3 + (double)(end.tv_nsec - start.tv_nsec) / 1e6;

	printf("calibration: %.1f iterations per us, %.1f ms of CPU, %.1f ms in all\n", rate, (double)spent_ns / 1e6,
	       wall_ms);
	check(work_set_rate(rate) == 0, "rate %g", rate);
}

static void
test_time_is_linear(void)
{
	double one = best_of(9, 200000), ten = best_of(5, 2000000), hundred = best_of(3, 20000000);

	printf("CPU time for 0.2, 2, 20 ms of work: %.4f, %.4f, %.4f ms; off linear by %+.1f %% and %+.1f %%\n",
	       one / 1e6, ten / 1e6, hundred / 1e6, ten / one * 10 - 100, hundred / one - 100);
	check(ten / one > 5 && ten / one < 20, "ten times the work took %.2f times as long", ten / one);
	check(hundred / one > 50 && hundred / one < 200, "100 times the work took %.2f times as long", hundred / one);
}

int
main(void)
{
	test_known_answers();
	test_chain_composes();
	test_rate_range();
	test_iterations_are_linear();
	test_ns_is_the_chain();
	test_checked_is_the_same_work();
	test_impossible_lengths_abort();
	test_calibration();
	test_time_is_linear();
	return 0;
}
