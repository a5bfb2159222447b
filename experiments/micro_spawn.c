// SPDX-License-Identifier: MIT
// micro_spawn.c: what it costs to start an empty goroutine and to run it to its end, and what one weighs before it runs.
//
// Times are for one goroutine (an iteration is one). In a burst one goroutine starts a million and then waits: nearly all
// pass through the global queue, as the local one spills. warm:1 does the same burst once before the clock starts, so that
// descriptors and queue chunks are already there; warm:0 pays for the first touch of their pages.
#include "experiments/micro.h"

#include <stdio.h>
#include <unistd.h>

static void
empty(void *arg)
{
	(void)arg;
}

// Yields until this goroutine is the only one. An empty goroutine has no way of saying that it is done, and one that
// had would not be empty.
static void
wait_for_all(void)
{
	while (mn_num_goroutines() > 1)
		mn_yield();
}

static void
burst(int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		mn_go(empty, NULL);
	wait_for_all();
}

static int64_t
timed_burst(int64_t n, void *warm)
{
	int64_t start;

	if (*(int64_t *)warm)
		burst(n);
	start = micro_now();
	burst(n);
	return micro_now() - start;
}

static void
bench_burst(struct gbench_state *s, void *arg)
{
	char options[64];
	int64_t warm = gbench_arg(s, 1);

	(void)arg;
	snprintf(options, sizeof(options), "procs=%d", (int)gbench_arg(s, 0));
	micro_run(s, options, timed_burst, &warm);
}

// One at a time: start it, give way to it.
static int64_t
one_by_one(int64_t n, void *arg)
{
	(void)arg;
	for (int64_t i = 0; i < n; i++) {
		mn_go(empty, NULL);
		mn_yield();
	}
	return -1;
}

static void
bench_one(struct gbench_state *s, void *arg)
{
	(void)arg;
	micro_run(s, "procs=1", one_by_one, NULL);
}

// ---- Weight --------------------------------------------------------------------------------------------------------

static int64_t
resident_bytes(void)
{
	long size, resident = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (!f || fscanf(f, "%ld %ld", &size, &resident) != 2)
		resident = 0;
	if (f)
		fclose(f);
	return (int64_t)resident * sysconf(_SC_PAGESIZE);
}

// Starts n on the only P and looks at the memory before the first of them gets a turn.
static int64_t
spawn_and_hold(int64_t n, void *bytes)
{
	int64_t before = resident_bytes(), start = micro_now(), ns;

	for (int64_t i = 0; i < n; i++)
		mn_go(empty, NULL);
	ns = micro_now() - start;
	*(int64_t *)bytes = resident_bytes() - before;
	wait_for_all();
	return ns;
}

static void
bench_hold(struct gbench_state *s, void *arg)
{
	int64_t bytes = 0;

	(void)arg;
	micro_run(s, "procs=1 preempt=off", spawn_and_hold, &bytes);
	gbench_counter(s, "bytes_each", (double)bytes, GBENCH_AVG_ITERATIONS);
}

static void
register_all(void)
{
	static const int64_t rows[] = { 1, 0, 1, 1, 2, 0, 2, 1 };
	static const char *const names[] = { "procs", "warm" };
	int64_t million = micro_size(1000000);
	struct gbench_options o = { .manual_time = true,
		                    .iterations = million,
		                    .args = rows,
		                    .arg_rows = 4,
		                    .arg_count = 2,
		                    .arg_names = names };
	struct gbench_options hold = { .manual_time = true, .iterations = million };
	struct gbench_options one = { .manual_time = true };

	micro_register("spawn/burst", bench_burst, NULL, &o);
	micro_register("spawn/hold", bench_hold, NULL, &hold);
	micro_register("spawn/one_by_one", bench_one, NULL, &one);
}

int
main(int argc, char **argv)
{
	return micro_main(argc, argv, register_all);
}
