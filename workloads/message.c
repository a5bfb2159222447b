// SPDX-License-Identifier: MIT
// message.c: one piece of work for each hop.
#include "workloads/message.h"

#include "workloads/tasks.h"
#include "workloads/work.h"

void
message_work(struct message *m, int64_t grain_ns)
{
	m->sum += tasks_answer(work_ns(grain_ns, tasks_seed((long)m->hop)), (long)m->hop);
	m->hop++;
}

uint64_t
message_sum(uint64_t n, int64_t grain_ns)
{
	uint64_t work[TASKS_SEEDS], sum = 0;

	for (long i = 0; i < TASKS_SEEDS; i++)
		work[i] = work_ns(grain_ns, tasks_seed(i));
	for (uint64_t i = 0; i < n; i++)
		sum += tasks_answer(work[i % TASKS_SEEDS], (long)i);
	return sum;
}
