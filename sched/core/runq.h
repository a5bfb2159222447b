// SPDX-License-Identifier: MIT
// runq.h: a P's local queue: a ring of runnable Gs, and runnext, the slot in front of it.
//
// The owner (the M that holds the P) puts at the tail; the owner and thieves take at the head, where every taker reads the
// slots first and then claims them by one CAS. Two things go beyond Go's ring. The head word carries a version in its upper
// half, which lets the owner take its newest G back from the tail (mn_join runs an unstarted child in place): a thief that
// counted that G among its loot fails its CAS. And the owner remembers the head it saw last, so that a burst of puts does
// not read the line that thieves write.
//
// Who may call what, at once with what:
//	            owner's put, get, take_back, drain    others' grab    anybody's len, empty
//	owner's     no (one owner)                        yes             yes
//	grab        yes                                   yes             yes
//
// Results, not errors: a full ring (put answers false), a lost race (grab says so).
#ifndef SCHED_CORE_RUNQ_H
#define SCHED_CORE_RUNQ_H

#include "sched/base/atomic.h"
#include "sched/base/check.h"

struct g;

struct runq {
	// (a) Index of the next slot to take, lower half, and the version, upper half. Moved only by CAS.
	// RQ1: a taker's CAS releases its reads of the slots; the owner's acquire lets it refill them.
	alignas(CACHE_LINE) _Atomic uint64_t head;
	// (o) Index of the next slot to fill. Stored by the owner alone, so the owner loads it relaxed.
	// RQ2: its release publishes the slots, and all that the spawner wrote into the Gs.
	alignas(CACHE_LINE) _Atomic uint32_t tail;
	uint32_t head_seen;          // (o) a head index of the past: never ahead of the true one
	_Atomic(struct g *) runnext; // (a) RN: xchg or CAS by all; release publishes the G, acquire takes it
	uint32_t cap;                // (c) length at which put answers "full"
	uint32_t mask;               // (c) slots - 1; slots is a power of two >= cap
	bool alone;                  // (c) no thieves: the owner may move the head and runnext by plain stores
	// (c) the array. Slots are relaxed atomics: a thief that is about to lose may read one while the owner overwrites it,
	// which must not be a data race.
	_Atomic(struct g *) *slot;
};

// alone: nobody will ever call grab. 0 or -ENOMEM; cap > 0.
int mn_runq_init(struct runq *q, uint32_t cap, bool alone);
void mn_runq_release(struct runq *q);

#define RUNQ_VERSION_ONE ((uint64_t)1 << 32)

static inline uint32_t
runq_index(uint64_t head)
{
	return (uint32_t)head;
}

// The head word n Gs further on, the version kept.
static inline uint64_t
runq_advance(uint64_t head, uint32_t n)
{
	return (head & ~(uint64_t)UINT32_MAX) | (uint32_t)(runq_index(head) + n);
}

// Gs between the two indices. Below zero while the owner is taking its newest back from an emptied ring: nothing there.
static inline uint32_t
runq_span(uint64_t head, uint32_t tail)
{
	int32_t n = (int32_t)(tail - runq_index(head));

	return n > 0 ? (uint32_t)n : 0;
}

// How long the ring is, runnext not counted. Exact for the owner; for others a hint, and not even below cap: the owner may have
// gone round many times between the two loads.
static inline uint32_t
runq_len(struct runq *q)
{
	return runq_span(load_relaxed(&q->head), load_relaxed(&q->tail));
}

// The same for those who show it: a length that the ring had at a moment during the call.
static inline uint32_t
runq_len_seen(struct runq *q)
{
	for (;;) {
		uint64_t head = load_acquire(&q->head);
		uint32_t tail = load_acquire(&q->tail); // and the head below is not older

		if (load_relaxed(&q->head) == head)
			return runq_span(head, tail);
	}
}

// The stress test builds this file with deliberate faults, to prove that it would find them.
#if defined(MN_FAULT_PUBLISH_RELAXED)
#define RUNQ_PUBLISH(q, t) store_relaxed(&(q)->tail, t)
#else
#define RUNQ_PUBLISH(q, t) store_release(&(q)->tail, t)
#endif

#if defined(MN_FAULT_POP_BY_STORE)
#define RUNQ_POP_BY_STORE(q) true
#else
#define RUNQ_POP_BY_STORE(q) ((q)->alone)
#endif

// Owner. False: the ring holds cap Gs or more.
static inline bool
runq_put(struct runq *q, struct g *g)
{
	uint32_t tail = load_relaxed(&q->tail);

	if (unlikely(tail - q->head_seen >= q->cap)) {
		q->head_seen = runq_index(load_acquire(&q->head)); // RQ1: the slots up to here are ours again
		if (tail - q->head_seen >= q->cap)
			return false;
	}
	store_relaxed(&q->slot[tail & q->mask], g);
	RUNQ_PUBLISH(q, tail + 1); // RQ2
	return true;
}

// Owner. The oldest G of the ring, or NULL.
static inline struct g *
runq_get(struct runq *q)
{
	uint32_t tail = load_relaxed(&q->tail);
	uint64_t head = load_acquire(&q->head); // RQ1: what a thief claimed we shall not read
	struct g *g;

	do {
		if (runq_index(head) == tail)
			return NULL;
		g = load_relaxed(&q->slot[runq_index(head) & q->mask]);
		if (RUNQ_POP_BY_STORE(q)) {
			store_release(&q->head, runq_advance(head, 1));
			return g;
		}
	} while (!cas_acq_rel(&q->head, &head, runq_advance(head, 1))); // RQ1
	return g;
}

// Owner. Puts g into runnext and answers what stood there, which the caller must put into the ring.
static inline struct g *
runq_put_next(struct runq *q, struct g *g)
{
	if (q->alone) {
		struct g *before = load_relaxed(&q->runnext);

		store_relaxed(&q->runnext, g);
		return before;
	}
	return xchg_acq_rel(&q->runnext, g); // RN
}

// Owner. What stands in runnext, or NULL. One try: if the CAS fails a thief has it.
static inline struct g *
runq_get_next(struct runq *q)
{
	struct g *g = load_relaxed(&q->runnext);

	if (g && q->alone) {
		store_relaxed(&q->runnext, NULL);
		return g;
	}
	return g && cas_acq_rel(&q->runnext, &g, NULL) ? g : NULL; // RN
}

// Owner. Takes g back if it is the newest of the ring.
bool mn_runq_take_back(struct runq *q, struct g *g);

// Owner. Moves the older half of a full ring (half of its length, rounded down) to out[0..]. Answers how many, or -1 when
// a thief came first: then there is room again.
int mn_runq_drain_half(struct runq *q, struct g **out);

// Owner. Puts out[0..n) at the tail of a ring that has room for them.
void mn_runq_put_batch(struct runq *q, struct g *const *g, uint32_t n);

// How many of n a thief takes: a column of the policy table. 1 <= result <= n for n >= 1.
typedef uint32_t (*runq_amount)(uint32_t n);

// Anybody but the owner. Claims how_many of the ring's length, at most room, oldest first, into out[0..]. Answers how
// many; *raced counts lost CASes.
uint32_t mn_runq_grab(struct runq *q, struct g **out, uint32_t room, runq_amount how_many, uint64_t *raced);

// Anybody. True only if at some moment during the call neither ring nor runnext held a G.
bool mn_runq_empty(struct runq *q);

// For CHECKs by the owner: indices in order, the slots between them set.
bool mn_runq_valid(struct runq *q);

#endif
