// SPDX-License-Identifier: MIT
// p.h: the right to run goroutines, and everything that running them needs at hand.
//
// A P belongs to the M that holds it, to the idle list, or to whoever carries it from one to the other: at each moment one
// of them writes its (o) fields. Thieves touch runq alone; sysmon and dumps read the (a) fields.
#ifndef SCHED_CORE_P_H
#define SCHED_CORE_P_H

#include "sched/base/rng.h"
#include "sched/core/g.h"
#include "sched/core/runq.h"

// Go's numbers. IDLE: nobody runs on it and its queue is empty. RUNNING: an M holds it, also while that M's G is in a
// system call.
// GCSTOP: halted while the world is stopped. DEAD: beyond GOMAXPROCS, kept for when it grows again.
enum p_status { P_IDLE = 0, P_RUNNING = 1, P_GCSTOP = 3, P_DEAD = 4 };

struct p_counters {
#define P_COUNTER_FIELD(name, what) _Atomic uint64_t name;
	MN_COUNTERS(P_COUNTER_FIELD)
#undef P_COUNTER_FIELD
};

#define COUNT(p, name)        tally_add(&(p)->n.name, 1)
#define COUNT_BY(p, name, by) tally_add(&(p)->n.name, (uint64_t)(by))

struct p {
	struct runq runq; // see there

	alignas(CACHE_LINE) _Atomic(struct m *) m; // (a) who holds it; NULL: nobody
	_Atomic uint32_t status;                   // (a) enum p_status
	_Atomic uint32_t schedtick;                // (o) time slices begun; a chain of runnext hand-offs is one slice
	_Atomic uint32_t syscalltick;              // (o) system calls left, and times it was taken from one
	_Atomic uint32_t preempt;      // (a) sysmon asks: give way at the next mn_check. Set by it, cleared by (o)
	uint32_t tick_left;            // (o) slices until the global queue's turn; 0: due
	uint32_t id;                   // (c)
	int pu;                        // (c) the PU it is bound to, or -1
	uint64_t next_id, end_id;      // (o) goroutine numbers in stock
	_Atomic int64_t next_timer;    // (a) earliest of its timers, SOURCE_NEVER: none. Written under the heap's lock
	void *timers;                  // (c) the heap, sync/timer.c's; NULL until the first
	struct rng rng;                // (o)
	uint32_t last_victim;          // (o) for victim=round-robin
	uint32_t lone_yields;          // (o) yields in a row that found nobody else
	struct g **loot;               // (o) scratch for batches: cap + 1 pointers
	struct g_cache gs;             // (o)
	struct stack_cache stacks;     // (o)
	_Atomic uint64_t *stolen_from; // (o) Gs taken from each victim
	uint16_t *near;                // (c) the other Ps, nearest first; NULL unless victim=nearest
	uint16_t *near_class;          // (c) distance class of each

	struct p *idle_link; // under sched.lock
	int64_t idle_since;  // under sched.lock

	struct {
		uint32_t schedtick, syscalltick;
		int64_t since, syscall_since;
	} seen; // sysmon's notes; its alone

	alignas(CACHE_LINE) struct p_counters n; // (o)
};

int mn_p_init(struct p *p, uint32_t id);
void mn_p_release(struct p *p);

// The ring had no room for g: its older half, and g, go to the global queue; or g into the ring after all, if thieves made room
// meanwhile. Owner. Wakes nobody: wake.h.
void mn_p_spill(struct p *p, struct g *g);

#endif
