// SPDX-License-Identifier: MIT
// timers: many goroutines that sleep a little, work a little, and guard what they do by timeouts that never come. So the
// timer heaps are full of entries, most of which are taken back; and what wakes up, does so beside others that are busy.
//
// Waits are alternately a sleep and a timer that ends a wait; a wait that was too short, or a timeout that could not be
// stopped, is missing in the answer. The baselines sleep in the kernel and need no timeouts.
#include <errno.h>
#include <time.h>

#include "workloads/equal.h"
#include "workloads/tasks.h"
#include "workloads/work.h"

enum { WAITS = EQUAL_OWN, WAIT_US, TIMEOUTS };
enum { TIMEOUTS_MAX = 16 }; // they stand on the goroutine's stack

static const int64_t us = 1000, hour = INT64_C(3600) * 1000 * 1000 * 1000;

// By default 40 ms of work and as much of waiting.
static const struct workload_param params[] = {
	[EQUAL_TASKS] = { "tasks", 200, 1, 100000, "number of tasks" },
	[EQUAL_GRAIN_NS] = { "grain_ns", 100000, 0, 1000000000, "CPU work after each wait, ns" },
	[WAITS] = { "waits", 2, 0, 1000, "waits of a task" },
	[WAIT_US] = { "wait_us", 200, 0, 10000000, "longest wait, us; they are spread evenly below it" },
	[TIMEOUTS] = { "timeouts", 10, 0, TIMEOUTS_MAX, "timers that a task starts before a wait and stops after it" },
	{ 0 },
};

// Spread by the golden ratio: neighbours differ, and no two runs do.
static int64_t
wait_ns(const struct workload_run *run, long task, long j)
{
	uint32_t share = (uint32_t)(task * run->param[WAITS] + j) * UINT32_C(2654435769);

	return run->param[WAIT_US] * us * (share >> 16) >> 16;
}

static void
wake(void *wait)
{
	mn_wait_group_done(wait);
}

static int
wait_for_timer(int64_t ns)
{
	struct mn_wait_group wait = { 0 };
	struct mn_timer timer = { 0 };

	mn_wait_group_add(&wait, 1);
	int error = mn_timer_after(&timer, ns, wake, &wait);

	if (!error)
		mn_wait_group_wait(&wait);
	return error;
}

static int
sleep_in_kernel(int64_t ns)
{
	struct timespec left = { .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };
	int error;

	while ((error = clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left)) == EINTR)
		;
	return -error;
}

// Starts timeouts, waits, and stops them: how many of these were stopped in time, and 1 for a wait that was long enough.
static long
guarded_wait(struct task *t, int64_t ns, long j)
{
	struct mn_timer timeout[TIMEOUTS_MAX] = { 0 };
	long n = t->all->run->param[TIMEOUTS], right = 0;
	int64_t start = mn_now();

	for (long k = 0; k < n && !t->error; k++)
		t->error = mn_timer_after(&timeout[k], hour, wake, NULL);
	if (j % 2 == 0)
		mn_sleep(ns);
	else if (!t->error)
		t->error = wait_for_timer(ns);
	right += mn_now() - start >= ns;
	for (long k = 0; k < n; k++)
		right += mn_timer_stop(&timeout[k]);
	return right;
}

static long
plain_wait(struct task *t, int64_t ns)
{
	t->error = sleep_in_kernel(ns);
	return t->error ? 0 : t->all->run->param[TIMEOUTS] + 1;
}

static uint64_t
body(struct task *t)
{
	const struct workload_run *run = t->all->run;
	uint64_t work = 0;
	long right = 0;

	for (long j = 0; j < run->param[WAITS]; j++) {
		int64_t ns = wait_ns(run, t->index, j);

		right += t->all->in_goroutines ? guarded_wait(t, ns, j) : plain_wait(t, ns);
		work += work_ns(run->param[EQUAL_GRAIN_NS], tasks_seed(t->index));
	}
	return tasks_answer(work + (uint64_t)right, t->index);
}

static int
setup(struct workload_run *run)
{
	return tasks_setup(run, run->param[EQUAL_TASKS], body);
}

static void
timers_main(struct workload_run *run)
{
	struct tasks *all = tasks_begin(run);

	for (long i = 0; i < all->n; i++)
		tasks_go(all, i);
	tasks_end(run);
}

static void
expect(const struct workload_run *run, struct workload_result *right)
{
	long n = run->param[EQUAL_TASKS], waits = run->param[WAITS];
	uint64_t work[TASKS_SEEDS];

	for (long i = 0; i < TASKS_SEEDS && i < n; i++)
		work[i] = (uint64_t)waits *
		          (work_ns(run->param[EQUAL_GRAIN_NS], tasks_seed(i)) + (uint64_t)run->param[TIMEOUTS] + 1);
	*right = (struct workload_result){ .tasks = (uint64_t)n };
	for (long i = 0; i < n; i++)
		right->checksum += tasks_answer(work[i % TASKS_SEEDS], i);
}

const struct workload workload_timers = {
	.name = "timers",
	.title = "goroutines that sleep and set timeouts that never come: the timer heaps",
	.version = 1,
	.params = params,
	.setup = setup,
	.main = timers_main,
	.serial = tasks_serial,
	.threads = tasks_threads,
	.expect = expect,
	.teardown = tasks_teardown,
};
