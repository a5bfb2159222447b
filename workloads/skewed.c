// SPDX-License-Identifier: MIT
// skewed: one goroutine starts all n tasks of equal work. They pile up on its P and spill from there to the global
// queue; what the others get is what they steal, and without stealing (and a cap above n) the speed-up is 1.
#include "workloads/equal.h"
#include "workloads/tasks.h"

static void
skewed_main(struct workload_run *run)
{
	struct tasks *all = tasks_begin(run);

	for (long i = 0; i < all->n; i++)
		tasks_go(all, i);
	tasks_end(run);
}

const struct workload workload_skewed = {
	.name = "skewed",
	.title = "one goroutine starts all tasks: what the other Ps get, they steal",
	.version = 1,
	.params = equal_params,
	.setup = equal_setup,
	.main = skewed_main,
	.serial = tasks_serial,
	.threads = tasks_threads,
	.expect = equal_expect,
	.teardown = tasks_teardown,
};
