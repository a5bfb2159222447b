// SPDX-License-Identifier: MIT
// micro_yield.c: what one mn_yield costs, from the call in one goroutine to the return in the next.
//
// On one P, so that every yield is a switch and nothing else happens. yield_to=local is the path through the P's own
// queue; yield_to=global is Go's, through the lock of the global queue. One goroutine alone yields to itself; with 64, the
// stacks no longer fit the first-level cache.
#include "experiments/micro.h"

// Set before each run, read by its goroutines only.
static int64_t yields_each;

static void
yielder(void *arg)
{
	(void)arg;
	for (int64_t i = 0; i < yields_each; i++)
		mn_yield();
}

// n yields in all, by as many goroutines as arg says, this one among them. The last rounds of the others are waited for
// by yielding, at the same cost.
static int64_t
yield_among(int64_t n, void *arg)
{
	int64_t goroutines = *(int64_t *)arg;

	yields_each = n / goroutines;
	for (int64_t i = 1; i < goroutines; i++)
		mn_go(yielder, NULL);
	for (int64_t i = 0; i < n - yields_each * (goroutines - 1); i++)
		mn_yield();
	return -1;
}

static void
bench_local(struct gbench_state *s, void *arg)
{
	int64_t goroutines = gbench_arg(s, 0);

	(void)arg;
	micro_run(s, "procs=1 yield_to=local", yield_among, &goroutines);
}

static void
bench_global(struct gbench_state *s, void *arg)
{
	int64_t goroutines = gbench_arg(s, 0);

	(void)arg;
	micro_run(s, "procs=1 yield_to=global", yield_among, &goroutines);
}

static void
register_all(void)
{
	static const int64_t goroutines[] = { 1, 2, 64 };
	static const char *const names[] = { "goroutines" };
	struct gbench_options o = {
		.manual_time = true, .args = goroutines, .arg_rows = 3, .arg_count = 1, .arg_names = names
	};

	micro_register("yield/local", bench_local, NULL, &o);
	micro_register("yield/global", bench_global, NULL, &o);
}

int
main(int argc, char **argv)
{
	return micro_main(argc, argv, register_all);
}
