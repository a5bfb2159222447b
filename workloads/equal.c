// SPDX-License-Identifier: MIT
// equal.c: n tasks of equal work.
#include "workloads/equal.h"

#include "workloads/tasks.h"
#include "workloads/work.h"

// By default 100 ms of CPU, and more tasks than the largest local queue of the default matrix holds.
const struct workload_param equal_params[] = {
	[EQUAL_TASKS] = { "tasks", 1000, 1, 10000000, "number of tasks" },
	[EQUAL_GRAIN_NS] = { "grain_ns", 100000, 0, 10000000000, "CPU work of a task, ns" },
	{ 0 },
};

static uint64_t
body(struct task *t)
{
	uint64_t work = work_ns(t->all->run->param[EQUAL_GRAIN_NS], tasks_seed(t->index));

	return tasks_answer(work, t->index);
}

int
equal_setup_n(struct workload_run *run, long n)
{
	return tasks_setup(run, n, body);
}

int
equal_setup(struct workload_run *run)
{
	return equal_setup_n(run, run->param[EQUAL_TASKS]);
}

void
equal_expect_n(const struct workload_run *run, long n, struct workload_result *right)
{
	uint64_t work[TASKS_SEEDS];

	for (long i = 0; i < TASKS_SEEDS && i < n; i++)
		work[i] = work_ns(run->param[EQUAL_GRAIN_NS], tasks_seed(i));
	*right = (struct workload_result){ .tasks = (uint64_t)n };
	for (long i = 0; i < n; i++)
		right->checksum += tasks_answer(work[i % TASKS_SEEDS], i);
}

void
equal_expect(const struct workload_run *run, struct workload_result *right)
{
	equal_expect_n(run, run->param[EQUAL_TASKS], right);
}
