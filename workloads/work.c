// SPDX-License-Identifier: MIT
// work.c: calibrated CPU work. One loop, compiled once and never inlined, so that calibration times the very
// instructions that the tasks run.
//
// A step is shift, xor, multiply, add on one word: about 5 cycles of latency, no memory, nothing to vectorise and no
// closed form to fold it into. A plain linear congruence was rejected (n steps have a closed form), floating point too
// (rounding modes, and SSE state that a switch need not save).
#include "workloads/work.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

const int64_t work_ns_max = INT64_C(3600) * 1000 * 1000 * 1000;
// The lower end is a sanitizer build under an emulator, the upper one 100 steps a nanosecond: no machine is near it.
// With the longest work, the count stays below 2^53: exact in a double.
const double work_rate_min = 0.01, work_rate_max = 100000;

// Written before any work starts, read by all threads after: thread creation orders the two.
static double current_rate;

__attribute__((noinline)) uint64_t
work_chain(uint64_t iterations, uint64_t seed)
{
	uint64_t x = seed;

	for (; iterations > 0; iterations--)
		x = (x ^ (x >> 31)) * UINT64_C(0x9e3779b97f4a7c15) + UINT64_C(0x632be59bd9b4e019);
	return x;
}

static int64_t
now_ns(clockid_t clock)
{
	struct timespec t;

	if (clock_gettime(clock, &t) != 0) {
		fprintf(stderr, "work: cannot read clock %d, needed to calibrate\n", (int)clock);
		abort();
	}
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

// CPU time of a chain. The answer goes through a volatile: the call must not be dropped.
static int64_t
time_chain(uint64_t iterations)
{
	static volatile uint64_t sink;
	int64_t start_ns = now_ns(CLOCK_THREAD_CPUTIME_ID);

	sink = work_chain(iterations, (uint64_t)start_ns);
	(void)sink;
	return now_ns(CLOCK_THREAD_CPUTIME_ID) - start_ns;
}

double
work_calibrate(void)
{
	// 2 ms: 10,000 times the cost of reading the clock. 8 samples of at most twice that stay within 40 ms of CPU;
	// on a crowded machine, where CPU time and wall time part, it is content with 3.
	enum { TRIAL_NS = 2000000, SAMPLES = 8, ENOUGH = 3, PATIENCE_NS = 45000000 };
	int64_t start_ns = now_ns(CLOCK_MONOTONIC);
	uint64_t iterations = 1024;
	int64_t best_ns;

	// Growth is the warm-up as well: the clock frequency has risen when it ends.
	while ((best_ns = time_chain(iterations)) < TRIAL_NS)
		iterations *= 2;
	for (int i = 0; i < SAMPLES; i++) {
		int64_t ns = time_chain(iterations);

		if (ns > 0 && ns < best_ns)
			best_ns = ns;
		if (i >= ENOUGH && now_ns(CLOCK_MONOTONIC) - start_ns > PATIENCE_NS)
			break;
	}
	return (double)iterations * 1000 / (double)best_ns;
}

int
work_set_rate(double rate)
{
	// Written so that NaN fails it.
	if (!(rate >= work_rate_min && rate <= work_rate_max))
		return -ERANGE;
	current_rate = rate;
	return 0;
}

double
work_rate(void)
{
	return current_rate;
}

void
work_ensure_rate(void)
{
	if (current_rate > 0)
		return;
	if (work_set_rate(work_calibrate()) != 0) {
		fprintf(stderr, "work: calibration gave no usable rate; set one from %g to %g iterations per us\n",
		        work_rate_min, work_rate_max);
		abort();
	}
}

uint64_t
work_iterations(int64_t ns)
{
	if (ns < 0 || ns > work_ns_max) {
		fprintf(stderr, "work: a length of %lld ns is outside 0..%lld\n", (long long)ns,
		        (long long)work_ns_max);
		abort();
	}
	return (uint64_t)llround((double)ns * current_rate / 1000);
}

uint64_t
work_ns(int64_t ns, uint64_t seed)
{
	return work_chain(work_iterations(ns), seed);
}

uint64_t
work_ns_checked(int64_t ns, uint64_t seed, void (*check)(void))
{
	uint64_t left = work_iterations(ns);
	uint64_t x = seed;

	for (; left > WORK_CHECK_EVERY; left -= WORK_CHECK_EVERY) {
		x = work_chain(WORK_CHECK_EVERY, x);
		check();
	}
	return work_chain(left, x);
}
