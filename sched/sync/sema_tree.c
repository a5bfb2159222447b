// SPDX-License-Identifier: MIT
// sema_tree.c: a treap: a search tree by address that is at the same time a heap by weight. With weights that have nothing to
// do with the addresses its shape is that of a tree filled in random order: some 2 ln n nodes from root to leaf.
//
// A node's weight is a hash of its address, not a random number as in Go: no generator is shared by those who wait, and the
// tree's shape does not depend on the order in which they came. Nobody outside can choose addresses to spoil it. Instead of
// rotations, which need links to parents, a new node splits the tree below it in two, and a node that goes leaves its two
// subtrees to be merged; both walk down one path. Rejected: one list a bucket (quadratic when many addresses share one), and
// red-black or AVL (three times the code for the same bound).
#include "sched/sync/sema_tree.h"

#include "sched/base/rng.h"

static uint64_t
weight_of(const _Atomic uint32_t *addr)
{
	struct rng r = { .state = (uintptr_t)addr };

	return rng_next(&r);
}

static struct sema_waiter **
branch(struct sema_waiter *w, const _Atomic uint32_t *addr)
{
	return (uintptr_t)addr < (uintptr_t)w->addr ? &w->less : &w->more;
}

// The link to addr's node, or the empty one where the search for it ends. *spot, if asked for: the link to the first node
// on the way that is lighter than weight, which is where a new node belongs.
static struct sema_waiter **
find(struct sema_tree *t, const _Atomic uint32_t *addr, uint64_t weight, struct sema_waiter ***spot)
{
	struct sema_waiter **link = &t->root;

	while (*link && (*link)->addr != addr) {
		t->looks++;
		if (spot && !*spot && (*link)->weight < weight)
			*spot = link;
		link = branch(*link, addr);
	}
	return link;
}

// Sets w above the subtree at link, whose nodes go to w's two sides.
static void
plant(struct sema_tree *t, struct sema_waiter **link, struct sema_waiter *w)
{
	struct sema_waiter *rest = *link, **less = &w->less, **more = &w->more;

	*link = w;
	for (; rest; t->looks++) {
		if ((uintptr_t)rest->addr < (uintptr_t)w->addr) {
			*less = rest;
			less = &rest->more;
			rest = rest->more;
		} else {
			*more = rest;
			more = &rest->less;
			rest = rest->less;
		}
	}
	*less = NULL;
	*more = NULL;
}

// heir takes the place that head had in the tree.
static void
replace(struct sema_waiter **link, struct sema_waiter *heir)
{
	struct sema_waiter *head = *link;

	heir->less = head->less;
	heir->more = head->more;
	heir->weight = head->weight;
	heir->last = head->last;
	*link = heir;
}

static void
join(struct sema_waiter **link, struct sema_waiter *w, bool front)
{
	struct sema_waiter *head = *link;

	if (front) {
		w->next = head;
		replace(link, w);
	} else {
		head->last->next = w;
		head->last = w;
	}
}

void
mn_sema_tree_add(struct sema_tree *t, struct sema_waiter *w, bool front)
{
	struct sema_waiter **spot = NULL, **link;

	w->weight = weight_of(w->addr);
	w->next = NULL;
	w->last = w;
	link = find(t, w->addr, w->weight, &spot);
	if (*link)
		join(link, w, front);
	else
		plant(t, spot ? spot : link, w);
}

// All of less stands left of all of more.
static struct sema_waiter *
merge(struct sema_tree *t, struct sema_waiter *less, struct sema_waiter *more)
{
	struct sema_waiter *top, **link = &top;

	for (; less && more; t->looks++) {
		if (less->weight > more->weight) {
			*link = less;
			link = &less->more;
			less = less->more;
		} else {
			*link = more;
			link = &more->less;
			more = more->less;
		}
	}
	*link = less ? less : more;
	return top;
}

struct sema_waiter *
mn_sema_tree_take(struct sema_tree *t, const _Atomic uint32_t *addr)
{
	struct sema_waiter **link = find(t, addr, 0, NULL), *head = *link;

	if (!head)
		return NULL;
	if (head->next)
		replace(link, head->next);
	else
		*link = merge(t, head->less, head->more);
	return head;
}
