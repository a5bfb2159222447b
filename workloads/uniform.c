// SPDX-License-Identifier: MIT
// uniform: n tasks of equal work, started evenly: on each P, one spawner starts its share. Policies should tie here;
// what differs is their overhead.
#include "workloads/equal.h"
#include "workloads/spread.h"

static void
uniform_main(struct workload_run *run)
{
	struct tasks *all = tasks_begin(run);
	struct spread *spread = all->extra;
	int procs = mn_num_procs();

	for (int k = 0; k < procs; k++)
		spread->share[k] = (struct share){ .first = all->n * k / procs, .end = all->n * (k + 1) / procs };
	spread_start(all, procs);
	tasks_end(run);
}

static int
uniform_setup(struct workload_run *run)
{
	int error = equal_setup(run);

	return error ? error : spread_setup(run);
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
	.teardown = spread_teardown,
};
