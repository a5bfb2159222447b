// SPDX-License-Identifier: MIT
// globq_test: the global queue by one thread: order over chunks, shares, its length and longest length.
#include "sched/core/globq.h"

#include <stdlib.h>

#include "sched/tests/test.h"

static char pool[100000];

static struct g *
g_at(uint32_t i)
{
	return (struct g *)(void *)&pool[i];
}

static uint32_t
put(struct globq *q, uint32_t first, uint32_t n)
{
	struct g **batch = malloc((n + 1) * sizeof(struct g *));

	for (uint32_t i = 0; i < n; i++)
		batch[i] = g_at(first + i);
	mn_globq_put(q, batch, n);
	free(batch);
	return first + n;
}

static uint32_t
get(struct globq *q, uint32_t first, uint32_t n)
{
	struct g **out = malloc((n + 1) * sizeof(struct g *));
	uint32_t got = mn_globq_get(q, out, n);

	for (uint32_t i = 0; i < got; i++)
		EXPECT(out[i] == g_at(first + i));
	free(out);
	return got;
}

// Batches of all sizes around a chunk's, in and out at different strides: first in, first out, nothing lost.
static void
test_order_over_chunks(void)
{
	for (uint32_t in = 1; in < 3 * CHUNK_CAP; in += 37)
		for (uint32_t out = 1; out < 3 * CHUNK_CAP; out += 41) {
			struct globq q = { 0 };
			uint32_t made = 0, taken = 0;

			while (made < 4000) {
				made = put(&q, made, in);
				taken += get(&q, taken, out);
				EXPECT_EQ(globq_len(&q), made - taken);
			}
			while (taken < made)
				taken += get(&q, taken, out);
			EXPECT_EQ(get(&q, taken, 1), 0);
			EXPECT_EQ(globq_len(&q), 0);
			mn_globq_release(&q);
		}
}

// min(limit, length, length / procs + 1)
static void
test_share(void)
{
	struct g *out[256];

	for (uint32_t n = 0; n <= 300; n++)
		for (uint32_t procs = 1; procs <= 64; procs *= 2) {
			struct globq q = { 0 };
			uint32_t want = n / procs + 1;

			want = want < n ? want : n;
			want = want < 128 ? want : 128;
			put(&q, 0, n);
			EXPECT_EQ(mn_globq_get_share(&q, out, 128, procs), want);
			EXPECT_EQ(globq_len(&q), n - want);
			mn_globq_release(&q);
		}
}

static void
test_longest(void)
{
	struct globq q = { 0 };

	put(&q, 0, 774);
	get(&q, 0, 700);
	put(&q, 774, 100);
	EXPECT_EQ(q.max, 774);
	mn_globq_release(&q);
	EXPECT_EQ(q.max, 0);
}

int
main(void)
{
	RUN(test_order_over_chunks);
	RUN(test_share);
	RUN(test_longest);
	return test_result();
}
