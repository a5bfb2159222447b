// SPDX-License-Identifier: MIT
// bounce: a producer of tasks that does not stay where they are. After every batch it yields into the global queue, and
// goes on wherever a P next looks there: batches lie on one P after the other, and whoever steals much from where the
// producer was, soon sees it elsewhere. With yield_to=local it stands in a local queue, and moves by being stolen.
#include "workloads/equal.h"
#include "workloads/tasks.h"

enum { BATCH = EQUAL_OWN };

// By default 100 ms of work in 100 batches, each of them shorter than a time slice.
static const struct workload_param params[] = {
	[EQUAL_TASKS] = { "tasks", 2000, 1, 10000000, "number of tasks" },
	[EQUAL_GRAIN_NS] = { "grain_ns", 50000, 0, 10000000000, "CPU work of a task, ns" },
	[BATCH] = { "batch", 20, 1, 10000000, "tasks that the producer starts before it yields" },
	{ 0 },
};

static void
bounce_main(struct workload_run *run)
{
	struct tasks *all = tasks_begin(run);

	for (long i = 0; i < all->n; i++) {
		if (i > 0 && i % run->param[BATCH] == 0)
			mn_yield();
		tasks_go(all, i);
	}
	tasks_end(run);
}

const struct workload workload_bounce = {
	.name = "bounce",
	.title = "a producer that hops to another P after every batch of tasks",
	.version = 1,
	.params = params,
	.setup = equal_setup,
	.main = bounce_main,
	.serial = tasks_serial,
	.threads = tasks_threads,
	.expect = equal_expect,
	.teardown = tasks_teardown,
};
