// SPDX-License-Identifier: MIT
// tasks.h: what the workloads that run n numbered tasks share: a slot a task, three ways to run them all, the sum.
//
// A task is a body that returns an answer. Its slot counts the runs and adds the answers up, so that a task lost, run
// twice or cut short changes the result; nothing else is written while tasks run. The sums are taken afterwards, since
// a shared counter would put one cache line into every task of every policy and measure that.
//
// A workload of this kind supplies a body, a main that starts goroutines, and an expect; the rest of its row is
// tasks_serial, tasks_threads, tasks_teardown:
//
//	static void
//	skewed_main(struct workload_run *run)
//	{
//		struct tasks *all = tasks_begin(run);
//
//		for (long i = 0; i < all->n; i++)
//			tasks_go(all, i);
//		tasks_end(run);
//	}
#ifndef WORKLOADS_TASKS_H
#define WORKLOADS_TASKS_H

#include "sched/mn.h"
#include "workloads/workload.h"

enum {
	TASKS_SEEDS = 4,    // different works among equal tasks: verify repeats these few instead of all n
	TASKS_SHARDS = 64,  // wait groups
	TASKS_A_SHARD = 16, // neighbours in one wait group: mostly run by one P
	TASKS_LINE = 128,   // two cache lines, as the prefetcher takes them in pairs
};

struct tasks;

// One task. Written by whoever runs it; read by the others when all have ended.
struct task {
	struct tasks *all;
	uint32_t index;
	uint32_t runs;
	uint64_t answer;
	int error; // -errno of starting it or of a call that it made
};

// Main waits for all tasks through these. Each has its own line for the same reason that each task has its own slot.
struct tasks_shard {
	_Alignas(TASKS_LINE) struct mn_wait_group unfinished;
};

// All tasks of a run: its `state`.
struct tasks {
	struct tasks_shard shard[TASKS_SHARDS];
	const struct workload_run *run;
	uint64_t (*body)(struct task *);
	long n;
	bool in_goroutines; // the bodies may call libmn; false in the baselines
	void *extra;        // the workload's own
	struct task *task;
};

// setup: n tasks of that body, with the slots touched and the rate of work set. 0 or -ENOMEM. teardown frees them, but
// not extra.
int tasks_setup(struct workload_run *run, long n, uint64_t (*body)(struct task *));
void tasks_teardown(struct workload_run *run);

// The baselines.
void tasks_serial(struct workload_run *run);
int tasks_threads(struct workload_run *run);

// The same for workloads whose threads are not one a task: fn(tasks, i) for 0..n-1, each to call tasks_run.
int tasks_threads_of(struct workload_run *run, long n, void (*fn)(void *tasks, long i));

// In goroutines: begin, then tasks_go for each (from any goroutine), then end, which waits for all and sets the result.
// A goroutine that cannot be started leaves its task out: end says so on stderr, and verify will refuse the result.
struct tasks *tasks_begin(struct workload_run *run);
void tasks_go(struct tasks *all, long index);
void tasks_end(struct workload_run *run);

// The same in portions: open; for each portion add, then tasks_go for each of its tasks, then wait; at the end collect.
// One portion at a time.
struct tasks *tasks_open(struct workload_run *run);
void tasks_add(struct tasks *all, long first, long end);
void tasks_wait(struct tasks *all, long first, long end);

// For baselines that run the tasks by means of their own: says so; at the end, sets the result.
struct tasks *tasks_alone(struct workload_run *run);
void tasks_collect(struct workload_run *run);

// The pieces of tasks_go, for goroutines that run several tasks: runs the body; then tells main that it is done. After
// the last tasks_done nothing of *all may be touched.
void tasks_run(struct task *t);
void tasks_done(struct task *t);

// What a body should return: its work bound to its index, so that tasks with the same work differ. And the seed of the
// work, one of TASKS_SEEDS.
uint64_t tasks_answer(uint64_t work, long index);
uint64_t tasks_seed(long index);

#endif
