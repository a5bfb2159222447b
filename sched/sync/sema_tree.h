// SPDX-License-Identifier: MIT
// sema_tree.h: who waits on which address, in one bucket of the semaphore table. A search tree of addresses; the goroutines
// that wait on one address form a list behind the node that stands in the tree. Nodes live on the waiters' stacks.
#ifndef SCHED_SYNC_SEMA_TREE_H
#define SCHED_SYNC_SEMA_TREE_H

#include "sched/base/atomic.h"

struct g;

// (l) all but g and granted: under the bucket's lock while it stands in the tree.
struct sema_waiter {
	const _Atomic uint32_t *addr;    // what it waits on
	struct sema_waiter *next;        // behind it on the same address
	struct sema_waiter *last;        // of the list; only in a list's first, as the next three
	struct sema_waiter *less, *more; // smaller and larger addresses
	uint64_t weight;                 // never below that of a node further down
	struct g *g;                     // (c)
	bool granted; // a unit was taken on its behalf. Written by the releaser before mn_ready, read by g after
};

struct sema_tree {
	struct sema_waiter *root;
	uint64_t looks; // nodes passed on the way to others, for tests and dumps
};

// Adds w behind those who wait on its address, or (front) before them.
void mn_sema_tree_add(struct sema_tree *t, struct sema_waiter *w, bool front);

// Takes the first who waits on addr out; NULL: nobody.
struct sema_waiter *mn_sema_tree_take(struct sema_tree *t, const _Atomic uint32_t *addr);

#endif
