// SPDX-License-Identifier: MIT
// burst: again and again, one goroutine starts more tasks at once than a local queue holds, and waits for them. Each burst
// spills over into the global queue, while the other Ps, which have just run dry, come back for it.
#include "workloads/equal.h"
#include "workloads/tasks.h"
#include "workloads/threads.h"

enum { BURSTS = EQUAL_TASKS, SIZE = EQUAL_OWN };

// By default 100 ms of work, and bursts of four times a local queue.
static const struct workload_param params[] = {
	[BURSTS] = { "bursts", 50, 1, 1000, "number of bursts" },
	[EQUAL_GRAIN_NS] = { "grain_ns", 2000, 0, 1000000000, "CPU work of a task, ns" },
	[SIZE] = { "size", 1000, 1, 10000, "tasks of a burst" },
	{ 0 },
};

static long
tasks(const struct workload_run *run)
{
	return run->param[BURSTS] * run->param[SIZE];
}

static int
setup(struct workload_run *run)
{
	return equal_setup_n(run, tasks(run));
}

static void
burst_main(struct workload_run *run)
{
	struct tasks *all = tasks_open(run);
	long size = run->param[SIZE];

	for (long first = 0; first < all->n; first += size) {
		tasks_add(all, first, first + size);
		for (long i = first; i < first + size; i++)
			tasks_go(all, i);
		tasks_wait(all, first, first + size);
	}
	tasks_collect(run);
}

static void
run_task(void *first, long i)
{
	struct task *t = first;

	tasks_run(&t[i]);
}

static int
burst_threads(struct workload_run *run)
{
	struct tasks *all = tasks_alone(run);
	int error = 0;

	for (long first = 0; first < all->n && !error; first += run->param[SIZE])
		error = threads_run(run->param[SIZE], run_task, &all->task[first]);
	tasks_collect(run);
	return error;
}

static void
expect(const struct workload_run *run, struct workload_result *right)
{
	equal_expect_n(run, tasks(run), right);
}

const struct workload workload_burst = {
	.name = "burst",
	.title = "bursts of more tasks than a local queue holds: spilling over, and waking up again",
	.version = 1,
	.params = params,
	.setup = setup,
	.main = burst_main,
	.serial = tasks_serial,
	.threads = burst_threads,
	.expect = expect,
	.teardown = tasks_teardown,
};
