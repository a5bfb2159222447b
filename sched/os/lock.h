// SPDX-License-Identifier: MIT
// lock.h: the library's own mutex. Not pthread's, because a lock may be released by another context than took it: park
// unlocks on the far side of a switch. Sleeps in the system when it must; never held across a park or a system call.
#ifndef SCHED_OS_LOCK_H
#define SCHED_OS_LOCK_H

#include "sched/base/check.h"
#include "sched/os/os.h"

enum { LOCK_FREE = 0, LOCK_HELD = 1, LOCK_WAITED = 2 };

struct lock {
	_Atomic uint32_t word; // LOCK_FREE, LOCK_HELD, or LOCK_WAITED: held, and somebody may sleep on it
};

void mn_lock_slow(struct lock *l);

static inline bool
lock_try(struct lock *l)
{
	uint32_t was = LOCK_FREE;

	// LK1: acquires what the last holder's unlock released.
	return cas_acquire(&l->word, &was, LOCK_HELD);
}

static inline void
lock(struct lock *l)
{
	if (unlikely(!lock_try(l)))
		mn_lock_slow(l);
}

static inline void
unlock(struct lock *l)
{
	// LK1: releases the critical section to the next holder.
	uint32_t was = xchg_release(&l->word, LOCK_FREE);

	DCHECK(was != LOCK_FREE);
	if (unlikely(was == LOCK_WAITED))
		mn_os_wake(&l->word, 1);
}

static inline void
lock_assert_held(struct lock *l)
{
	DCHECK(load_relaxed(&l->word) != LOCK_FREE);
	(void)l;
}

// ---- The same for sections of a few tens of ns, in which nothing is called that sleeps (once in hundreds, memory is asked for)
//
// Its release is a plain store, half the price of the other's: it does not look for sleepers. A waiter that has looked in
// vain for long (the holder is not running) sleeps for a short time, not until it is woken.

struct spin_lock {
	_Atomic uint32_t word; // LOCK_FREE or LOCK_HELD
};

void mn_spin_slow(struct spin_lock *l);

static inline bool
spin_try(struct spin_lock *l)
{
	// LK2: acquires what the last holder released. An exchange, not a CAS: cheaper, and the value left behind is the same.
	return xchg_acquire(&l->word, LOCK_HELD) == LOCK_FREE;
}

static inline void
spin_lock(struct spin_lock *l)
{
	if (unlikely(!spin_try(l)))
		mn_spin_slow(l);
}

static inline void
spin_unlock(struct spin_lock *l)
{
	DCHECK(load_relaxed(&l->word) == LOCK_HELD);
	store_release(&l->word, LOCK_FREE); // LK2
}

#endif
