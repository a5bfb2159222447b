// SPDX-License-Identifier: MIT
// timer_heap.h: what a timer is, the pool they come from, and the heap of a P: e[0] is the earliest, the children of i are 4i+1 .. 4i+4.
// timer.c tells how they work together.
#ifndef SCHED_SYNC_TIMER_HEAP_H
#define SCHED_SYNC_TIMER_HEAP_H

#include "sched/core/p.h"
#include "sched/mn.h"
#include "sched/os/lock.h"

struct heap;

struct timer {
	struct spin_lock lock;
	bool armed;           // (l) will fire at `when`
	struct heap *heap;    // (l) the heap that has its entry; NULL: none has
	uint64_t generation;  // (l) raised when it goes back to the pool
	int64_t when, period; // (l)
	mn_fn fn;             // (l)
	void *arg;            // (l)
	struct timer *next;   // in the pool
};

struct entry {
	int64_t when; // its timer's at the time of the last look: never later than the truth, but for `sooner`
	struct timer *timer;
};

struct heap {
	struct spin_lock lock;
	struct p *p;
	struct entry *e;          // (l)
	size_t n, room;           // (l)
	_Atomic int64_t sooner;   // (a) earliest new time of a timer that was moved forward; SOURCE_NEVER
	_Atomic uint32_t stopped; // (a) about how many entries are of stopped timers
};

// What struct mn_timer is.
struct handle {
	struct timer *timer;
	uint64_t generation, run;
	mn_fn fn;
	void *arg;
	int64_t period;
};
_Static_assert(sizeof(struct handle) <= sizeof(struct mn_timer), "struct mn_timer has room for it");

static inline struct handle *
handle_of(struct mn_timer *public)
{
	return (struct handle *)public->opaque;
}

// ---- The pool

struct timer *mn_timer_new(void);
// With its lock held, released here: no handle knows it any more.
void mn_timer_free_unlock(struct timer *t);
// All of them, at the end of a run.
void mn_timer_pool_release(void);
// Which run this is: handles of an earlier one are worth nothing.
uint64_t mn_timer_run(void);

// ---- The heap, all with its lock held

enum { ARITY = 4 };

// The P's own; made at its first timer.
struct heap *mn_heap_of(struct p *p);
void mn_heap_push(struct heap *h, int64_t when, struct timer *t);
void mn_heap_pop(struct heap *h);
// The entry at i has become later.
void mn_heap_sink(struct heap *h, size_t i);
// Sets the P's next_timer.
void mn_heap_publish(struct heap *h);
// Takes stopped ones out, and gives every entry its timer's time of now. All in order afterwards.
void mn_heap_tidy_locked(struct heap *h);

static inline bool
heap_littered(const struct heap *h)
{
	return load_relaxed(&h->stopped) > h->n / 4;
}

// Late ticks are dropped: the next one is the first that is still to come. A period may reach past the end of time.
int64_t mn_next_tick(int64_t when, int64_t period, int64_t now);

#endif
