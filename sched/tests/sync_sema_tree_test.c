// SPDX-License-Identifier: MIT
// sync_sema_tree_test: the tree of waiters against a plain model, its shape, and how much is looked at in a large one.
// Opens sched/sync/sema_tree.h. Addresses are made up: the tree compares them and never follows one.
#include "sched/sync/sema_tree.h"

#include <stdlib.h>

#include "sched/base/rng.h"
#include "sched/tests/test.h"

enum { STRIDE = 251 * 8 }; // between neighbours that share a bucket

static const _Atomic uint32_t *
address(uint32_t i)
{
	return (const _Atomic uint32_t *)(uintptr_t)(0x10000 + (uintptr_t)i * STRIDE);
}

// ---- Order, heap and lists hold in the whole tree

static uint32_t
nodes_below(const struct sema_waiter *w, uintptr_t low, uintptr_t high, uint64_t weight)
{
	uint32_t n = 0;

	if (!w)
		return 0;
	EXPECT((uintptr_t)w->addr >= low && (uintptr_t)w->addr < high);
	EXPECT(w->weight <= weight);
	for (const struct sema_waiter *at = w; at; at = at->next) {
		n++;
		EXPECT(at->addr == w->addr);
		EXPECT(at->next || w->last == at);
	}
	return n + nodes_below(w->less, low, (uintptr_t)w->addr, w->weight) +
	       nodes_below(w->more, (uintptr_t)w->addr + 1, high, w->weight);
}

static uint32_t
count_nodes(const struct sema_tree *t)
{
	return nodes_below(t->root, 0, UINTPTR_MAX, UINT64_MAX);
}

// ---- Against a model: a list an address

enum { ADDRESSES = 50, WAITERS = 400, OPS = 40000 };

struct list {
	struct sema_waiter *w[WAITERS];
	uint32_t n;
};

static struct list model[ADDRESSES];
static struct sema_waiter node[WAITERS], *unused[WAITERS];

static void
add_to_model(struct list *l, struct sema_waiter *w, bool front)
{
	uint32_t at = front ? 0 : l->n;

	for (uint32_t i = l->n++; i > at; i--)
		l->w[i] = l->w[i - 1];
	l->w[at] = w;
}

static struct sema_waiter *
take_from_model(struct list *l)
{
	struct sema_waiter *w = l->n ? l->w[0] : NULL;

	for (uint32_t i = 1; i < l->n; i++)
		l->w[i - 1] = l->w[i];
	l->n -= w != NULL;
	return w;
}

// Adds more than it takes for a while, then the other way round, so that the tree fills and empties.
static bool
adds(struct rng *r, uint32_t op)
{
	uint32_t bias = op / 1000 % 2 ? 30 : 70;

	return rng_below(r, 100) < bias;
}

static void
test_takes_whom_the_model_takes(void)
{
	struct sema_tree t = { 0 };
	struct rng r;
	uint32_t n_unused = 0;

	rng_seed(&r, 1, 0);
	for (uint32_t i = 0; i < WAITERS; i++)
		unused[n_unused++] = &node[i];
	for (uint32_t op = 0; op < OPS; op++) {
		uint32_t a = rng_below(&r, ADDRESSES);

		if (adds(&r, op) && n_unused > 0) {
			bool front = rng_below(&r, 4) == 0;
			struct sema_waiter *w = unused[--n_unused];

			w->addr = address(a);
			mn_sema_tree_add(&t, w, front);
			add_to_model(&model[a], w, front);
		} else {
			struct sema_waiter *w = mn_sema_tree_take(&t, address(a));

			EXPECT(w == take_from_model(&model[a]));
			if (w)
				unused[n_unused++] = w;
		}
		if (op % 100 == 0)
			EXPECT_EQ(count_nodes(&t), WAITERS - n_unused);
	}
}

static void
test_empty_tree_has_nobody(void)
{
	struct sema_tree t = { 0 };
	struct sema_waiter w = { .addr = address(3) };

	EXPECT(mn_sema_tree_take(&t, address(3)) == NULL);
	mn_sema_tree_add(&t, &w, false);
	EXPECT(mn_sema_tree_take(&t, address(2)) == NULL);
	EXPECT(mn_sema_tree_take(&t, address(4)) == NULL);
	EXPECT(mn_sema_tree_take(&t, address(3)) == &w);
	EXPECT(mn_sema_tree_take(&t, address(3)) == NULL);
	EXPECT(t.root == NULL);
}

// ---- Many addresses: looked at in all, for each way of coming and going. A plain list or tree would look at n / 2 each.

enum {
	MANY = 20000,
	LOOKS_EACH = 40
}; // log2(n) is 14; expected: 2 ln n = 20 for a search, and a few for a split or merge

typedef uint32_t (*order)(uint32_t i);

static uint32_t
up(uint32_t i)
{
	return i;
}

static uint32_t
down(uint32_t i)
{
	return MANY - 1 - i;
}

// 7919 is a prime that does not divide MANY: each once.
static uint32_t
scattered(uint32_t i)
{
	return (uint32_t)((uint64_t)i * 7919 % MANY);
}

static void
expect_few_looks(struct sema_waiter *w, order in, order out)
{
	struct sema_tree t = { 0 };

	for (uint32_t i = 0; i < MANY; i++) {
		w[in(i)].addr = address(in(i));
		mn_sema_tree_add(&t, &w[in(i)], false);
	}
	EXPECT(t.looks <= (uint64_t)MANY * LOOKS_EACH);
	EXPECT_EQ(count_nodes(&t), MANY);
	t.looks = 0;
	for (uint32_t i = 0; i < MANY; i++)
		EXPECT(mn_sema_tree_take(&t, address(out(i))) == &w[out(i)]);
	EXPECT(t.looks <= (uint64_t)MANY * LOOKS_EACH);
	EXPECT(t.root == NULL);
}

static void
test_many_addresses_cost_their_logarithm(void)
{
	struct sema_waiter *w = calloc(MANY, sizeof(*w));

	EXPECT(w != NULL);
	if (!w)
		return;
	expect_few_looks(w, up, up);
	expect_few_looks(w, up, down);
	expect_few_looks(w, down, scattered);
	expect_few_looks(w, scattered, up);
	free(w);
}

int
main(void)
{
	RUN(test_empty_tree_has_nobody);
	RUN(test_takes_whom_the_model_takes);
	RUN(test_many_addresses_cost_their_logarithm);
	return test_result();
}
