// SPDX-License-Identifier: MIT
// tree.c: fork and join in three runtimes, and the sum of a tree.
//
// Children are joined newest first: the one that was forked last is the one that a joiner may take back and run on its
// own stack, and the order of the answers does not depend on it.
#include "workloads/tree.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/work.h"

struct tree_answer
tree_leaf(uint64_t value)
{
	return (struct tree_answer){ .tasks = 1, .sum = value, .weighted = value };
}

// Place i, from 0, weighs 2i + 1, so that each place has an odd weight: a value left out is seen, unless it is 0.
void
tree_append(struct tree_answer *a, const struct tree_answer *b)
{
	a->weighted += b->weighted + 2 * a->tasks * b->sum;
	a->sum += b->sum;
	a->tasks += b->tasks;
}

struct workload_result
tree_result(const struct tree_answer *a)
{
	return (struct workload_result){ .tasks = a->tasks, .checksum = a->weighted };
}

struct tree_node
tree_child(const struct tree_node *parent, uint64_t at)
{
	return (struct tree_node){ .tree = parent->tree, .depth = parent->depth + 1, .at = at };
}

// Appends, so that a node that runs twice counts twice.
void
tree_call(struct tree_node *node)
{
	struct tree_answer answer = node->tree->body(node);

	tree_append(&node->answer, &answer);
}

static void
join_call(struct tree_node *node)
{
	(void)node;
}

static void
enter_goroutine(void *node)
{
	tree_call(node);
}

static void
fork_goroutine(struct tree_node *node)
{
	node->task = mn_spawn(enter_goroutine, node);
	if (!node->task)
		node->tree->error = -ENOMEM;
}

static void
join_goroutine(struct tree_node *node)
{
	if (node->task)
		mn_join(node->task);
}

static void *
enter_thread(void *node)
{
	tree_call(node);
	return NULL;
}

static bool
start_thread(struct tree_node *node)
{
	size_t stack = (size_t)TREE_THREAD_STACK_KB * 1024;
	pthread_attr_t attr;

	if (pthread_attr_init(&attr) != 0)
		return false;
	bool started = pthread_attr_setstacksize(&attr, stack) == 0 &&
	               pthread_create(&node->thread, &attr, enter_thread, node) == 0;

	pthread_attr_destroy(&attr);
	return started;
}

// Whoever finds no room among the threads, or gets none from the system, does the child's work itself.
static void
fork_thread(struct tree_node *node)
{
	node->in_thread = node->tree->threads++ < TREE_THREADS_MAX && start_thread(node);
	if (!node->in_thread) {
		node->tree->threads--;
		tree_call(node);
	}
}

static void
join_thread(struct tree_node *node)
{
	if (!node->in_thread)
		return;
	pthread_join(node->thread, NULL);
	node->tree->threads--;
}

struct tree_runtime {
	void (*fork)(struct tree_node *child);
	void (*join)(struct tree_node *child);
};

static const struct tree_runtime serial = { tree_call, join_call };
static const struct tree_runtime goroutines = { fork_goroutine, join_goroutine };
static const struct tree_runtime threads = { fork_thread, join_thread };

void
tree_fork(struct tree_node *child)
{
	child->tree->runtime->fork(child);
}

void
tree_join(struct tree_node *child)
{
	child->tree->runtime->join(child);
}

struct tree_answer
tree_fork_all(struct tree_node *child, long n)
{
	struct tree_answer all = { 0 };

	for (long i = 0; i < n; i++)
		tree_fork(&child[i]);
	for (long i = n; i-- > 0;)
		tree_join(&child[i]);
	for (long i = 0; i < n; i++)
		tree_append(&all, &child[i].answer);
	return all;
}

int
tree_setup(struct workload_run *run, struct tree_answer (*body)(struct tree_node *), uint64_t root, long children)
{
	struct tree *tree = malloc(sizeof(*tree));

	if (!tree)
		return -ENOMEM;
	*tree = (struct tree){ .run = run, .body = body, .root = root };
	tree->child = calloc((size_t)children + 1, sizeof(*tree->child));
	if (!tree->child) {
		free(tree);
		return -ENOMEM;
	}
	run->state = tree;
	work_ensure_rate();
	return 0;
}

void
tree_teardown(struct workload_run *run)
{
	struct tree *tree = run->state;

	free(tree->child);
	free(tree);
	run->state = NULL;
}

static void
run_root(struct workload_run *run, const struct tree_runtime *runtime)
{
	struct tree *tree = run->state;
	struct tree_node root = { .tree = tree, .at = tree->root };

	tree->runtime = runtime;
	tree->error = 0;
	tree_call(&root);
	run->result = tree_result(&root.answer);
	if (tree->error)
		fprintf(stderr, "workload %s: a goroutine could not be started: %s\n", run->workload->name,
		        strerror(-tree->error));
}

void
tree_main(struct workload_run *run)
{
	run_root(run, &goroutines);
}

void
tree_serial(struct workload_run *run)
{
	run_root(run, &serial);
}

int
tree_threads(struct workload_run *run)
{
	run_root(run, &threads);
	return 0;
}
