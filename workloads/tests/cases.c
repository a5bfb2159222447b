// SPDX-License-Identifier: MIT
// cases.c: small instances of every workload. Sizes on both sides of the edges: one task, fewer and more tasks than
// seeds, a shard of tasks and one more, more tasks than a local queue or the ring of threads holds, no work at all.
#include "workloads/tests/cases.h"

#include <errno.h>
#include <string.h>

#include "workloads/tests/check.h"

static const struct test_case cases[] = {
	{ "uniform", { "tasks=1", "grain_ns=1000" } },
	{ "uniform", { "tasks=2", "grain_ns=0" } },
	{ "uniform", { "tasks=300", "grain_ns=2000" } },
	{ "uniform", { "tasks=2000", "grain_ns=0" } },
	{ "skewed", { "tasks=1", "grain_ns=1000" } },
	{ "skewed", { "tasks=3", "grain_ns=1000" } },
	{ "skewed", { "tasks=16", "grain_ns=1000" } },
	{ "skewed", { "tasks=17", "grain_ns=1000" } },
	{ "skewed", { "tasks=1500", "grain_ns=500" } },
	{ "syscall", { "tasks=20", "calls=5", "grain_ns=1000", "block_us=10" } },
	{ "syscall", { "tasks=20", "calls=5", "grain_ns=1000", "block_us=10", "announced=1" } },
	{ "syscall", { "tasks=10", "calls=3", "grain_ns=1000", "block_us=50", "kinds=1" } },
	{ "syscall", { "tasks=10", "calls=3", "grain_ns=1000", "block_us=50", "kinds=2", "announced=1" } },
	{ "syscall", { "tasks=100", "calls=3", "grain_ns=0", "block_us=0", "kinds=4" } },
	{ "syscall", { "tasks=40", "calls=2", "grain_ns=100", "block_us=0", "kinds=5" } },
	{ "syscall", { "tasks=5", "calls=0" } },
	{ "tight", { "loops=3", "loop_us=500", "pings=2", "rounds=7", "ping_ns=1000" } },
	{ "tight", { "loops=2", "loop_us=500", "check=0", "pings=3", "rounds=8", "ping_ns=1000" } },
	{ "tight", { "loops=0", "pings=1", "rounds=1", "ping_ns=0" } },
	{ "tight", { "loops=1", "loop_us=0", "pings=20", "rounds=20", "ping_ns=0" } },
	{ "forkjoin", { "n=0", "cutoff=2", "grain_ns=1000" } },
	{ "forkjoin", { "n=1", "cutoff=2", "grain_ns=1000" } },
	{ "forkjoin", { "n=2", "cutoff=2", "grain_ns=1000" } },
	{ "forkjoin", { "n=9", "cutoff=10", "grain_ns=100" } },
	{ "forkjoin", { "n=10", "cutoff=10", "grain_ns=100" } },
	{ "forkjoin", { "n=16", "cutoff=2", "grain_ns=0" } },
	{ "forkjoin", { "n=18", "cutoff=7", "grain_ns=100" } },
	{ "skynet", { "levels=0", "grain_ns=1000" } },
	{ "skynet", { "levels=1", "grain_ns=1000" } },
	{ "skynet", { "levels=3", "grain_ns=100" } },
	{ "nqueens", { "n=1", "depth=0" } },
	{ "nqueens", { "n=1", "depth=16" } },
	{ "nqueens", { "n=3", "depth=2" } },
	{ "nqueens", { "n=6", "depth=6" } },
	{ "nqueens", { "n=8", "depth=0" } },
	{ "nqueens", { "n=9", "depth=2" } },
	{ "uts", { "root=0", "grain_ns=1000" } },
	{ "uts", { "root=1", "prob_ppm=0", "grain_ns=1000" } },
	{ "uts", { "seed=3", "root=4", "children=2", "prob_ppm=1000000", "depth_max=7", "grain_ns=0" } },
	{ "uts", { "seed=3", "root=5", "children=1", "prob_ppm=990000", "depth_max=1000", "grain_ns=100" } },
	{ "uts", { "seed=7", "root=100", "children=8", "prob_ppm=120000", "depth_max=50", "grain_ns=100" } },
	{ "burst", { "bursts=1", "size=1", "grain_ns=1000" } },
	{ "burst", { "bursts=3", "size=700", "grain_ns=0" } },
	{ "burst", { "bursts=5", "size=17", "grain_ns=1000" } },
	{ "burst", { "bursts=2", "size=1100", "grain_ns=100" } },
	{ "zipf", { "tasks=1", "spawners=1", "grain_ns=1000" } },
	{ "zipf", { "tasks=3", "spawners=1024", "exponent=2", "grain_ns=100" } },
	{ "zipf", { "tasks=700", "spawners=5", "exponent=0", "grain_ns=100" } },
	{ "zipf", { "tasks=1000", "spawners=8", "grain_ns=0" } },
	{ "bounce", { "tasks=1", "batch=1", "grain_ns=1000" } },
	{ "bounce", { "tasks=100", "batch=1", "grain_ns=100" } },
	{ "bounce", { "tasks=700", "batch=300", "grain_ns=0" } },
	{ "bounce", { "tasks=50", "batch=50", "grain_ns=0" } },
	{ "timers", { "tasks=1", "waits=0" } },
	{ "timers", { "tasks=20", "waits=3", "grain_ns=1000", "wait_us=100", "timeouts=16" } },
	{ "timers", { "tasks=200", "waits=2", "grain_ns=100", "wait_us=10", "timeouts=1" } },
	{ "timers", { "tasks=30", "waits=4", "grain_ns=0", "wait_us=0", "timeouts=0" } },
};

// Those whose goroutines wait for each other.
static const struct test_case waiting[] = {
	{ "pingpong", { "pairs=1", "rounds=1", "grain_ns=1000" } },
	{ "pingpong", { "pairs=1", "rounds=300", "grain_ns=0" } },
	{ "pingpong", { "pairs=20", "rounds=17", "grain_ns=100" } },
	{ "ring", { "members=1", "tokens=1", "hops=1", "grain_ns=1000" } },
	{ "ring", { "members=1", "tokens=3", "hops=20", "grain_ns=0" } },
	{ "ring", { "members=10", "tokens=30", "hops=25", "grain_ns=100" } },
	{ "ring", { "members=100", "tokens=1", "hops=250", "grain_ns=0" } },
	{ "prodcons", { "producers=1", "consumers=1", "items=1", "capacity=0" } },
	{ "prodcons", { "producers=5", "consumers=2", "items=3", "capacity=1", "grain_ns=100" } },
	{ "prodcons", { "producers=3", "consumers=4", "items=500", "capacity=0", "grain_ns=0" } },
	{ "prodcons", { "producers=2", "consumers=7", "items=500", "capacity=16", "grain_ns=100" } },
	{ "prodcons", { "producers=4", "consumers=1", "items=300", "capacity=1000", "grain_ns=0" } },
	{ "mutex", { "members=1", "rounds=1" } },
	{ "mutex", { "members=10", "rounds=50", "inside_ns=1000", "outside_ns=0" } },
	{ "mutex", { "members=3", "rounds=300", "inside_ns=0", "outside_ns=100" } },
	{ "echo", { "clients=1", "rounds=1", "grain_ns=1000" } },
	{ "echo", { "clients=1", "rounds=20", "size=16", "grain_ns=0" } },
	{ "echo", { "clients=10", "rounds=15", "size=4096", "grain_ns=100" } },
	{ "echo", { "clients=40", "rounds=3", "size=17", "grain_ns=0" } },
};

enum { CASES = sizeof(cases) / sizeof(cases[0]), WAITING = sizeof(waiting) / sizeof(waiting[0]) };

const struct test_case *
case_at(int i)
{
	if (i < CASES)
		return &cases[i];
	return i < CASES + WAITING ? &waiting[i - CASES] : NULL;
}

bool
case_waits(int i)
{
	return i >= CASES;
}

void
cases_cover_all(void)
{
	const struct workload *w;

	for (int k = 0; (w = workload_at(k)); k++) {
		int i = 0;

		while (case_at(i) && strcmp(case_at(i)->workload, w->name) != 0)
			i++;
		check(case_at(i), "workload %s has no test case", w->name);
	}
}

static void
set_from(struct workload_run *run, const char *setting)
{
	const char *value = strchr(setting, '=');
	char name[32], err[256];

	snprintf(name, sizeof(name), "%.*s", (int)(value - setting), setting);
	check(workload_set(run, name, value + 1, err, sizeof(err)) == 0, "%s", err);
}

void
case_setup(struct workload_run *run, const struct test_case *c)
{
	const struct workload *w = workload_find(c->workload);

	check(w, "workload %s", c->workload);
	workload_init(run, w);
	for (int i = 0; i < CASE_SETTINGS_MAX && c->set[i]; i++)
		set_from(run, c->set[i]);
	int error = w->setup(run);

	check(error == 0, "%s: setup: %s", c->workload, strerror(-error));
}

void
case_verify(struct workload_run *run, const struct test_case *c, const char *how)
{
	char err[256] = "";
	struct workload_result right = run->result;

	check(workload_verify(run, err, sizeof(err)) == 0, "%s %s %s: %s", c->workload, c->set[0], how, err);
	run->result.checksum ^= 1;
	check(workload_verify(run, err, sizeof(err)) == -EUCLEAN, "%s %s: wrong checksum taken", c->workload, how);
	check(strstr(err, "checksum"), "%s", err);
	run->result = right;
	run->result.tasks--;
	check(workload_verify(run, err, sizeof(err)) == -EUCLEAN, "%s %s: wrong count taken", c->workload, how);
	check(strstr(err, "tasks ran"), "%s", err);
	run->result = right;
}
