// SPDX-License-Identifier: MIT
// lock.c: the waiting half of the mutex (the three-state futex lock of Drepper, "Futexes are tricky").
#include "sched/os/lock.h"

// Critical sections here are some tens of ns: a holder that runs is gone after a few looks. One that does not run keeps
// the lock for a time slice, so looking on is waste. 60 looks are about 2 us.
enum { LOOKS = 60 };

void
mn_lock_slow(struct lock *l)
{
	for (int i = 0; i < LOOKS; i++) {
		if (load_relaxed(&l->word) == LOCK_FREE && lock_try(l))
			return;
		cpu_pause();
	}
	// Whoever takes it from here leaves WAITED behind, which may be one sleeper too many: its unlock then wakes nobody.
	while (xchg_acquire(&l->word, LOCK_WAITED) != LOCK_FREE)
		mn_os_wait(&l->word, LOCK_WAITED, -1);
}

enum { SPIN_NAP_NS = 20000 };

void
mn_spin_slow(struct spin_lock *l)
{
	for (int i = 1;; i++) {
		if (load_relaxed(&l->word) == LOCK_FREE && spin_try(l))
			return;
		if (i % LOOKS == 0)
			mn_os_wait(&l->word, LOCK_HELD, SPIN_NAP_NS);
		else
			cpu_pause();
	}
}
