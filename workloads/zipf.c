// SPDX-License-Identifier: MIT
// zipf: several goroutines start tasks of equal work, each from a P of its own, and how many each starts follows Zipf's
// law: the k-th starts one for every k^exponent of the first. So the Ps' queues differ widely in length, and it matters
// which of them a thief looks at.
//
// All spawners begin together, so the rates at which the Ps are fed are in that proportion, too. The shares are computed
// in whole numbers: the same on every machine.
#include "workloads/equal.h"
#include "workloads/spread.h"

enum { SPAWNERS = EQUAL_OWN, EXPONENT };
enum { EXPONENT_MAX = 2 };

// Weight of the first. The last of MN_PROCS_MAX at exponent 2 still weighs 16; the sum of all, times the largest number of
// tasks, stays below 2^63.
static const int64_t weight_max = INT64_C(1) << 24;

static const struct workload_param params[] = {
	[EQUAL_TASKS] = { "tasks", 1000, 1, 10000000, "number of tasks" },
	[EQUAL_GRAIN_NS] = { "grain_ns", 100000, 0, 10000000000, "CPU work of a task, ns" },
	[SPAWNERS] = { "spawners", 8, 1, MN_PROCS_MAX, "goroutines that start them" },
	[EXPONENT] = { "exponent", 1, 0, EXPONENT_MAX, "0: equal shares; 1: 1, 1/2, 1/3 ..; 2: 1, 1/4, 1/9 .." },
	{ 0 },
};

static int64_t
weight(long k, long exponent)
{
	int64_t w = weight_max;

	for (; exponent > 0; exponent--)
		w /= k + 1;
	return w;
}

// Cuts all tasks at the running sums of the weights: the shares then come to all of them, however these are rounded.
static void
cut_shares(struct tasks *all, long spawners, long exponent)
{
	struct spread *spread = all->extra;
	int64_t total = 0, sum = 0;

	for (long k = 0; k < spawners; k++)
		total += weight(k, exponent);
	for (long k = 0; k < spawners; k++) {
		spread->share[k].first = (long)(all->n * sum / total);
		sum += weight(k, exponent);
		spread->share[k].end = (long)(all->n * sum / total);
	}
}

static void
zipf_main(struct workload_run *run)
{
	struct tasks *all = tasks_begin(run);

	cut_shares(all, run->param[SPAWNERS], run->param[EXPONENT]);
	spread_start(all, (int)run->param[SPAWNERS]);
	tasks_end(run);
}

static int
setup(struct workload_run *run)
{
	int error = equal_setup(run);

	return error ? error : spread_setup(run);
}

const struct workload workload_zipf = {
	.name = "zipf",
	.title = "several goroutines start tasks, in numbers that follow Zipf's law: queues of unlike length",
	.version = 1,
	.params = params,
	.setup = setup,
	.main = zipf_main,
	.serial = tasks_serial,
	.threads = tasks_threads,
	.expect = equal_expect,
	.teardown = spread_teardown,
};
