// SPDX-License-Identifier: MIT
// join_deep_test: many children joined in any order, recursion by spawn and join, wide and deep, and a lock held across a join: a joiner must run no other
// goroutine than its child on its own stack, and its child only while half of that stack is free. Opens sched/core/park.h
// to see how much is.
#include <string.h>

#include "sched/base/rng.h"
#include "sched/core/park.h"
#include "sched/tests/rig.h"

// ---- In any order

enum { CHILDREN = 200 };
static _Atomic int done[CHILDREN];

static void
finish(void *arg)
{
	_Atomic int *mine = arg;

	if ((mine - done) % 3 == 0)
		mn_yield();
	add_relaxed(mine, 1);
}

enum order { IN_ORDER, BACKWARDS, SHUFFLED };

static void
arrange(int *at, enum order order)
{
	struct rng rng = { 42 };

	for (int i = 0; i < CHILDREN; i++)
		at[i] = order == BACKWARDS ? CHILDREN - 1 - i : i;
	for (int i = CHILDREN - 1; order == SHUFFLED && i > 0; i--) {
		int k = (int)rng_below(&rng, (uint32_t)i + 1), swap = at[i];

		at[i] = at[k];
		at[k] = swap;
	}
}

static void
join_all(void *arg)
{
	struct mn_task *task[CHILDREN];
	int at[CHILDREN];

	arrange(at, *(enum order *)arg);
	for (int i = 0; i < CHILDREN; i++)
		task[i] = mn_spawn(finish, (void *)&done[i]);
	for (int i = 0; i < CHILDREN; i++) {
		mn_join(task[at[i]]);
		if (load_relaxed(&done[at[i]]) != 1)
			add_relaxed(&done[at[i]], 1000);
	}
}

static void
expect_joined(const char *options, int n, enum order order)
{
	int wrong = 0;

	memset((void *)done, 0, sizeof(done));
	EXPECT_EQ(rig_run_at(options, n, join_all, &order), 0);
	for (int i = 0; i < CHILDREN; i++)
		wrong += load_relaxed(&done[i]) != 1;
	EXPECT_EQ(wrong, 0);
	EXPECT_EQ(rig_total().finished, CHILDREN + 1);
}

static void
test_joins_in_any_order(void)
{
	for (int p = 1; p <= 4; p *= 2)
		for (int order = IN_ORDER; order <= SHUFFLED; order++) {
			expect_joined("procs=%d", p, (enum order)order);
			expect_joined("local_cap=2 procs=%d", p, (enum order)order);
			expect_joined("queue=global procs=%d", p, (enum order)order);
			expect_joined("runnext=off steal=one procs=%d", p, (enum order)order);
		}
}

// ---- A chain, each link of which joins the next

// The sanitizer that follows each context has room for some thousands.
enum { LINKS = MN_TSAN ? 20000 : 100000 };

struct link {
	int left;    // links below this one
	int *length; // of the chain, counted on the way back
	size_t *least;
};

static void
follow(void *arg)
{
	struct link *at = arg;
	size_t left = stack_left(mn_self_g()->stack);

	if (left < *at->least)
		*at->least = left;
	if (at->left > 0) {
		struct link next = { at->left - 1, at->length, at->least };

		mn_join(mn_spawn(follow, &next));
	}
	++*at->length;
}

static void
expect_chain(const char *options, int links, int stack_kb)
{
	size_t least = SIZE_MAX;
	int length = 0;
	struct link first = { links - 1, &length, &least };
	struct mn_counters c;

	EXPECT_EQ(rig_run(options, follow, &first), 0);
	EXPECT_EQ(length, links);
	// No link is begun with less than half a stack but for the frames between that look and this one.
	EXPECT(least > (size_t)stack_kb * 256);
	c = rig_total();
	EXPECT_EQ(c.spawned, links);
	EXPECT_EQ(c.run_joined + c.parked, links - 1);
	EXPECT(c.run_joined > c.parked);
}

static void
test_deep_chain_does_not_overflow(void)
{
	expect_chain("procs=1 preempt=off", LINKS, 64);
	expect_chain("procs=1 preempt=off stack_kb=16", LINKS, 16);
}

// With thieves a link may be taken before it is joined; then its joiner parks.
static void
expect_chain_with_thieves(const char *options)
{
	size_t least = SIZE_MAX;
	int length = 0;
	struct link first = { LINKS / 10 - 1, &length, &least };

	EXPECT_EQ(rig_run(options, follow, &first), 0);
	EXPECT_EQ(length, LINKS / 10);
	EXPECT_EQ(rig_total().finished, LINKS / 10);
}

static void
test_deep_chain_with_thieves(void)
{
	expect_chain_with_thieves("procs=2");
	expect_chain_with_thieves("procs=4 stack_kb=16");
}

// ---- Fork and join

struct fib {
	int n;
	long value;
};

static void
fib(void *arg)
{
	struct fib *f = arg, a = { f->n - 1, 0 }, b = { f->n - 2, 0 };
	struct mn_task *child;

	if (f->n < 2) {
		f->value = f->n;
		return;
	}
	child = mn_spawn(fib, &a);
	fib(&b);
	mn_join(child);
	f->value = a.value + b.value;
}

static void
test_fork_join_fib(void)
{
	static const char *const ways[] = { "procs=%d", "queue=global procs=%d", "runnext=off procs=%d",
		                            "local_cap=1 steal=one procs=%d", "steal=all stack_kb=16 procs=%d" };
	int n = RIG_SLOWER > 1 ? 12 : 18;

	for (size_t i = 0; i < array_len(ways); i++)
		for (int p = 1; p <= 8; p *= 2) {
			struct fib f = { n, 0 };

			EXPECT_EQ(rig_run_at(ways[i], p, fib, &f), 0);
			EXPECT_EQ(f.value, n == 12 ? 144 : 2584);
		}
}

// ---- A lock held across a join

static struct mn_wait_group held; // 1: somebody holds the lock
static _Atomic int got_it;

static void
take_lock(void *unused)
{
	(void)unused;
	mn_wait_group_wait(&held);
	add_relaxed(&got_it, 1);
}

static void
spawn_one_that_wants_it(void *unused)
{
	mn_go(take_lock, unused);
	mn_yield(); // so that it stands in its wait before this child ends
}

static void
hold_across_join(void *arg)
{
	struct mn_task *child[3];
	int behind = *(const int *)arg;

	held = (struct mn_wait_group){ 0 };
	mn_wait_group_add(&held, 1);
	for (int i = 0; i <= behind; i++) {
		mn_go(take_lock, NULL);
		child[i] = mn_spawn(spawn_one_that_wants_it, NULL);
	}
	for (int i = 0; i <= behind; i++)
		mn_join(child[i]);
	mn_wait_group_done(&held);
}

// rayon#592: the holder joins a child; goroutines that want the lock stand around it in the same queue. Were they run on the
// holder's stack, it would wait for itself. behind: how many others stand between it and its child.
static void
test_lock_held_across_join(void)
{
	for (int p = 1; p <= 4; p *= 2)
		for (int behind = 0; behind < 3; behind++) {
			store_relaxed(&got_it, 0);
			EXPECT_EQ(rig_run_at("procs=%d", p, hold_across_join, &behind), 0);
			EXPECT_EQ(load_relaxed(&got_it), 2 * (behind + 1));
		}
}

int
main(void)
{
	RUN(test_joins_in_any_order);
	RUN(test_deep_chain_does_not_overflow);
	RUN(test_deep_chain_with_thieves);
	RUN(test_fork_join_fib);
	RUN(test_lock_held_across_join);
	return test_result();
}
