// SPDX-License-Identifier: MIT
// note.h: one sleeper, one waker, once. A wake before the sleep is not lost; wakes do not add up.
#ifndef SCHED_CORE_NOTE_H
#define SCHED_CORE_NOTE_H

#include "sched/base/atomic.h"
#include "sched/os/os.h"

enum { NOTE_CLEAR = 0, NOTE_SET = 1, NOTE_ASLEEP = 2 };

struct note {
	_Atomic uint32_t word;
};

// NT1: what the waker wrote before is visible to the sleeper after. The system is called only for one who sleeps.
static inline void
note_wake(struct note *n)
{
	if (xchg_acq_rel(&n->word, NOTE_SET) == NOTE_ASLEEP)
		mn_os_wake(&n->word, 1);
}

// Sleeps until woken, then clears the note. timeout in ns, negative: none. False: the time was up first.
static inline bool
note_sleep(struct note *n, int64_t timeout)
{
	uint32_t was = NOTE_CLEAR;

	if (cas_acquire(&n->word, &was, NOTE_ASLEEP)) { // NT1
		do
			mn_os_wait(&n->word, NOTE_ASLEEP, timeout);
		while (timeout < 0 && load_acquire(&n->word) == NOTE_ASLEEP); // NT1
	}
	return xchg_acquire(&n->word, NOTE_CLEAR) == NOTE_SET; // NT1
}

#endif
