// SPDX-License-Identifier: MIT
// skynet: a tree of ten children a node, whose leaves are added up on the way back. All inner nodes do is spawn and join;
// with grain_ns=0 and levels=6 it is the million leaves of the benchmark of that name.
#include "workloads/tasks.h"
#include "workloads/tree.h"
#include "workloads/work.h"

enum { LEVELS, GRAIN_NS };
enum { CHILDREN = 10 };

// By default 100 ms of work in 100,000 leaves: a few percent of that is what their spawning may cost.
static const struct workload_param params[] = {
	[LEVELS] = { "levels", 5, 0, 7, "levels below the root: 10^levels leaves" },
	[GRAIN_NS] = { "grain_ns", 1000, 0, 1000000, "CPU work of a leaf, ns" },
	{ 0 },
};

// A leaf's number is `at`; it is in the answer, so that leaves of the same work differ.
static struct tree_answer
body(struct tree_node *node)
{
	const struct workload_run *run = node->tree->run;
	struct tree_node child[CHILDREN];

	if (node->depth == run->param[LEVELS])
		return tree_leaf(node->at + work_ns(run->param[GRAIN_NS], tasks_seed((long)node->at)));
	for (unsigned i = 0; i < CHILDREN; i++)
		child[i] = tree_child(node, node->at * CHILDREN + i);
	return tree_fork_all(child, CHILDREN);
}

static int
setup(struct workload_run *run)
{
	return tree_setup(run, body, 0, 0);
}

static void
expect(const struct workload_run *run, struct workload_result *right)
{
	struct tree_answer all = { 0 };
	uint64_t work[TASKS_SEEDS], leaves = 1;

	for (long i = 0; i < run->param[LEVELS]; i++)
		leaves *= CHILDREN;
	for (long i = 0; i < TASKS_SEEDS; i++)
		work[i] = work_ns(run->param[GRAIN_NS], tasks_seed(i));
	for (uint64_t i = 0; i < leaves; i++) {
		struct tree_answer leaf = tree_leaf(i + work[i % TASKS_SEEDS]);

		tree_append(&all, &leaf);
	}
	*right = tree_result(&all);
}

const struct workload workload_skynet = {
	.name = "skynet",
	.title = "a tree of ten children a node down to 10^levels leaves: spawn and join in bulk",
	.version = 1,
	.params = params,
	.setup = setup,
	.main = tree_main,
	.serial = tree_serial,
	.threads = tree_threads,
	.expect = expect,
	.teardown = tree_teardown,
};
