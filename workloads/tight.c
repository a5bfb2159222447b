// SPDX-License-Identifier: MIT
// tight: loops without a scheduling point beside goroutines that need the CPU often and briefly. Without preemption,
// whoever stands behind a loop waits for all of it.
//
// check=1 puts mn_check into the loops, the cooperative way out; check=0 leaves them to preemption. A ping line is a
// sequence of small tasks, handed on by turns through mn_yield and through a new goroutine, so that it is woken from
// both the global and the local queue.
#include <sched.h>

#include "workloads/tasks.h"
#include "workloads/work.h"

enum { LOOPS, LOOP_US, CHECK, PINGS, ROUNDS, PING_NS };

// By default 100 ms of loops, each several slices long, and 8 ms of pings: their waiting shows, not their work.
static const struct workload_param params[] = {
	[LOOPS] = { "loops", 4, 0, 10000, "goroutines that loop" },
	[LOOP_US] = { "loop_us", 25000, 0, 10000000, "CPU work of a loop, us" },
	[CHECK] = { "check", 1, 0, 1, "1: mn_check inside the loops; 0: nothing" },
	[PINGS] = { "pings", 8, 1, 10000, "lines of small tasks beside them" },
	[ROUNDS] = { "rounds", 100, 1, 10000, "small tasks in a line" },
	[PING_NS] = { "ping_ns", 10000, 0, 1000000000, "CPU work of a small task, ns" },
	{ 0 },
};

// Tasks are numbered loops first, then line by line. All loops have the same seed, as verifying repeats each seed.
enum { LOOP_SEED = 1 };

static uint64_t
work_of(const struct workload_run *run, long index, bool checked)
{
	if (index >= run->param[LOOPS])
		return work_ns(run->param[PING_NS], tasks_seed(index));
	if (checked)
		return work_ns_checked(run->param[LOOP_US] * 1000, LOOP_SEED, mn_check);
	return work_ns(run->param[LOOP_US] * 1000, LOOP_SEED);
}

static uint64_t
body(struct task *t)
{
	const struct workload_run *run = t->all->run;

	return tasks_answer(work_of(run, t->index, t->all->in_goroutines && run->param[CHECK]), t->index);
}

static int
tight_setup(struct workload_run *run)
{
	return tasks_setup(run, run->param[LOOPS] + run->param[PINGS] * run->param[ROUNDS], body);
}

static void
ping(void *arg)
{
	const struct workload_run *run = ((struct task *)arg)->all->run;
	long rounds = run->param[ROUNDS], loops = run->param[LOOPS];

	for (struct task *t = arg;; t++) {
		long round = (t->index - loops) % rounds;

		tasks_run(t);
		if (round + 1 < rounds && round % 2) {
			// Without a goroutine to be had, this one goes on in its place, and the run says so.
			t->error = mn_go(ping, t + 1);
			bool handed_on = !t->error;

			tasks_done(t);
			if (handed_on)
				return;
			continue;
		}
		tasks_done(t);
		if (round + 1 == rounds)
			return;
		mn_yield();
	}
}

static void
tight_main(struct workload_run *run)
{
	struct tasks *all = tasks_begin(run);
	long loops = run->param[LOOPS];

	for (long i = 0; i < loops; i++)
		tasks_go(all, i);
	for (long i = loops; i < all->n; i += run->param[ROUNDS]) {
		all->task[i].error = mn_go(ping, &all->task[i]);
		if (all->task[i].error)
			ping(&all->task[i]);
	}
	tasks_end(run);
}

// A thread a loop and a thread a line.
static void
lane(void *tasks, long i)
{
	struct tasks *all = tasks;
	long loops = all->run->param[LOOPS], rounds = all->run->param[ROUNDS];

	if (i < loops) {
		tasks_run(&all->task[i]);
		return;
	}
	struct task *t = &all->task[loops + (i - loops) * rounds];

	for (long round = 0; round < rounds; round++) {
		tasks_run(t++);
		sched_yield();
	}
}

static int
tight_threads(struct workload_run *run)
{
	return tasks_threads_of(run, run->param[LOOPS] + run->param[PINGS], lane);
}

static void
expect(const struct workload_run *run, struct workload_result *right)
{
	long loops = run->param[LOOPS], n = loops + run->param[PINGS] * run->param[ROUNDS];
	uint64_t loop = loops ? work_of(run, 0, false) : 0;
	uint64_t small[TASKS_SEEDS];

	for (long i = loops; i < n && i < loops + TASKS_SEEDS; i++)
		small[i % TASKS_SEEDS] = work_of(run, i, false);
	*right = (struct workload_result){ .tasks = (uint64_t)n };
	for (long i = 0; i < n; i++)
		right->checksum += tasks_answer(i < loops ? loop : small[i % TASKS_SEEDS], i);
}

const struct workload workload_tight = {
	.name = "tight",
	.title = "loops without a scheduling point beside goroutines in a hurry: preemption",
	.version = 1,
	.params = params,
	.setup = tight_setup,
	.main = tight_main,
	.serial = tasks_serial,
	.threads = tight_threads,
	.expect = expect,
	.teardown = tasks_teardown,
};
