// SPDX-License-Identifier: MIT
// globq.h: the global queue, first in first out, under one lock: what overflows from local queues, what yields, what comes
// back from a system call without a P.
//
// A list of chunks, each an array of pointers to Gs, for the same reason as magazines (magazine.h). Its length can be read
// without the lock, so that nobody takes the lock to find nothing.
#ifndef SCHED_CORE_GLOBQ_H
#define SCHED_CORE_GLOBQ_H

#include "sched/os/lock.h"

struct g;

enum { CHUNK_CAP = 250 }; // a chunk is half a page

struct chunk {
	struct chunk *next;
	uint32_t first, end; // the Gs are g[first..end)
	struct g *g[CHUNK_CAP];
};

struct globq {
	alignas(CACHE_LINE) struct spin_lock lock;
	// (a) GQ: written under the lock, read without. Whoever parks reads it after a fence; see wake.c.
	_Atomic uint64_t len;
	uint64_t max;        // (l) longest so far
	struct chunk *head;  // (l) NULL when empty
	struct chunk *tail;  // (l)
	struct chunk *spare; // (l) recycled chunks
};

void mn_globq_release(struct globq *q);

static inline uint64_t
globq_len(struct globq *q)
{
	return load_acquire(&q->len); // GQ
}

// Appends g[0..n), in order, in one critical section.
void mn_globq_put(struct globq *q, struct g *const *g, uint32_t n);

// Puts g[0..n) in front, in order.
void mn_globq_put_front(struct globq *q, struct g *const *g, uint32_t n);

// Takes up to n from the front into out[0..] and answers how many.
uint32_t mn_globq_get(struct globq *q, struct g **out, uint32_t n);

// Takes min(limit, length, length / procs + 1) from the front: one P's share of what is there.
uint32_t mn_globq_get_share(struct globq *q, struct g **out, uint32_t limit, uint32_t procs);

#endif
