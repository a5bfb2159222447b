// SPDX-License-Identifier: MIT
// spread.c: main carries the spawners to the Ps.
#include "workloads/spread.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// Ps may never come (fewer CPUs than Ps, yield_to=local). After so many arrivals at a P that has its share, main no longer
// minds where it leaves the rest: about 0.1 ms when there is nothing else to run, and a yield takes 20 ns; several
// times what a thread needs to wake up.
enum { RETURNS_MAX = 5000 };

static void
spawn_share(void *arg)
{
	const struct share *s = arg;

	for (long i = s->first; i < s->end; i++)
		tasks_go(s->all, i);
}

static void
leave_share(struct tasks *all, struct share *s)
{
	s->all = all;
	// With no goroutine to be had for the spawner, its share starts from here: less even, as complete.
	if (s->first < s->end && mn_go(spawn_share, s) != 0)
		spawn_share(s);
}

void
spread_start(struct tasks *all, int n)
{
	struct spread *spread = all->extra;
	int procs = mn_num_procs();
	int returns = 0;

	for (int k = 0; k < n; mn_yield()) {
		// Where we are now; if that has changed by the time of mn_go, a share stands elsewhere, and no harm is done.
		int p = mn_p();

		// A new round: every P is due for one more.
		if (k % procs == 0 && (k == 0 || spread->visited[p]))
			memset(spread->visited, 0, sizeof(spread->visited));
		if (spread->visited[p] && returns++ < RETURNS_MAX)
			continue;
		spread->visited[p] = true;
		leave_share(all, &spread->share[k++]);
	}
}

int
spread_setup(struct workload_run *run)
{
	struct tasks *all = run->state;

	all->extra = malloc(sizeof(struct spread));
	if (!all->extra) {
		tasks_teardown(run);
		return -ENOMEM;
	}
	return 0;
}

void
spread_teardown(struct workload_run *run)
{
	struct tasks *all = run->state;

	free(all->extra);
	tasks_teardown(run);
}
