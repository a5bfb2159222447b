// SPDX-License-Identifier: MIT
// tasks.c: n numbered tasks, their slots, and the ways to run them.
#include "workloads/tasks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/threads.h"
#include "workloads/work.h"

int
tasks_setup(struct workload_run *run, long n, uint64_t (*body)(struct task *))
{
	struct tasks *all = aligned_alloc(_Alignof(struct tasks), sizeof(*all));

	if (!all)
		return -ENOMEM;
	memset(all, 0, sizeof(*all));
	all->task = malloc((size_t)n * sizeof(*all->task));
	if (!all->task) {
		free(all);
		return -ENOMEM;
	}
	all->run = run;
	all->body = body;
	all->n = n;
	for (long i = 0; i < n; i++)
		all->task[i] = (struct task){ .all = all, .index = (uint32_t)i };
	run->state = all;
	work_ensure_rate();
	return 0;
}

void
tasks_teardown(struct workload_run *run)
{
	struct tasks *all = run->state;

	free(all->task);
	free(all);
	run->state = NULL;
}

void
tasks_run(struct task *t)
{
	t->answer += t->all->body(t);
	t->runs++;
}

// Clears the slots for another run, too.
void
tasks_collect(struct workload_run *run)
{
	struct tasks *all = run->state;
	long failed = -1;

	run->result = (struct workload_result){ 0 };
	for (long i = 0; i < all->n; i++) {
		struct task *t = &all->task[i];

		run->result.tasks += t->runs;
		run->result.checksum += t->answer;
		if (t->error && failed < 0) {
			failed = i;
			fprintf(stderr, "workload %s: task %ld failed: %s\n", run->workload->name, i,
			        strerror(-t->error));
		}
		t->runs = 0;
		t->answer = 0;
		t->error = 0;
	}
}

struct tasks *
tasks_alone(struct workload_run *run)
{
	struct tasks *all = run->state;

	all->in_goroutines = false;
	return all;
}

void
tasks_serial(struct workload_run *run)
{
	struct tasks *all = tasks_alone(run);

	for (long i = 0; i < all->n; i++)
		tasks_run(&all->task[i]);
	tasks_collect(run);
}

int
tasks_threads_of(struct workload_run *run, long n, void (*fn)(void *tasks, long i))
{
	int error = threads_run(n, fn, tasks_alone(run));

	tasks_collect(run);
	return error;
}

static void
run_one(void *tasks, long i)
{
	struct tasks *all = tasks;

	tasks_run(&all->task[i]);
}

int
tasks_threads(struct workload_run *run)
{
	struct tasks *all = run->state;

	return tasks_threads_of(run, all->n, run_one);
}

static struct mn_wait_group *
shard_of(struct tasks *all, long index)
{
	return &all->shard[index / TASKS_A_SHARD % TASKS_SHARDS].unfinished;
}

struct tasks *
tasks_open(struct workload_run *run)
{
	struct tasks *all = run->state;

	all->in_goroutines = true;
	return all;
}

// First task of the shard after that of index.
static long
next_shard(long index)
{
	return index - index % TASKS_A_SHARD + TASKS_A_SHARD;
}

void
tasks_add(struct tasks *all, long first, long end)
{
	for (long i = first, next; i < end; i = next) {
		next = next_shard(i) < end ? next_shard(i) : end;
		mn_wait_group_add(shard_of(all, i), (int)(next - i));
	}
}

struct tasks *
tasks_begin(struct workload_run *run)
{
	struct tasks *all = tasks_open(run);

	tasks_add(all, 0, all->n);
	return all;
}

void
tasks_done(struct task *t)
{
	mn_wait_group_done(shard_of(t->all, t->index));
}

static void
enter(void *arg)
{
	tasks_run(arg);
	tasks_done(arg);
}

void
tasks_go(struct tasks *all, long index)
{
	struct task *t = &all->task[index];
	int error = mn_go(enter, t);

	if (error) {
		t->error = error;
		tasks_done(t);
	}
}

void
tasks_wait(struct tasks *all, long first, long end)
{
	long first_shard = first / TASKS_A_SHARD, last = (end - 1) / TASKS_A_SHARD;

	// From the shard of the last task backwards: queues are first in, first out, so the others are mostly done by
	// then, and main is not woken in the middle of the run, once for each shard.
	for (long i = 0; i < TASKS_SHARDS && first_shard <= last - i; i++)
		mn_wait_group_wait(&all->shard[(last - i) % TASKS_SHARDS].unfinished);
}

void
tasks_end(struct workload_run *run)
{
	struct tasks *all = run->state;

	tasks_wait(all, 0, all->n);
	tasks_collect(run);
}

uint64_t
tasks_answer(uint64_t work, long index)
{
	// An odd factor: a task left out changes the sum, unless its work came out as 0.
	return work * (2 * (uint64_t)index + 1);
}

uint64_t
tasks_seed(long index)
{
	// Not 0: without an iteration, the work is its seed.
	return (uint64_t)index % TASKS_SEEDS + 1;
}
