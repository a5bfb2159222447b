// SPDX-License-Identifier: MIT
// tree.h: what the workloads that fork and join share: a node, its children, and three ways to run them.
//
// A body gets a node and returns the answer of its whole subtree; it hands its children to tree_fork_all, which runs
// them as the runtime says: as goroutines (mn_spawn, mn_join), in plain calls, or as threads. So one body is all three
// forms, and they do the same work. A workload's row is then tree_main, tree_serial, tree_threads:
//
//	static struct tree_answer
//	body(struct tree_node *node)
//	{
//		struct tree_node child[2];
//
//		if (node->depth == DEEPEST)
//			return tree_leaf(node->at);
//		for (int i = 0; i < 2; i++)
//			child[i] = tree_child(node, 2 * node->at + (uint64_t)i);
//		return tree_fork_all(child, 2);
//	}
//
// Answers are put together in the order of the children, not of their ends, and an answer depends on the place of each
// leaf in that order: a subtree lost, run twice, or taken for another changes it. No node knows its place beforehand.
#ifndef WORKLOADS_TREE_H
#define WORKLOADS_TREE_H

#include <pthread.h>

#include "sched/mn.h"
#include "workloads/workload.h"

enum {
	TREE_THREADS_MAX = 256,          // threads at once: beyond, a child is called by its parent
	TREE_THREAD_STACK_KB = 8 * 1024, // such calls nest as deep as the tree is; only touched pages are memory
};

// Of a row of tasks: how many, the sum of their answers, and the sum with each weighted by its place in the row.
struct tree_answer {
	uint64_t tasks, sum, weighted;
};

// Of one task; of the row a followed by the row b. Appending to a zeroed answer copies b.
struct tree_answer tree_leaf(uint64_t value);
void tree_append(struct tree_answer *a, const struct tree_answer *b);

// What a result says of an answer.
struct workload_result tree_result(const struct tree_answer *a);

struct tree;
struct tree_runtime;

// Children stand on the stack of their parent, which outlives them.
struct tree_node {
	struct tree *tree;
	long depth;  // of the root: 0
	uint64_t at; // which node it is: the workload's own
	// From here on: tree.c's.
	struct tree_answer answer;
	struct mn_task *task; // in goroutines: NULL if it could not be started
	pthread_t thread;
	bool in_thread;
};

// A run's `state`.
struct tree {
	struct workload_run *run;
	struct tree_answer (*body)(struct tree_node *);
	struct tree_node *child; // room for the root's children where they are many; free in teardown
	uint64_t root;           // `at` of the root
	const struct tree_runtime *runtime;
	_Atomic int error;   // -errno of the last child that could not be started
	_Atomic int threads; // alive
};

// setup: root is `at` of the root; children is how many the root has, if more than fit on a stack, else 0. 0 or -ENOMEM.
int tree_setup(struct workload_run *run, struct tree_answer (*body)(struct tree_node *), uint64_t root, long children);
void tree_teardown(struct workload_run *run);

// Runs. A goroutine that cannot be started leaves its subtree out: main says so on stderr, and verify will refuse the
// result. A thread that cannot be started is a call instead.
void tree_main(struct workload_run *run);
void tree_serial(struct workload_run *run);
int tree_threads(struct workload_run *run);

// In a body: a child of that `at`; forks n children, joins all, and returns their answers in a row.
struct tree_node tree_child(const struct tree_node *parent, uint64_t at);
struct tree_answer tree_fork_all(struct tree_node *child, long n);

// The pieces of it: the child's answer is there after join. call runs a child in place in every runtime.
void tree_fork(struct tree_node *child);
void tree_join(struct tree_node *child);
void tree_call(struct tree_node *node);

#endif
