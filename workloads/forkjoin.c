// SPDX-License-Identifier: MIT
// forkjoin: the Fibonacci numbers by their definition: fib(n) forks fib(n-1), calls fib(n-2), joins. What it measures is
// the cost of a spawn and a join, and with a cutoff, how coarse a task must be to hide it.
//
// The calls of fib(0) and fib(1) are the work, grain_ns each; a task at n < cutoff does all of its own in one go. So the
// work is the same at any cutoff, and neither compiler nor inlining has a say in it. n=32 cutoff=2 grain_ns=0 is the
// fib(32) of other runtimes' benchmarks.
#include "workloads/tree.h"
#include "workloads/work.h"

enum { N, CUTOFF, GRAIN_NS };

// By default 121,393 bottoms: 121 ms in 1,597 tasks of 89 to 144 us. At the upper ends, a lone task of all is below an hour.
enum { N_MAX = 40 };

static const struct workload_param params[] = {
	[N] = { "n", 25, 0, N_MAX, "which Fibonacci number" },
	[CUTOFF] = { "cutoff", 12, 2, N_MAX + 1, "fib(m) with m below it forks no more" },
	[GRAIN_NS] = { "grain_ns", 1000, 0, 10000, "CPU work of each fib(0) and fib(1), ns" },
	{ 0 },
};

// How many fib(0) and fib(1) there are below fib(n): itself a Fibonacci number.
static int64_t
bottoms(uint64_t n)
{
	int64_t last = 1, sum = 1;

	for (; n >= 2; n--) {
		sum += last;
		last = sum - last;
	}
	return sum;
}

static struct tree_answer
bottom(const struct workload_run *run, uint64_t n)
{
	return tree_leaf(work_ns(bottoms(n) * run->param[GRAIN_NS], n + 1));
}

static struct tree_answer
body(struct tree_node *node)
{
	if (node->at < (uint64_t)node->tree->run->param[CUTOFF])
		return bottom(node->tree->run, node->at);
	struct tree_node left = tree_child(node, node->at - 1), right = tree_child(node, node->at - 2);

	tree_fork(&left);
	tree_call(&right);
	tree_join(&left);
	tree_append(&left.answer, &right.answer);
	return left.answer;
}

static int
setup(struct workload_run *run)
{
	return tree_setup(run, body, (uint64_t)run->param[N], 0);
}

// From the bottom up; only two sizes of task do work.
static void
expect(const struct workload_run *run, struct workload_result *right)
{
	uint64_t n = (uint64_t)run->param[N], cutoff = (uint64_t)run->param[CUTOFF];

	if (n < cutoff) {
		struct tree_answer all = bottom(run, n);

		*right = tree_result(&all);
		return;
	}
	struct tree_answer before = bottom(run, cutoff - 2), last = bottom(run, cutoff - 1);

	for (uint64_t m = cutoff; m <= n; m++) {
		struct tree_answer next = last;

		tree_append(&next, &before);
		before = last;
		last = next;
	}
	*right = tree_result(&last);
}

const struct workload workload_forkjoin = {
	.name = "forkjoin",
	.title = "Fibonacci by recursion: the cost of spawn and join, by grain",
	.version = 1,
	.params = params,
	.setup = setup,
	.main = tree_main,
	.serial = tree_serial,
	.threads = tree_threads,
	.expect = expect,
	.teardown = tree_teardown,
};
