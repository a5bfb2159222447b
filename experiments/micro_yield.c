// SPDX-License-Identifier: MIT
// micro_yield.c: what one mn_yield costs, from the call in one goroutine to the return in the next.
//
// On one P, so that every yield is a switch and nothing else happens. yield_to=local is the path through the P's own
// queue; yield_to=global is Go's, through the lock of the global queue. One goroutine alone yields to itself; with 64, the
// stacks no longer fit the first-level cache. With sites:2 two goroutines yield from different places, and the processor
// mispredicts where mn_yield returns to: that is the hardware's share, not the scheduler's.
#include "experiments/micro.h"

enum { SITES = 2 };

// Two copies of the loop, so that two goroutines can yield from different places in the program.
static __attribute__((noinline)) void
yield_here(int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		mn_yield();
}

static __attribute__((noinline)) void
yield_there(int64_t n)
{
	for (int64_t i = 0; i < n; i++) {
		mn_yield();
		gbench_use(&n);
	}
}

// Set before each run, read by its goroutines only.
struct yields {
	int64_t goroutines, sites, each;
};

static void
yielder(void *arg)
{
	struct yields *y = arg;

	if (y->sites == SITES)
		yield_there(y->each);
	else
		yield_here(y->each);
}

// n yields in all, by as many goroutines as arg says, this one among them. The last rounds of the others are waited for
// by yielding, at the same cost.
static int64_t
yield_among(int64_t n, void *arg)
{
	struct yields *y = arg;

	y->each = n / y->goroutines;
	for (int64_t i = 1; i < y->goroutines; i++)
		mn_go(yielder, y);
	yield_here(n - y->each * (y->goroutines - 1));
	return -1;
}

static void
bench(struct gbench_state *s, void *options)
{
	struct yields y = { .goroutines = gbench_arg(s, 0), .sites = gbench_arg(s, 1) };

	micro_run(s, options, yield_among, &y);
}

static void
register_all(void)
{
	static char local[] = "procs=1 yield_to=local", global[] = "procs=1 yield_to=global";
	static const int64_t rows[] = { 1, 1, 2, 1, 2, SITES, 64, 1 };
	static const char *const names[] = { "goroutines", "sites" };
	struct gbench_options o = {
		.manual_time = true, .args = rows, .arg_rows = 4, .arg_count = 2, .arg_names = names
	};

	micro_register("yield/local", bench, local, &o);
	micro_register("yield/global", bench, global, &o);
}

int
main(int argc, char **argv)
{
	return micro_main(argc, argv, register_all);
}
