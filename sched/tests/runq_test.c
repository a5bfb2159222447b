// SPDX-License-Identifier: MIT
// runq_test: the local queue by one thread, at all its edges. Opens sched/core/runq.h.
#include "sched/core/runq.h"

#include <stdio.h>

#include "sched/tests/test.h"

enum { CAP = 256 };

// Only addresses matter to the queue.
static char pool[3 * CAP];

static struct g *
g_at(uint32_t i)
{
	return (struct g *)(void *)&pool[i];
}

static uint32_t
half(uint32_t n)
{
	return n - n / 2;
}

static uint32_t
all(uint32_t n)
{
	return n;
}

static void
make(struct runq *q, uint32_t cap)
{
	EXPECT(mn_runq_init(q, cap, false) == 0);
}

static void
fill(struct runq *q, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		EXPECT(runq_put(q, g_at(i)));
}

// Go's TestSchedLocalQueue.
static void
test_local_queue_is_fifo(void)
{
	struct runq q;

	make(&q, CAP);
	for (uint32_t n = 0; n < CAP; n++) {
		EXPECT(runq_get(&q) == NULL);
		fill(&q, n);
		EXPECT(runq_len(&q) == n);
		for (uint32_t i = 0; i < n; i++)
			EXPECT(runq_get(&q) == g_at(i));
		EXPECT(runq_get(&q) == NULL);
	}
	mn_runq_release(&q);
}

// Go's TestSchedLocalQueueSteal: for every fill, one theft of half takes n - n/2, oldest first, and nothing is lost or doubled.
static void
test_local_queue_steal_takes_half(void)
{
	struct g *loot[CAP];
	struct runq q;
	uint64_t raced = 0;

	make(&q, CAP);
	for (uint32_t n = 0; n <= CAP; n++) {
		fill(&q, n);
		uint32_t k = mn_runq_grab(&q, loot, CAP, half, &raced);

		EXPECT(k == n - n / 2);
		for (uint32_t i = 0; i < k; i++)
			EXPECT(loot[i] == g_at(i));
		for (uint32_t i = k; i < n; i++)
			EXPECT(runq_get(&q) == g_at(i));
		EXPECT(runq_get(&q) == NULL);
	}
	EXPECT(raced == 0);
	mn_runq_release(&q);
}

static void
test_steal_is_limited_by_room(void)
{
	struct g *loot[CAP];
	struct runq q;
	uint64_t raced = 0;

	make(&q, CAP);
	fill(&q, 100);
	EXPECT(mn_runq_grab(&q, loot, 7, all, &raced) == 7);
	EXPECT(loot[6] == g_at(6));
	EXPECT(runq_len(&q) == 93);
	mn_runq_release(&q);
}

// The 257th put does not fit; the older half leaves, in order; not one earlier.
static void
test_full_queue_drains_half(void)
{
	struct g *out[CAP];
	struct runq q;

	for (uint32_t cap = 1; cap <= CAP; cap++) {
		make(&q, cap);
		fill(&q, cap);
		EXPECT(!runq_put(&q, g_at(cap)));
		EXPECT(mn_runq_drain_half(&q, out) == (int)(cap / 2));
		for (uint32_t i = 0; i < cap / 2; i++)
			EXPECT(out[i] == g_at(i));
		EXPECT(runq_len(&q) == cap - cap / 2);
		EXPECT(mn_runq_valid(&q));
		mn_runq_release(&q);
	}
}

static void
test_drain_of_a_queue_with_room_is_refused(void)
{
	struct g *out[CAP];
	struct runq q;

	make(&q, CAP);
	fill(&q, CAP - 1);
	EXPECT(mn_runq_drain_half(&q, out) == -1);
	mn_runq_release(&q);
}

// Indices run freely in 32 bits (sledge#393): start just below the wrap and cross it many times over.
static void
test_indices_wrap(void)
{
	uint32_t in = 0, out = 0;
	struct runq q;

	make(&q, 4);
	store_relaxed(&q.head, (uint64_t)(UINT32_MAX - 99));
	store_relaxed(&q.tail, UINT32_MAX - 99);
	q.head_seen = UINT32_MAX - 99;
	for (int round = 0; round < 1000; round++) {
		while (runq_put(&q, g_at(in % 512)))
			in++;
		EXPECT(in - out == 4);
		for (int i = 0; i < 3; i++)
			EXPECT(runq_get(&q) == g_at(out++ % 512));
	}
	mn_runq_release(&q);
}

static void
test_runnext_is_one_deep(void)
{
	struct runq q;

	make(&q, CAP);
	EXPECT(runq_put_next(&q, g_at(1)) == NULL);
	EXPECT(!mn_runq_empty(&q));
	EXPECT(runq_put_next(&q, g_at(2)) == g_at(1));
	EXPECT(runq_get_next(&q) == g_at(2));
	EXPECT(runq_get_next(&q) == NULL);
	EXPECT(mn_runq_empty(&q));
	mn_runq_release(&q);
}

static void
test_newest_is_taken_back(void)
{
	struct runq q;
	uint64_t raced = 0;
	struct g *loot[CAP];

	make(&q, CAP);
	EXPECT(!mn_runq_take_back(&q, g_at(0)));
	fill(&q, 3);
	EXPECT(!mn_runq_take_back(&q, g_at(1)));
	EXPECT(mn_runq_take_back(&q, g_at(2)));
	EXPECT(mn_runq_take_back(&q, g_at(1)));
	EXPECT(runq_put(&q, g_at(7)));
	EXPECT(mn_runq_grab(&q, loot, CAP, all, &raced) == 2);
	EXPECT(loot[0] == g_at(0) && loot[1] == g_at(7));
	EXPECT(!mn_runq_take_back(&q, g_at(7)));
	EXPECT(mn_runq_empty(&q));
	mn_runq_release(&q);
}

// A batch that ends beyond the array's end.
static void
test_batch_wraps(void)
{
	struct g *batch[6];
	struct runq q;

	make(&q, 8);
	for (int i = 0; i < 6; i++)
		batch[i] = g_at((uint32_t)i);
	for (int round = 0; round < 20; round++) {
		mn_runq_put_batch(&q, batch, 6);
		for (uint32_t i = 0; i < 6; i++)
			EXPECT(runq_get(&q) == g_at(i));
	}
	EXPECT(mn_runq_empty(&q));
	mn_runq_release(&q);
}

// Without thieves the same answers by plain stores.
static void
test_alone(void)
{
	struct runq q;

	EXPECT(mn_runq_init(&q, 4, true) == 0);
	fill(&q, 4);
	EXPECT(!runq_put(&q, g_at(4)));
	for (uint32_t i = 0; i < 4; i++)
		EXPECT(runq_get(&q) == g_at(i));
	EXPECT(runq_get(&q) == NULL);
	EXPECT(runq_put_next(&q, g_at(1)) == NULL);
	EXPECT(runq_put_next(&q, g_at(2)) == g_at(1));
	EXPECT(runq_get_next(&q) == g_at(2));
	EXPECT(mn_runq_empty(&q));
	mn_runq_release(&q);
}

int
main(void)
{
	RUN(test_local_queue_is_fifo);
	RUN(test_local_queue_steal_takes_half);
	RUN(test_steal_is_limited_by_room);
	RUN(test_full_queue_drains_half);
	RUN(test_drain_of_a_queue_with_room_is_refused);
	RUN(test_indices_wrap);
	RUN(test_runnext_is_one_deep);
	RUN(test_newest_is_taken_back);
	RUN(test_batch_wraps);
	RUN(test_alone);
	return test_result();
}
