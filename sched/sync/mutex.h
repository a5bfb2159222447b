// SPDX-License-Identifier: MIT
// mutex.h: the words of a mutex. How they change is told in mutex.c.
#ifndef SCHED_SYNC_MUTEX_H
#define SCHED_SYNC_MUTEX_H

#include "sched/base/atomic.h"
#include "sched/mn.h"

enum mutex_bits {
	MUTEX_LOCKED = 1,   // held. Clear although starving: on its way to the first waiter
	MUTEX_WOKEN = 2,    // somebody is awake and tries: unlock need wake nobody. Set by unlock, or by one that spins
	MUTEX_STARVING = 4, // handed over in order; newcomers queue even if it is free
	MUTEX_WAITER = 8,   // one waiter; their number is what stands above
};

struct mutex {
	_Atomic uint32_t state; // (a) MX1: release by unlock, acquire by the next holder
	_Atomic uint32_t sema;  // (a) the semaphore that waiters wait on; 1 only while a waiter is being woken
};

_Static_assert(sizeof(struct mutex) <= sizeof(struct mn_mutex), "struct mn_mutex has room for it");

static inline struct mutex *
mutex_of(struct mn_mutex *m)
{
	return (struct mutex *)m->opaque;
}

#endif
