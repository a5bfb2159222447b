// SPDX-License-Identifier: MIT
// spread.h: starts tasks from several Ps at once: a spawner on each starts a share of them.
//
// Main carries the spawners to the Ps: it leaves one on the P where it finds itself, and yields into the global queue,
// from where another P takes it on. So the start is even with steal=none too. A tree of spawns was rejected: it is even
// only as far as stealing makes it so, and would be skewed under another name.
#ifndef WORKLOADS_SPREAD_H
#define WORKLOADS_SPREAD_H

#include "workloads/tasks.h"

// Tasks first..end-1. Read by its spawner until mn_run returns.
struct share {
	struct tasks *all;
	long first, end;
};

// Hangs on tasks->extra; written by main alone.
struct spread {
	bool visited[MN_PROCS_MAX];
	struct share share[MN_PROCS_MAX];
};

// setup, once the tasks are: 0 or -ENOMEM, with the tasks then torn down. teardown: of both.
int spread_setup(struct workload_run *run);
void spread_teardown(struct workload_run *run);

// Leaves shares 0..n-1, whose first and end are set, on the Ps, as evenly as they go round.
void spread_start(struct tasks *all, int n);

#endif
