// SPDX-License-Identifier: MIT
// run_test: mn_run and what a goroutine can ask and start: everything runs once, numbers, sizes, refusals, mn_exit.
// Opens sched/core/scheduler.h for the size of a stack and its label, and for what a seed decides.
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "sched/core/park.h"
#include "sched/core/scheduler.h"
#include "sched/tests/rig.h"

static const int procs[] = { 1, 2, 4 };

static _Atomic int ran;

static void
count_me(void *unused)
{
	(void)unused;
	add_relaxed(&ran, 1);
}

static void
expect_counts(int goroutines)
{
	struct mn_counters c = rig_total();

	EXPECT_EQ(c.spawned, goroutines);
	EXPECT_EQ(c.finished, goroutines);
}

// ---- Everything runs, once

static void
tree(void *arg)
{
	int depth = *(const int *)arg;
	static const int depths[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 };

	add_relaxed(&ran, 1);
	for (int i = 0; depth > 0 && i < 2; i++)
		mn_go(tree, (void *)(uintptr_t)&depths[depth - 1]);
}

static void
test_main_and_all_goroutines_run(void)
{
	static const int depth = 9;

	for (size_t i = 0; i < array_len(procs); i++) {
		store_relaxed(&ran, 0);
		EXPECT_EQ(rig_run_at("procs=%d", procs[i], tree, (void *)(uintptr_t)&depth), 0);
		EXPECT_EQ(load_relaxed(&ran), (1 << (depth + 1)) - 1);
		expect_counts((1 << (depth + 1)) - 1);
	}
}

enum { MANY = 100000 };

static void
spawn_many(void *unused)
{
	(void)unused;
	for (int i = 0; i < MANY; i++)
		if (mn_go(count_me, NULL))
			return;
}

static void
test_100000_goroutines(void)
{
	for (size_t i = 0; i < array_len(procs); i++) {
		store_relaxed(&ran, 0);
		EXPECT_EQ(rig_run_at("procs=%d", procs[i], spawn_many, NULL), 0);
		EXPECT_EQ(load_relaxed(&ran), MANY);
		expect_counts(MANY + 1);
	}
}

// ---- Numbers of goroutines

enum { IDS = 10000, ID_LIMIT = 2 * IDS };
static _Atomic uint8_t seen[ID_LIMIT];
static _Atomic int bad_ids;

static void
note_id(void)
{
	uint64_t id = mn_id();

	if (id == 0 || id >= ID_LIMIT || add_relaxed(&seen[id], 1) != 0)
		add_relaxed(&bad_ids, 1);
}

static void
note_id_twice(void *unused)
{
	uint64_t id = mn_id();

	(void)unused;
	note_id();
	mn_yield();
	if (mn_id() != id)
		add_relaxed(&bad_ids, 1);
}

static void
spawn_ids(void *unused)
{
	(void)unused;
	if (mn_id() != 1)
		add_relaxed(&bad_ids, 1);
	note_id();
	for (int i = 1; i < IDS; i++)
		mn_go(note_id_twice, NULL);
}

static void
test_ids_are_never_reused(void)
{
	for (size_t i = 0; i < array_len(procs); i++) {
		memset((void *)seen, 0, sizeof(seen));
		store_relaxed(&bad_ids, 0);
		EXPECT_EQ(mn_id(), 0);
		EXPECT_EQ(rig_run_at("procs=%d", procs[i], spawn_ids, NULL), 0);
		EXPECT_EQ(load_relaxed(&bad_ids), 0);
		EXPECT_EQ(mn_id(), 0);
	}
}

// ---- How many there are

static struct mn_wait_group gate;

static void
wait_at_gate(void *unused)
{
	(void)unused;
	mn_wait_group_wait(&gate);
}

static void
count_living(void *unused)
{
	(void)unused;
	EXPECT_EQ(mn_num_goroutines(), 1);
	gate = (struct mn_wait_group){ 0 };
	mn_wait_group_add(&gate, 1);
	for (int i = 1; i <= 500; i++) {
		mn_go(wait_at_gate, NULL);
		EXPECT_EQ(mn_num_goroutines(), 1 + i);
	}
	for (int i = 0; i < 3; i++) // with others' hands or without, running or waiting, they are there
		mn_yield();
	EXPECT_EQ(mn_num_goroutines(), 501);
	mn_wait_group_done(&gate);
	while (mn_num_goroutines() > 1)
		mn_yield();
}

static void
test_num_goroutines(void)
{
	EXPECT_EQ(mn_num_goroutines(), 0);
	for (size_t i = 0; i < array_len(procs); i++)
		EXPECT_EQ(rig_run_at("procs=%d", procs[i], count_living, NULL), 0);
	EXPECT_EQ(mn_num_goroutines(), 0);
}

// ---- Where am I

static _Atomic int bad_p;
static int want_procs;

static void
look_around(void *unused)
{
	(void)unused;
	for (int i = 0; i < 3; i++) {
		if (mn_p() < 0 || mn_p() >= want_procs || mn_num_procs() != want_procs || mn_seed() != 77)
			add_relaxed(&bad_p, 1);
		mn_yield();
	}
}

static void
spawn_lookers(void *unused)
{
	for (int i = 0; i < 1000; i++)
		mn_go(look_around, unused);
}

static void
test_p_procs_and_seed(void)
{
	EXPECT_EQ(mn_p(), -1);
	EXPECT_EQ(mn_num_procs(), 0);
	for (size_t i = 0; i < array_len(procs); i++) {
		want_procs = procs[i];
		EXPECT_EQ(rig_run_at("seed=77 procs=%d", procs[i], spawn_lookers, NULL), 0);
		EXPECT_EQ(load_relaxed(&bad_p), 0);
	}
	EXPECT_EQ(mn_p(), -1);
	EXPECT_EQ(mn_num_procs(), 0);
}

// ---- What a seed decides: the walks over victims

enum { DRAWS = 60 };
struct draws {
	uint64_t seed;
	int names[5 * DRAWS];
	int n;
};

// Nobody else runs yet: this P's walks are main's to take.
static void
draw_victims(void *arg)
{
	struct draws *d = arg;
	struct p *p = mn_sched.allp;

	d->seed = mn_seed();
	for (const struct victim_policy *v = mn_victim_policies; v->name; v++) {
		if (v == mn_victim_by_distance)
			continue;
		for (int start = d->n; d->n < start + DRAWS;) {
			struct victim_walk w = { .thief = p };
			struct p *victim;

			v->begin(&w);
			while ((victim = v->next(&w)) && d->n < start + DRAWS)
				d->names[d->n++] = (int)victim->id;
		}
	}
}

static struct draws
drawn_with(const char *options)
{
	struct draws d = { .n = 0 };

	EXPECT_EQ(rig_run(options, draw_victims, &d), 0);
	EXPECT_EQ(d.n, 4 * DRAWS);
	return d;
}

static bool
same_draws(const struct draws *a, const struct draws *b)
{
	return a->seed == b->seed && memcmp(a->names, b->names, sizeof(a->names)) == 0;
}

static void
test_same_seed_same_victims(void)
{
	struct draws a = drawn_with("procs=8 seed=1"), b = drawn_with("procs=8 seed=1"),
	             c = drawn_with("procs=8 seed=2"), r = drawn_with("procs=8"), again;
	char options[64];

	EXPECT(same_draws(&a, &b));
	EXPECT(memcmp(a.names, c.names, sizeof(a.names)) != 0);
	EXPECT(r.seed != 0);
	snprintf(options, sizeof(options), "procs=8 seed=%llu", (unsigned long long)r.seed);
	again = drawn_with(options);
	EXPECT(same_draws(&r, &again));
}

// ---- mn_go_with

static const char label[] = "worker";

// From 32 KiB on at least 5/8 can be used, guard page and frames taken off.
static void
use_stack(void *arg)
{
	int kb = *(const int *)arg;
	volatile char *at;

	EXPECT_EQ(1 << (mn_self_g()->stack->class - 10), kb);
	EXPECT(mn_self_g()->stack->label == label);
	if (kb < 32)
		return;
	at = __builtin_alloca((size_t)kb * 640);
	for (int i = 0; i < kb * 640; i += 512)
		at[i] = (char)i;
	EXPECT(at[512 * 3] == (char)(512 * 3));
}

static void
default_stack(void *unused)
{
	(void)unused;
	EXPECT_EQ(1 << (mn_self_g()->stack->class - 10), 32);
	EXPECT(mn_self_g()->stack->label == NULL);
	add_relaxed(&ran, 1);
}

// AddressSanitizer's own calls need more than the smallest stacks hold.
static const int sizes[] = {
#if !MN_ASAN
	2,  4,  8,
#endif
	16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192
};
static const int bad_sizes[] = { 1, 3, -2, 6, 63, 65, 8191, 8193, 16384, INT_MIN, INT_MAX };

static void
spawn_sizes(void *unused)
{
	struct mn_go_attr attr = { 0 };

	(void)unused;
	for (int round = 0; round < 2; round++)
		for (size_t i = 0; i < array_len(sizes); i++) {
			attr = (struct mn_go_attr){ .stack_kb = sizes[i], .label = label };
			EXPECT_EQ(mn_go_with(&attr, use_stack, (void *)(uintptr_t)&sizes[i]), 0);
			EXPECT_EQ(mn_go(default_stack, NULL), 0);
			mn_yield();
		}
	for (size_t i = 0; i < array_len(bad_sizes); i++) {
		attr = (struct mn_go_attr){ .stack_kb = bad_sizes[i] };
		EXPECT_EQ(mn_go_with(&attr, count_me, NULL), -EINVAL);
	}
	attr = (struct mn_go_attr){ 0 };
	EXPECT_EQ(mn_go_with(&attr, default_stack, NULL), 0);
}

static void
test_stack_sizes(void)
{
	store_relaxed(&ran, 0);
	EXPECT_EQ(rig_run("procs=1 stack_kb=32", spawn_sizes, NULL), 0);
	EXPECT_EQ(load_relaxed(&ran), 2 * (int)array_len(sizes) + 1);
	expect_counts(4 * (int)array_len(sizes) + 2);
}

static void
spawn_default(void *unused)
{
	(void)unused;
	mn_go(count_me, NULL);
}

static void
test_every_default_stack_size(void)
{
	for (size_t i = 0; i < array_len(sizes); i++) {
		store_relaxed(&ran, 0);
		EXPECT_EQ(rig_run_at("procs=2 stack_kb=%d", sizes[i], spawn_default, NULL), 0);
		EXPECT_EQ(load_relaxed(&ran), 1);
	}
}

// ---- Refusals

static const struct mn_go_attr plain;

static void
expect_no_entry(void)
{
	EXPECT_EQ(mn_go(count_me, NULL), -EPERM);
	EXPECT_EQ(mn_go_with(&plain, count_me, NULL), -EPERM);
	EXPECT(mn_spawn(count_me, NULL) == NULL);
	EXPECT_EQ(mn_id(), 0);
	EXPECT_EQ(mn_p(), -1);
}

static void *
foreign_thread(void *unused)
{
	struct mn_options o;

	(void)unused;
	expect_no_entry();
	rig_options(&o, "procs=1");
	EXPECT_EQ(mn_run(&o, count_me, NULL), -EBUSY);
	add_relaxed(&ran, 1000);
	return NULL;
}

static void
nest(void *unused)
{
	struct mn_options o;
	pthread_t thread;

	(void)unused;
	rig_options(&o, "procs=1");
	EXPECT_EQ(mn_run(&o, count_me, NULL), -EBUSY);
	EXPECT_EQ(mn_run(NULL, count_me, NULL), -EBUSY);
	if (pthread_create(&thread, NULL, foreign_thread, NULL) == 0)
		pthread_join(thread, NULL);
	EXPECT_EQ(mn_id(), 1);
}

static void
test_outside_and_nested_are_refused(void)
{
	store_relaxed(&ran, 0);
	expect_no_entry();
	EXPECT_EQ(rig_run("procs=1", nest, NULL), 0);
	expect_no_entry();
	EXPECT_EQ(load_relaxed(&ran), 1000); // the foreign thread, and nothing else
	expect_counts(1);
}

// ---- mn_exit

static volatile int never;

static void
exit_at(int depth)
{
	char frame[64];

	memset(frame, depth, sizeof(frame));
	if (depth > 0)
		exit_at(depth - 1);
	else if (!never)
		mn_exit();
	add_relaxed(&ran, 1000000 + frame[0]);
}

static void
exit_deep(void *unused)
{
	(void)unused;
	add_relaxed(&ran, 1);
	exit_at(20);
}

static void
exit_main(void *unused)
{
	for (int i = 0; i < 1000; i++)
		mn_go(exit_deep, unused);
	mn_go(count_me, NULL);
	exit_at(5);
}

static void
test_exit_from_main_and_from_depth(void)
{
	for (size_t i = 0; i < array_len(procs); i++) {
		store_relaxed(&ran, 0);
		EXPECT_EQ(rig_run_at("procs=%d", procs[i], exit_main, NULL), 0);
		EXPECT_EQ(load_relaxed(&ran), 1001);
		expect_counts(1002);
	}
}

static void
spawn_exits(void *unused)
{
	for (int i = 0; i < MANY; i++)
		mn_go(exit_deep, unused);
}

// One after the other on one stack: what an exit leaves behind must not add up.
static void
test_100000_exits(void)
{
	store_relaxed(&ran, 0);
	EXPECT_EQ(rig_run("procs=1", spawn_exits, NULL), 0);
	EXPECT_EQ(load_relaxed(&ran), MANY);
}

int
main(void)
{
	RUN(test_main_and_all_goroutines_run);
	RUN(test_100000_goroutines);
	RUN(test_ids_are_never_reused);
	RUN(test_num_goroutines);
	RUN(test_p_procs_and_seed);
	RUN(test_same_seed_same_victims);
	RUN(test_stack_sizes);
	RUN(test_every_default_stack_size);
	RUN(test_outside_and_nested_are_refused);
	RUN(test_exit_from_main_and_from_depth);
	RUN(test_100000_exits);
	return test_result();
}
