// SPDX-License-Identifier: MIT
// wait_group.c: waiting until a count of unfinished work is zero.
//
// add and done are one atomic addition unless somebody waits and the count reaches zero. Waiters stand in a list under the
// group's lock; the count and the number of waiters share a word, so that the one who takes the count to zero knows whether
// there is anybody to wake. A waiter raises that number under the lock, and drops the lock only once it is parked (the
// commit): whoever sees it counted, and takes the lock, finds it in the list.
#include "sched/core/park.h"
#include "sched/mn.h"

// The list's node, on the waiter's stack, alive until the waiter runs again.
struct waiter {
	struct waiter *next;
	struct g *g;
};

struct group {
	_Atomic uint64_t state; // count in the upper half, waiters in the lower
	struct lock lock;       // guards the list, and the lower half's rise
	struct waiter *last;    // the newest, whose next is the oldest
};

_Static_assert(sizeof(struct group) <= sizeof(struct mn_wait_group), "struct mn_wait_group has room for it");

static struct group *
group_of(struct mn_wait_group *wg)
{
	return (struct group *)wg->opaque;
}

static int32_t
count_of(uint64_t state)
{
	return (int32_t)(state >> 32);
}

static uint32_t
waiters_of(uint64_t state)
{
	return (uint32_t)state;
}

// WG: its lock orders it with the waiter that was counted. The order of waking is that of waiting.
static void
wake_all(struct group *wg)
{
	struct waiter *last, *w;

	lock(&wg->lock);
	last = wg->last;
	wg->last = NULL;
	store_release(&wg->state, 0); // WG: nobody else writes it: the count is zero and add beside wait is misuse
	unlock(&wg->lock);
	for (w = last ? last->next : NULL; w;) {
		struct waiter *next = w == last ? NULL : w->next; // the node dies when its owner runs

		mn_ready(w->g);
		w = next;
	}
}

void
mn_wait_group_add(struct mn_wait_group *public, int n)
{
	struct group *wg = group_of(public);
	// WG: releases what the caller did before; acquires, for the last one, what all others did.
	uint64_t delta = (uint64_t)(int64_t)n << 32;
	uint64_t state = add_acq_rel(&wg->state, delta) + delta;

	if (count_of(state) < 0)
		mn_throw("sync: negative WaitGroup counter");
	if (n > 0 && waiters_of(state) > 0 && count_of(state) == n)
		mn_throw("sync: WaitGroup misuse: Add called concurrently with Wait");
	if (count_of(state) == 0 && waiters_of(state) > 0)
		wake_all(wg);
}

void
mn_wait_group_done(struct mn_wait_group *wg)
{
	mn_wait_group_add(wg, -1);
}

static bool
commit_wait(struct g *g, void *arg)
{
	struct group *wg = arg;

	(void)g;
	unlock(&wg->lock);
	return true;
}

// With the lock held: counts the caller among the waiters. False: the count is zero, there is nothing to wait for.
static bool
enlist_locked(struct group *wg, struct waiter *w)
{
	uint64_t state;

	do {
		// WG: anew each time, for a CAS that failed has not acquired what it found.
		state = load_acquire(&wg->state);
		if (count_of(state) == 0)
			return false;
	} while (!cas_acq_rel(&wg->state, &state, state + 1)); // WG
	w->next = wg->last ? wg->last->next : w;
	if (wg->last)
		wg->last->next = w;
	wg->last = w;
	return true;
}

void
mn_wait_group_wait(struct mn_wait_group *public)
{
	struct group *wg = group_of(public);
	struct waiter self = { .g = mn_self_g() };

	if (count_of(load_acquire(&wg->state)) == 0) // WG
		return;
	lock(&wg->lock);
	if (enlist_locked(wg, &self))
		mn_park(commit_wait, wg, WAIT_GROUP);
	else
		unlock(&wg->lock);
}
