// SPDX-License-Identifier: MIT
// sema.c: the table of those who wait, by address.
//
// 251 buckets (Go's number; a prime, so that no stride of addresses favours one), each on lines of its own. Two sides meet,
// each writing one word and then reading the other's:
//
//	acquire                              release
//	  waiting + 1          (SM1)           count + 1            (SM1)
//	  count > 0: take it   (SM1)           waiting is 0: done   (SM1)
//	  else into the tree, park             else lock, take the first out, wake him
//
// All four are sequentially consistent: a releaser that sees nobody waiting comes, in their one order, before the waiter's
// look at the count, which then sees the unit. A waiter drops the bucket's lock only when it is parked (the commit):
// whoever saw it counted, and takes the lock, finds it in the tree.
//
// Nothing is held beyond a wait, so the end of a run has nothing to release.
#include "sched/sync/sema.h"

#include "sched/os/lock.h"
#include "sched/sync/sema_tree.h"

enum { BUCKETS = 251 };

struct bucket {
	alignas(CACHE_LINE) struct lock lock;
	_Atomic uint32_t waiting; // (a) goroutines in the tree, and one that may go there; written under the lock
	struct sema_tree tree;    // (l)
};

static struct bucket table[BUCKETS];

static struct bucket *
bucket_of(const _Atomic uint32_t *count)
{
	return &table[((uintptr_t)count >> 3) % BUCKETS];
}

bool
mn_sema_try(_Atomic uint32_t *count)
{
	uint32_t n = load_seq_cst(count); // SM1: after the waiter has counted itself

	while (n > 0)
		if (cas_seq_cst(count, &n, n - 1)) // SM2: acquires what the releaser did before
			return true;
	return false;
}

static void
lower_waiting_locked(struct bucket *b)
{
	lock_assert_held(&b->lock);
	store_relaxed(&b->waiting, load_relaxed(&b->waiting) - 1);
}

static bool
commit_wait(struct g *g, void *arg)
{
	struct bucket *b = arg;

	(void)g;
	unlock(&b->lock);
	return true;
}

// One stay in the tree, if it comes to that. True: a unit is ours.
static bool
wait_once(_Atomic uint32_t *count, struct sema_waiter *w, bool front, enum wait_reason reason)
{
	struct bucket *b = bucket_of(count);

	lock(&b->lock);
	add_seq_cst(&b->waiting, 1); // SM1
	if (mn_sema_try(count)) {
		lower_waiting_locked(b);
		unlock(&b->lock);
		return true;
	}
	mn_sema_tree_add(&b->tree, w, front);
	mn_park(commit_wait, b, reason);
	return w->granted || mn_sema_try(count);
}

void
mn_sema_acquire(_Atomic uint32_t *count, bool front, enum wait_reason reason)
{
	struct sema_waiter self;

	if (mn_sema_try(count))
		return;
	self = (struct sema_waiter){ .addr = count, .g = mn_self_g() };
	while (!wait_once(count, &self, front, reason))
		continue;
}

static struct sema_waiter *
take_first(struct bucket *b, const _Atomic uint32_t *count)
{
	struct sema_waiter *w;

	lock(&b->lock);
	w = mn_sema_tree_take(&b->tree, count);
	if (w)
		lower_waiting_locked(b);
	unlock(&b->lock);
	return w;
}

void
mn_sema_release(_Atomic uint32_t *count, bool handoff)
{
	struct bucket *b = bucket_of(count);
	struct sema_waiter *w;
	bool granted;

	add_seq_cst(count, 1);              // SM1; SM2: releases what the caller did before
	if (load_seq_cst(&b->waiting) == 0) // SM1
		return;
	w = take_first(b, count);
	if (!w)
		return;
	granted = handoff && mn_sema_try(count); // false: somebody was faster; w will wait again
	w->granted = granted;
	mn_ready(w->g); // from here on w may be gone
	if (granted)
		mn_goyield();
}

uint32_t
mn_sema_waiting(const _Atomic uint32_t *count)
{
	struct bucket *b = bucket_of(count);
	uint32_t n;

	lock(&b->lock);
	n = load_relaxed(&b->waiting);
	unlock(&b->lock);
	return n;
}

uint64_t
mn_sema_looks(const _Atomic uint32_t *count)
{
	struct bucket *b = bucket_of(count);
	uint64_t looks;

	lock(&b->lock);
	looks = b->tree.looks;
	unlock(&b->lock);
	return looks;
}
