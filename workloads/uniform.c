// SPDX-License-Identifier: MIT
// uniform: n tasks of equal work, started evenly: on each P, one spawner starts its share. Policies should tie here;
// what differs is their overhead.
//
// Main carries the spawners to the Ps: it leaves one on the P where it finds itself, and yields into the global queue,
// from where another P takes it on. So the start is even with steal=none too. A tree of spawns was rejected: it is even
// only as far as stealing makes it so, and would be skewed under another name.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/equal.h"
#include "workloads/tasks.h"

// Ps may never come (fewer CPUs than Ps, yield_to=local). After so many arrivals at a P that has its share, main no longer
// minds where it leaves the rest: about 0.1 ms when there is nothing else to run, and a yield takes 20 ns; several
// times what a thread needs to wake up.
enum { RETURNS_MAX = 5000 };

struct share {
	struct tasks *all;
	long first, end;
};

// Written by main alone; a spawner reads its share. mn_run returns after all of them, so it may go in teardown.
struct spread {
	bool visited[MN_PROCS_MAX];
	struct share share[MN_PROCS_MAX];
};

static void
spawn_share(void *arg)
{
	const struct share *s = arg;

	for (long i = s->first; i < s->end; i++)
		tasks_go(s->all, i);
}

static void
leave_share(struct tasks *all, int k, int procs)
{
	struct spread *spread = all->extra;
	struct share *s = &spread->share[k];

	*s = (struct share){ .all = all, .first = all->n * k / procs, .end = all->n * (k + 1) / procs };
	// With no goroutine to be had for the spawner, its share starts from here: less even, as complete.
	if (s->first < s->end && mn_go(spawn_share, s) != 0)
		spawn_share(s);
}

static void
uniform_main(struct workload_run *run)
{
	struct tasks *all = tasks_begin(run);
	struct spread *spread = all->extra;
	int procs = mn_num_procs();
	int returns = 0;

	memset(spread->visited, 0, sizeof(spread->visited));
	for (int k = 0; k < procs; mn_yield()) {
		// Where we are now; if that has changed by the time of mn_go, a share stands elsewhere, and no harm is done.
		int p = mn_p();

		if (spread->visited[p] && returns++ < RETURNS_MAX)
			continue;
		spread->visited[p] = true;
		leave_share(all, k++, procs);
	}
	tasks_end(run);
}

static int
uniform_setup(struct workload_run *run)
{
	int error = equal_setup(run);

	if (error)
		return error;
	struct tasks *all = run->state;

	all->extra = malloc(sizeof(struct spread));
	if (!all->extra) {
		tasks_teardown(run);
		return -ENOMEM;
	}
	return 0;
}

static void
uniform_teardown(struct workload_run *run)
{
	struct tasks *all = run->state;

	free(all->extra);
	tasks_teardown(run);
}

const struct workload workload_uniform = {
	.name = "uniform",
	.title = "tasks of equal work, started evenly on all Ps: the overhead floor",
	.version = 1,
	.params = equal_params,
	.setup = uniform_setup,
	.main = uniform_main,
	.serial = tasks_serial,
	.threads = tasks_threads,
	.expect = equal_expect,
	.teardown = uniform_teardown,
};
