// SPDX-License-Identifier: MIT
// wake.c: submitting work and going to sleep, without losing a wakeup and without waking a thread for each G.
//
// The contract: work submitted while nspinning > 0 will be found. So a submitter wakes somebody only when nobody searches,
// one M at a time, and an M that finds work while searching hands the role on if it sees more (a chain, as in Go).
// Rejected: waking min(work, idle) at once (a herd that finds nothing), and hand-off of a P at each ready (kills locality).
//
// Two sides meet, each storing one word and then reading the other's:
//
//	submit                              park
//	  put the G into a queue              P onto the idle list, npidle + 1
//	  fence                 (WK1)         if searching: nspinning - 1
//	  read nspinning, npidle              fence                    (WK2)
//	  nobody searches, one is idle:       look at every queue again
//	      wake it                         something there: back to work
//
// With both fences one of them sees the other. A C11 release store is a plain store and would not do: Go's "release" is an
// exchange on amd64. An M that does not search skips the long look (else idle Ms chase each other, golang/go#43997), which
// alone would lose work submitted while no P was idle (golang/go#45867). needspinning closes that gap:
//
//	submit                              park, of one that does not search
//	  put                                 P onto the idle list, npidle + 1
//	  fence                 (WK1)         fence                    (WK2)
//	  npidle is 0: needspinning = 1       needspinning is 1, or the global queue is not empty:
//	  fence                 (WK3)             take the P back and search
//	  npidle still 0: done
//
// and whoever begins to search clears needspinning first and looks after (WK3), so a submitter that finds it set can leave
// it at that: the clearing, and hence the look, are still to come.
#include "sched/core/wake.h"

// Nobody searches, as far as the caller saw. Wakes one M for an idle P, or leaves word that one should search.
void
mn_wake_slow(void)
{
	struct sched *s = &mn_sched;
	uint32_t nobody = 0;
	struct p *p;

	if (load_relaxed(&s->npidle) == 0) {
		store_relaxed(&s->needspinning, 1);
		fence_store_load(); // WK3
		if (load_relaxed(&s->npidle) == 0)
			return;
	}
	// One waker at a time: the count stands for the M that is about to be woken.
	if (!cas_seq_cst(&s->nspinning, &nobody, 1))
		return;
	lock(&s->lock);
	p = mn_pidle_get_locked();
	if (!p) {
		// Lowered under the lock: an M that parks in between would trust a searcher that does not exist.
		// And before word is left: a searcher that clears it in between has seen the count without ours.
		sub_seq_cst(&s->nspinning, 1);
		store_relaxed(&s->needspinning, 1);
		unlock(&s->lock);
		return;
	}
	mn_start_m_unlock(p, true);
}

void
mn_start_spinning(struct m *m)
{
	struct sched *s = &mn_sched;

	DCHECK(m_p(m) && !load_relaxed(&m->spinning));
	store_relaxed(&m->spinning, 1);
	add_seq_cst(&s->nspinning, 1);
	if (load_relaxed(&s->needspinning))
		store_relaxed(&s->needspinning, 0);
	fence_store_load(); // WK3: cleared before the look at the queues that follows
	COUNT(m_p(m), spins);
}

static void
lower_nspinning(struct m *m)
{
	uint32_t was = sub_seq_cst(&mn_sched.nspinning, 1);

	CHECK(was > 0);
	store_relaxed(&m->spinning, 0);
	fence_store_load(); // WK2
}

void
mn_stop_spinning_found(struct m *m)
{
	struct sched *s = &mn_sched;

	lower_nspinning(m);
	if (load_relaxed(&s->nspinning) != 0)
		return;
	// With no P idle nobody can be woken, but word must be left: somebody who was told that we search may be about to lie
	// down (golang/go#45867).
	// And timers that nobody sleeps for: whoever started one while we searched left them to us.
	if (load_relaxed(&s->npidle) == 0 || mn_work_in_sight() || mn_source_unattended())
		mn_wake_slow();
}

static struct p *
take_idle_p(void)
{
	struct sched *s = &mn_sched;
	struct p *p;

	lock(&s->lock);
	p = mn_pidle_get_locked();
	if (!p)
		store_relaxed(&s->needspinning, 1);
	unlock(&s->lock);
	return p;
}

struct p *
mn_stop_spinning_parking(struct m *m)
{
	DCHECK(!m_p(m));
	lower_nspinning(m);
	return mn_work_in_sight() ? take_idle_p() : NULL;
}
