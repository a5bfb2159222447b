// SPDX-License-Identifier: MIT
// mutex.c: the mutex, with Go's two modes.
//
// Normal mode is for throughput. Waiters queue first in first out, but one that is woken does not own the lock: it competes
// with newcomers, which are on a processor already and mostly win. If it loses it goes back to the front of the queue. A
// newcomer may spin for a moment, if the holder runs elsewhere and nothing else is to be done here.
//
// Starvation mode is for the tail. A waiter that has waited for more than STARVING_NS and fails again switches to it. Unlock
// then hands the lock, and the rest of its slice, to the first waiter; newcomers neither take the lock nor spin, but queue
// at the end. One that is handed the lock switches back if it is the last waiter or has not waited for long.
//
// Rejected: always handing over (a convoy: each section costs a switch), and never (a waiter may lose for ever against one
// that unlocks and locks in a loop).
#include "sched/sync/mutex.h"

#include "sched/core/scheduler.h"
#include "sched/sync/sema.h"

enum { SPINS = 4, PAUSES = 30, STARVING_NS = 1000000 };

// What one that did not get the lock at once knows of itself.
struct attempt {
	int64_t since; // when it first queued, 0: it has not
	int spins;
	bool woken;    // MUTEX_WOKEN is set on its account
	bool starving; // it has waited for longer than STARVING_NS
};

// ---- Spinning

// It pays only if the holder can run meanwhile (another processor, another P that is neither idle nor searching), and this
// P has nothing better to do.
static bool
may_spin(int spins)
{
	struct sched *s = &mn_sched;

	if (spins >= SPINS || s->npus <= 1)
		return false;
	if (num_ps() <= load_relaxed(&s->npidle) + load_relaxed(&s->nspinning) + 1)
		return false;
	return mn_runq_empty(&m_p(mn_m())->runq);
}

// Answers the state after a moment. Says first that somebody is awake, so that unlock does not wake another.
static uint32_t
spin(struct mutex *m, struct attempt *a, uint32_t state)
{
	if (!a->woken && !(state & MUTEX_WOKEN) && state >= MUTEX_WAITER)
		a->woken = cas_relaxed(&m->state, &state, state | MUTEX_WOKEN);
	for (int i = 0; i < PAUSES; i++)
		cpu_pause();
	a->spins++;
	return load_relaxed(&m->state);
}

// ---- Locking

// What the state becomes if a is to hold the lock, or to queue for it.
static uint32_t
after_attempt(uint32_t state, const struct attempt *a)
{
	uint32_t next = state;

	if (!(state & MUTEX_STARVING))
		next |= MUTEX_LOCKED;
	if (state & (MUTEX_LOCKED | MUTEX_STARVING))
		next += MUTEX_WAITER;
	if (a->starving && (state & MUTEX_LOCKED))
		next |= MUTEX_STARVING;
	if (a->woken)
		next &= ~(uint32_t)MUTEX_WOKEN;
	return next;
}

static _Noreturn void
inconsistent(void)
{
	mn_throw("sync: inconsistent mutex state");
}

// Handed over by unlock in starvation mode. Nobody else moves the lock bit until we have set it.
static void
take_over(struct mutex *m, bool starving)
{
	uint32_t state = load_relaxed(&m->state), change = (uint32_t)MUTEX_LOCKED - MUTEX_WAITER;

	if (state & (MUTEX_LOCKED | MUTEX_WOKEN) || state < MUTEX_WAITER)
		inconsistent();
	// Without the switch back two goroutines that both take their turns would stay in this mode for ever.
	if (!starving || state / MUTEX_WAITER == 1)
		change -= MUTEX_STARVING;
	add_acq_rel(&m->state, change); // MX1
}

// Counted as a waiter: sleeps until woken. True: the lock was handed over.
static bool
wait_turn(struct mutex *m, struct attempt *a)
{
	bool again = a->since != 0;

	if (!again)
		a->since = mn_os_now();
	mn_sema_acquire(&m->sema, again, WAIT_MUTEX);
	a->starving = a->starving || mn_os_now() - a->since > STARVING_NS;
	if (load_relaxed(&m->state) & MUTEX_STARVING) {
		take_over(m, a->starving);
		return true;
	}
	a->woken = true;
	a->spins = 0;
	return false;
}

static NOINLINE void
lock_slow(struct mutex *m)
{
	struct attempt a = { 0 };
	uint32_t state = load_relaxed(&m->state);

	for (;;) {
		if ((state & (MUTEX_LOCKED | MUTEX_STARVING)) == MUTEX_LOCKED && may_spin(a.spins)) {
			state = spin(m, &a, state);
			continue;
		}
		if (a.woken && !(state & MUTEX_WOKEN))
			inconsistent();
		if (!cas_acquire(&m->state, &state, after_attempt(state, &a))) // MX1
			continue;
		if (!(state & (MUTEX_LOCKED | MUTEX_STARVING)) || wait_turn(m, &a))
			return;
		state = load_relaxed(&m->state);
	}
}

void
mn_mutex_lock(struct mn_mutex *public)
{
	struct mutex *m = mutex_of(public);
	uint32_t free = 0;

	if (unlikely(!cas_acquire(&m->state, &free, MUTEX_LOCKED))) // MX1
		lock_slow(m);
}

bool
mn_mutex_try_lock(struct mn_mutex *public)
{
	struct mutex *m = mutex_of(public);
	uint32_t state = load_relaxed(&m->state);

	if (state & (MUTEX_LOCKED | MUTEX_STARVING))
		return false;
	return cas_acquire(&m->state, &state, state | MUTEX_LOCKED); // MX1
}

// ---- Unlocking

// In normal mode with waiters: wakes one, unless somebody is awake or has the lock already.
static void
wake_one(struct mutex *m, uint32_t state)
{
	while (state >= MUTEX_WAITER && !(state & (MUTEX_LOCKED | MUTEX_WOKEN | MUTEX_STARVING))) {
		if (cas_relaxed(&m->state, &state, (state - MUTEX_WAITER) | MUTEX_WOKEN)) {
			mn_sema_release(&m->sema, false);
			return;
		}
	}
}

static NOINLINE void
unlock_slow(struct mutex *m, uint32_t state)
{
	if (!((state + MUTEX_LOCKED) & MUTEX_LOCKED))
		mn_throw("sync: unlock of unlocked mutex");
	if (state & MUTEX_STARVING)
		mn_sema_release(&m->sema, true);
	else
		wake_one(m, state);
}

void
mn_mutex_unlock(struct mn_mutex *public)
{
	struct mutex *m = mutex_of(public);
	uint32_t state = sub_acq_rel(&m->state, MUTEX_LOCKED) - MUTEX_LOCKED; // MX1

	if (unlikely(state != 0))
		unlock_slow(m, state);
}
