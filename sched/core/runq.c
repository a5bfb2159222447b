// SPDX-License-Identifier: MIT
// runq.c: the parts of the local queue that are not on the path of every spawn.
#include "sched/core/runq.h"

#include <errno.h>
#include <stdlib.h>

static uint32_t
slots_for(uint32_t cap)
{
	uint32_t slots = 1;

	while (slots < cap)
		slots *= 2;
	return slots;
}

int
mn_runq_init(struct runq *q, uint32_t cap, bool alone)
{
	uint32_t slots = slots_for(cap);

	CHECK(cap > 0);
	q->slot = calloc(slots, sizeof(*q->slot));
	if (!q->slot)
		return -ENOMEM;
	store_relaxed(&q->head, 0);
	store_relaxed(&q->tail, 0);
	store_relaxed(&q->runnext, NULL);
	q->head_seen = 0;
	q->cap = cap;
	q->alone = alone;
	q->mask = slots - 1;
	return 0;
}

void
mn_runq_release(struct runq *q)
{
	free(q->slot);
	q->slot = NULL;
}

// The newest G leaves at the tail by two steps: lower the tail, then make every thief's CAS fail by a new version. A thief
// that claimed the G before the second step has moved the head past the lowered tail, which we then see and undo.
bool
mn_runq_take_back(struct runq *q, struct g *g)
{
	uint32_t tail = load_relaxed(&q->tail);
	uint64_t head = load_acquire(&q->head); // RQ1

	if (runq_index(head) == tail || load_relaxed(&q->slot[(tail - 1) & q->mask]) != g)
		return false;
	// RQ3: the CAS below releases this store; a thief that loads the new version sees the lowered tail.
	store_relaxed(&q->tail, tail - 1);
	do {
		if (runq_index(head) == tail) {
			store_release(&q->tail, tail); // RQ2
			return false;
		}
	} while (!cas_acq_rel(&q->head, &head, head + RUNQ_VERSION_ONE)); // RQ3
	return true;
}

int
mn_runq_drain_half(struct runq *q, struct g **out)
{
	uint32_t tail = load_relaxed(&q->tail);
	uint64_t head = load_acquire(&q->head); // RQ1
	uint32_t n = runq_span(head, tail);

	if (n < q->cap)
		return -1;
	n /= 2;
	for (uint32_t i = 0; i < n; i++)
		out[i] = load_relaxed(&q->slot[(runq_index(head) + i) & q->mask]);
	return cas_acq_rel(&q->head, &head, runq_advance(head, n)) ? (int)n : -1; // RQ1
}

void
mn_runq_put_batch(struct runq *q, struct g *const *g, uint32_t n)
{
	uint32_t tail = load_relaxed(&q->tail);

	q->head_seen = runq_index(load_acquire(&q->head)); // RQ1
	CHECK(tail - q->head_seen + n <= q->mask + 1);
	for (uint32_t i = 0; i < n; i++)
		store_relaxed(&q->slot[(tail + i) & q->mask], g[i]);
	RUNQ_PUBLISH(q, tail + n); // RQ2
}

uint32_t
mn_runq_grab(struct runq *q, struct g **out, uint32_t room, runq_amount how_many, uint64_t *raced)
{
	uint64_t head = load_acquire(&q->head); // RQ1, RQ3: no tail older than this head's version

	for (;;) {
		uint32_t n = runq_span(head, load_acquire(&q->tail)); // RQ2

		if (n == 0)
			return 0;
		if (n > q->mask + 1) { // the two loads are of different times: the owner lapped this head
			head = load_acquire(&q->head); // RQ1, RQ3
			continue;
		}
		n = how_many(n);
		if (n > room)
			n = room;
		for (uint32_t i = 0; i < n; i++)
			out[i] = load_relaxed(&q->slot[(runq_index(head) + i) & q->mask]);
		if (cas_acq_rel(&q->head, &head, runq_advance(head, n))) // RQ1
			return n;
		++*raced;
		head = load_acquire(&q->head); // RQ1, RQ3
	}
}

// Why the tail is read twice: G1 stands in runnext, the ring is empty; a put moves G1 into the ring, and a get empties
// runnext. Reading the ring before and runnext after would find nothing, though a G was there all the time. If the tail
// has not moved between, no put came between.
bool
mn_runq_empty(struct runq *q)
{
	for (;;) {
		uint64_t head = load_acquire(&q->head);
		uint32_t tail = load_acquire(&q->tail);
		struct g *next = load_acquire(&q->runnext);

		if (tail == load_relaxed(&q->tail))
			return runq_span(head, tail) == 0 && !next;
	}
}

bool
mn_runq_valid(struct runq *q)
{
	uint32_t tail = load_relaxed(&q->tail);
	uint64_t head = load_acquire(&q->head);
	uint32_t n = runq_span(head, tail);

	for (uint32_t i = 0; i < n; i++)
		if (!load_relaxed(&q->slot[(runq_index(head) + i) & q->mask]))
			return false;
	return n <= q->mask + 1;
}
