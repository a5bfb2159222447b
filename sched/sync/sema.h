// SPDX-License-Identifier: MIT
// sema.h: the semaphore under all locks of this floor: a count at any address, and a place to wait for it to rise above zero.
// The word is the caller's; who waits for it stands in a table, so that a lock nobody waits for is a few bytes.
#ifndef SCHED_SYNC_SEMA_H
#define SCHED_SYNC_SEMA_H

#include "sched/core/park.h"

// Takes a unit if there is one. Never parks.
bool mn_sema_try(_Atomic uint32_t *count);

// Takes a unit; parks until there is one. front: before all others who wait there, for one that has waited before.
void mn_sema_acquire(_Atomic uint32_t *count, bool front, enum wait_reason reason);

// Gives a unit, and wakes the first who waits for one; he competes for it with whoever comes. handoff: he is given it, and
// the rest of the caller's slice. Without handoff *count is not touched any more once the unit is there: who gets it may
// free the memory.
void mn_sema_release(_Atomic uint32_t *count, bool handoff);

// For tests and dumps. Goroutines parked in the bucket of count, those of other addresses included.
uint32_t mn_sema_waiting(const _Atomic uint32_t *count);

// Nodes of that bucket's tree that searches have passed since the program began.
uint64_t mn_sema_looks(const _Atomic uint32_t *count);

#endif
