// SPDX-License-Identifier: MIT
// turn.h: goroutines take turns, in order of arrival.
//
// For whoever uses a descriptor in one direction: two writers must not mix their bytes, and a lock that newcomers may barge
// into (mn_mutex) would let one reader keep the others out for as long as there is data.
#ifndef SCHED_SYNC_TURN_H
#define SCHED_SYNC_TURN_H

#include "sched/core/g.h"
#include "sched/os/lock.h"

enum { TURN_FREE = 0, TURN_TAKEN = 1, TURN_WAITED = 2 };

struct turn_waiter;

// Ready when zeroed.
struct turn {
	_Atomic uint32_t word; // TURN_WAITED: taken, and the list is not empty (or about to be filled under the lock)
	struct lock lock;      // guards the list, and the moves to and from TURN_WAITED
	struct turn_waiter *first, *last;
};

void mn_turn_wait(struct turn *t);
void mn_turn_pass_on(struct turn *t);

static inline void
turn_take(struct turn *t)
{
	uint32_t was = TURN_FREE;

	// NP5: acquires what the last one left.
	if (unlikely(!cas_acquire(&t->word, &was, TURN_TAKEN)))
		mn_turn_wait(t);
}

static inline void
turn_give(struct turn *t)
{
	uint32_t was = TURN_TAKEN;

	// NP5: releases to the next.
	if (unlikely(!cas_release(&t->word, &was, TURN_FREE)))
		mn_turn_pass_on(t);
}

#endif
