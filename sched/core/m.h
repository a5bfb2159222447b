// SPDX-License-Identifier: MIT
// m.h: a thread that runs goroutines. Its own stack, g0, is where it looks for work and sleeps.
#ifndef SCHED_CORE_M_H
#define SCHED_CORE_M_H

#include "sched/core/g.h"
#include "sched/core/note.h"
#include "sched/core/p.h"

// What to do with a G that has just been left, on the far side of the switch: only there is it off its stack, and may be
// seen by others.
typedef void (*m_after)(struct m *m, struct g *left);

struct m {
	_Atomic(struct g *) curg; // (a) what runs on it; NULL: g0. Written by itself; sysmon and dumps read
	_Atomic(struct p *) p;    // (a) the P it holds. Written by itself, or by a retaker under curg's SCAN lock
	struct context g0;        // (o)

	m_after after;                      // (o) NULL, or what the next context does first
	struct g *left;                     // (o) with after
	bool (*commit)(struct g *, void *); // (o) with after, for park
	void *commit_arg;                   // (o)
	struct stack *dead_stack;           // (o) with after, for the end of a G
	struct context grave;               // (o) where a context that ends saves what nobody will want

	struct p *oldp;            // (o) the P that a system call was entered with
	struct p *nextp;           // written by the waker before it wakes the note
	_Atomic uint32_t spinning; // (a) counted in sched.nspinning. Written by itself, or by the waker before the note
	bool woken;                // likewise: woken for work, none run yet
	uint32_t owed_readied;     // (o) as below
	uint32_t owed_global_puts; // (o) counted without a P; the next P takes them over
	int bound_pu;              // (o) what its thread is bound to, -1: nothing
	struct note note;          // its bed

	struct g *locked_g;   // (o) the only G it runs, NULL: any
	struct g *pending;    // (o) what g0 is to deal with first: a G that is locked to another M
	bool pending_inherit; // (o)
	bool nothread;        // (l) its thread has ended and been joined
	bool doomed;          // (o) its locked G has ended: the thread goes with it

	int id;              // (c)
	struct m *idle_link; // under sched.lock
	struct m *all_link;  // under sched.lock; never removed while a scheduler runs
	struct mn_os_thread thread;
	struct mn_os_alt_stack alt_stack; // (o)
};

// The calling thread's M, NULL on a foreign thread. Anew after every switch.
static inline struct m *
mn_m(void)
{
	return mn_os_self();
}

// What an M that is not the caller's runs at the moment; NULL: g0, or no M. A hint, and a G that exists.
static inline struct g *
m_g_of_other(struct m *m)
{
	return m ? load_acquire(&m->curg) : NULL; // CG
}

// A call of the library where none is allowed: between entering a system call and leaving it.
_Noreturn void mn_misplaced(const char *what) __attribute__((cold));

static inline struct p *
m_p(struct m *m)
{
	return load_relaxed(&m->p);
}

static inline struct g *
m_g(struct m *m)
{
	return load_relaxed(&m->curg);
}

// Makes m hold p, which nobody holds; binds its thread where p is bound. Gives it up again: p is then in the caller's hand.
void mn_acquire_p(struct m *m, struct p *p);
struct p *mn_release_p(struct m *m);

// Runs p: wakes an idle M, or creates one. spinning: the caller has counted it in nspinning.
void mn_start_m(struct p *p, bool spinning);
// The same with sched.lock held on entry; released on return.
void mn_start_m_unlock(struct p *p, bool spinning);

// Sleeps, without a P, until a P is handed over (true) or the scheduler ends (false).
bool mn_stop_m(struct m *m);

// sysmon is about to take a P off a system call; has found a place for it, or got none. In between nobody is dead.
void mn_begin_carry(void);
void mn_end_carry(void);

// The calling M lies down to sleep for timers and the network, or rises.
void mn_in_bed(bool in);

// Sleeps, after its P has been given away, until the G it is locked to may run; answers that G, m holding a P again. NULL: the
// scheduler ends.
struct g *mn_wait_for_locked_g(struct m *m);
// Hands m's P to the M that g is locked to, for it to run g.
void mn_start_locked_m(struct m *m, struct g *g);
// The end of an M whose locked G has ended on it.
void mn_m_die(struct m *m);
// Creates the threads that Ms which are locked asked for: a thread inherits its creator's state, which may be odd there. By sysmon.
void mn_m_births(void);
// Gives m a thread, or has it given one.
void mn_give_birth(struct m *m);
// With sched.lock held: a new descriptor, counted; m's thread is about to end, for mn_m_funerals, by sysmon, to join.
struct m *mn_m_new_locked(void);
void mn_m_dies_locked(struct m *m);
void mn_m_funerals(void);
// Whether an M can be had for a P: an idle one, or a new one within threads_max (or the option says to abort there).
bool mn_may_start_locked(void);
bool mn_may_start(void);
// A new one is needed: the fatal text, if there may be no more.
void mn_check_threads_locked(void);
// With sched.lock held: whether all are asleep, and what follows.
void mn_check_dead_locked(void);

// An M of its own for the thread that calls, and the loop of every other.
struct m *mn_m_adopt(void);
void mn_m_leave(struct m *m);
void mn_m_loop(struct m *m);
void mn_m_join_all(void);

#endif
