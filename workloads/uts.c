// SPDX-License-Identifier: MIT
// uts: search of a tree that is unbalanced and that nobody knows beforehand. The root has `root` children; every other
// node has `children` of them with a chance of prob_ppm in a million, or else none. Near children * prob_ppm = 1,000,000
// most subtrees are one node, and a few hold most of the tree: work is found by searching, or by stealing again and again.
//
// The idea is that of the Unbalanced Tree Search benchmark; where that draws from SHA-1, here a node's numbers are those
// of its parent through a 64-bit mix. So its trees are not the same ones; but a tree of ours is the same everywhere.
#include "workloads/tasks.h"
#include "workloads/tree.h"
#include "workloads/work.h"

enum { SEED, ROOT, CHILDREN, PROB_PPM, DEPTH_MAX, GRAIN_NS };
enum { CHILDREN_MAX = 8, MILLION = 1000000 };

// By default 25,149 nodes down to depth 95: 126 ms.
static const struct workload_param params[] = {
	[SEED] = { "seed", 7, 0, INT32_MAX, "which tree" },
	[ROOT] = { "root", 500, 0, 100000, "children of the root" },
	[CHILDREN] = { "children", 4, 1, CHILDREN_MAX, "children of any other node that has some" },
	[PROB_PPM] = { "prob_ppm", 245000, 0, MILLION, "how many nodes in a million have children" },
	[DEPTH_MAX] = { "depth_max", 500, 1, 1000,
	                "nobody deeper has children: the only end if children * prob_ppm is a million or more" },
	[GRAIN_NS] = { "grain_ns", 5000, 0, 1000000, "CPU work of a node, ns" },
	{ 0 },
};

// The mixing function of splitmix64: each bit of the answer depends on all of x.
static uint64_t
mix(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

// A node is its number: that of child i of the node called parent. Those of siblings are a stream of splitmix64.
static uint64_t
number(uint64_t parent, uint64_t i)
{
	return mix(parent + (i + 1) * UINT64_C(0x9e3779b97f4a7c15));
}

static long
children(const struct workload_run *run, uint64_t at, long depth)
{
	if (depth == 0)
		return run->param[ROOT];
	// A million parts of 2^64, less the rest: the upper half is enough, and has no rest worth the name.
	if (depth >= run->param[DEPTH_MAX] || (at >> 32) * MILLION >> 32 >= (uint64_t)run->param[PROB_PPM])
		return 0;
	return run->param[CHILDREN];
}

static long
seed_index(uint64_t at)
{
	return (long)(at % TASKS_SEEDS);
}

static struct tree_answer
body(struct tree_node *node)
{
	const struct workload_run *run = node->tree->run;
	uint64_t work = work_ns(run->param[GRAIN_NS], tasks_seed(seed_index(node->at)));
	struct tree_node few[CHILDREN_MAX];
	struct tree_node *child = node->depth == 0 ? node->tree->child : few;
	struct tree_answer all = tree_leaf(work ^ node->at);
	long n = children(run, node->at, node->depth);

	for (long i = 0; i < n; i++)
		child[i] = tree_child(node, number(node->at, (uint64_t)i));
	struct tree_answer below = tree_fork_all(child, n);

	tree_append(&all, &below);
	return all;
}

static uint64_t
root(const struct workload_run *run)
{
	return mix((uint64_t)run->param[SEED]);
}

static int
setup(struct workload_run *run)
{
	return tree_setup(run, body, root(run), run->param[ROOT]);
}

// The same tree in plain recursion, without the work.
static void
walk(const struct workload_run *run, const uint64_t *work, uint64_t at, long depth, struct tree_answer *all)
{
	struct tree_answer one = tree_leaf(work[seed_index(at)] ^ at);
	long n = children(run, at, depth);

	tree_append(all, &one);
	for (long i = 0; i < n; i++)
		walk(run, work, number(at, (uint64_t)i), depth + 1, all);
}

static void
expect(const struct workload_run *run, struct workload_result *right)
{
	struct tree_answer all = { 0 };
	uint64_t work[TASKS_SEEDS];

	for (long i = 0; i < TASKS_SEEDS; i++)
		work[i] = work_ns(run->param[GRAIN_NS], tasks_seed(i));
	walk(run, work, root(run), 0, &all);
	*right = tree_result(&all);
}

const struct workload workload_uts = {
	.name = "uts",
	.title = "search of an unbalanced tree: where the work is, nobody knows beforehand",
	.version = 1,
	.params = params,
	.setup = setup,
	.main = tree_main,
	.serial = tree_serial,
	.threads = tree_threads,
	.expect = expect,
	.teardown = tree_teardown,
};
