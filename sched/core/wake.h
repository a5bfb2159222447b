// SPDX-License-Identifier: MIT
// wake.h: how work that was just made runnable finds an M. The protocol, and why no wakeup is lost, is told in wake.c.
#ifndef SCHED_CORE_WAKE_H
#define SCHED_CORE_WAKE_H

#include "sched/core/scheduler.h"

void mn_wake_slow(void);

// After work has been put into any queue, by anybody.
static inline void
wake_for_any(void)
{
	struct sched *s = &mn_sched;

	fence_store_load(); // WK1
	if (load_relaxed(&s->nspinning) != 0)
		return;
	// WK3: set and still set: whoever clears it searches afterwards.
	if (load_relaxed(&s->npidle) == 0 && load_relaxed(&s->needspinning) != 0)
		return;
	mn_wake_slow();
}

// The same by an M that holds a P: if that is the only P there is, nobody else could run the work.
static inline void
wake_for_work(void)
{
	if (num_ps() > 1)
		wake_for_any();
}

// After work has been put into the caller's own local queue: nobody may take it from there if nobody steals. What spilled from it
// anybody may.
static inline void
wake_for_local(void)
{
	if (mn_sched.how_many || globq_len(&mn_sched.globq) > 0)
		wake_for_work();
}

// m begins to search; it holds a P.
void mn_start_spinning(struct m *m);
// m found work: its role as the one who looks passes on, if there is more work in sight.
void mn_stop_spinning_found(struct m *m);
// m, which holds no P any more, gives the search up. Answers a P to go back to work with (m then counts as searching
// again), or NULL.
struct p *mn_stop_spinning_parking(struct m *m);

#endif
