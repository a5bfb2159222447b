// SPDX-License-Identifier: MIT
// join_test: a child is joined whatever became of it meanwhile: not started (then it runs in place), running, parked, stolen,
// ended; and what must not happen when it runs on the joiner's stack. Opens sched/core/park.h to see a goroutine's state.
#include <string.h>

#include "sched/core/park.h"
#include "sched/tests/rig.h"

static char trail[64];

static void
mark(char c)
{
	size_t n = strlen(trail);

	if (n + 1 < sizeof(trail))
		trail[n] = c;
}

static void
leave_mark(void *arg)
{
	mark(*(const char *)arg);
}

static struct mn_task *
spawn_mark(const char *letter)
{
	return mn_spawn(leave_mark, (void *)(uintptr_t)letter);
}

static void
expect_trail(const char *options, mn_fn fn, const char *want)
{
	memset(trail, 0, sizeof(trail));
	EXPECT_EQ(rig_run(options, fn, NULL), 0);
	EXPECT(strcmp(trail, want) == 0);
	if (strcmp(trail, want) != 0)
		fprintf(stderr, "%s: ran %s, expected %s\n", options, trail, want);
}

static void
expect_in_place(uint64_t joined, uint64_t from_runnext, uint64_t from_local)
{
	struct mn_counters c = rig_total();

	EXPECT_EQ(c.run_joined, joined);
	EXPECT_EQ(c.joined_runnext, from_runnext);
	EXPECT_EQ(c.joined_local, from_local);
	EXPECT_EQ(c.executed + c.run_joined, c.spawned + c.parked + c.yields);
}

// ---- In place

static uint64_t child_id, id_after;
static int alive_inside;

static void
note_inside(void *unused)
{
	(void)unused;
	child_id = mn_id();
	alive_inside = mn_num_goroutines();
}

static void
join_at_once(void *unused)
{
	(void)unused;
	mn_join(mn_spawn(note_inside, NULL));
	id_after = mn_id();
}

// A child has its own number even where it runs on its parent's stack, and counts among the living.
static void
test_unstarted_child_runs_in_place(void)
{
	EXPECT_EQ(rig_run("procs=1 preempt=off", join_at_once, NULL), 0);
	EXPECT(child_id > 1);
	EXPECT_EQ(id_after, 1);
	EXPECT_EQ(alive_inside, 2);
	EXPECT_EQ(rig_total().executed, 1);
	expect_in_place(1, 1, 0);
}

static void
join_newest_of_ring(void *unused)
{
	struct mn_task *a = spawn_mark("a"), *b = spawn_mark("b");

	(void)unused;
	mn_join(a);
	mark('.');
	mn_join(b);
	mark('.');
}

static void
test_child_taken_from_the_ring(void)
{
	expect_trail("procs=1 preempt=off", join_newest_of_ring, "a.b.");
	expect_in_place(2, 1, 1);
	expect_trail("procs=1 preempt=off runnext=off", join_newest_of_ring, "ab..");
	expect_in_place(0, 0, 0);
}

static void
join_not_the_newest(void *unused)
{
	struct mn_task *a = spawn_mark("a"), *b = spawn_mark("b"), *c = spawn_mark("c");

	(void)unused;
	mn_join(a);
	mark('.');
	mn_join(b);
	mark('.');
	mn_join(c);
}

// a is behind b: main parks, c runs from runnext and then a, which readies main into runnext, before b.
static void
test_child_behind_others_is_waited_for(void)
{
	expect_trail("procs=1 preempt=off", join_not_the_newest, "ca.b.");
	EXPECT_EQ(rig_total().parked, 1);
	expect_in_place(1, 0, 1);
}

static void
join_from_global(void *unused)
{
	struct mn_task *a = spawn_mark("a"), *b = spawn_mark("b");

	(void)unused;
	mn_join(b);
	mn_join(a);
	mark('.');
}

static void
test_child_in_the_global_queue_is_waited_for(void)
{
	expect_trail("procs=1 preempt=off queue=global", join_from_global, "ab.");
	EXPECT_EQ(rig_total().parked, 1);
	expect_in_place(0, 0, 0);
}

static void
join_ended(void *unused)
{
	struct mn_task *a = spawn_mark("a");

	(void)unused;
	mn_yield();
	mark('.');
	mn_join(a);
	mark('.');
}

static void
test_join_of_an_ended_child(void)
{
	expect_trail("procs=1 preempt=off", join_ended, "a..");
	EXPECT_EQ(rig_total().parked, 0);
	expect_in_place(0, 0, 0);
}

// A child that has begun and gives way may come to stand at the end of its joiner's queue again.
static void
mark_twice(void *arg)
{
	mark(*(const char *)arg);
	mn_yield();
	mark(*(const char *)arg);
}

static void
join_one_that_yielded(void *unused)
{
	struct mn_task *child = mn_spawn(mark_twice, (void *)(uintptr_t) "a");

	(void)unused;
	mn_yield();
	mark('.');
	mn_join(child);
	mark('.');
}

static struct mn_wait_group gate;

static void
mark_around_wait(void *unused)
{
	(void)unused;
	mark('w');
	mn_wait_group_wait(&gate);
	mark('v');
}

static void
join_one_that_was_readied(void *unused)
{
	struct mn_task *child;

	gate = (struct mn_wait_group){ 0 };
	mn_wait_group_add(&gate, 1);
	child = mn_spawn(mark_around_wait, unused);
	mn_yield();
	mn_wait_group_done(&gate);
	mark('.');
	mn_join(child);
	mark('.');
}

// It must go on, not begin again.
static void
test_started_child_is_not_begun_again(void)
{
	expect_trail("procs=1 preempt=off yield_to=local", join_one_that_yielded, "a.a.");
	expect_in_place(0, 0, 0);
	expect_trail("procs=1 preempt=off", join_one_that_yielded, "a.a.");
	expect_in_place(0, 0, 0);
	expect_trail("procs=1 preempt=off", join_one_that_was_readied, "w.v.");
	expect_in_place(0, 0, 0);
}

// ---- Others' hands

static struct g *parent;
static _Atomic int started, result;

static void
start_then_wait_for_the_joiner(void *unused)
{
	(void)unused;
	store_release(&started, mn_p() + 1);
	while (g_status(parent) != G_WAITING)
		sched_yield();
	store_relaxed(&result, 1);
}

static void
join_stolen(void *unused)
{
	struct mn_task *child;
	int here = mn_p() + 1;

	(void)unused;
	parent = mn_self_g();
	child = mn_spawn(start_then_wait_for_the_joiner, NULL);
	RIG_WAIT_UNTIL(load_acquire(&started) != 0);
	EXPECT(load_acquire(&started) != here);
	mn_join(child);
	EXPECT_EQ(load_relaxed(&result), 1);
}

// main never gives way: the child runs, though it stood in main's runnext, because another P took it from there.
static void
test_join_of_a_stolen_child(void)
{
	for (int n = 2; n <= 4; n *= 2) {
		store_relaxed(&started, 0);
		store_relaxed(&result, 0);
		EXPECT_EQ(rig_run_at("procs=%d", n, join_stolen, NULL), 0);
		EXPECT(rig_total().stolen_runnext >= 1);
		EXPECT_EQ(rig_total().parked, 1);
		expect_in_place(0, 0, 0);
	}
}

static void
join_for_another(void *task)
{
	mn_join(task);
	mark('j');
}

static void
hand_a_child_on(void *unused)
{
	struct mn_task *child = spawn_mark("a");
	struct mn_task *joiner = mn_spawn(join_for_another, child);

	(void)unused;
	mn_join(joiner);
	mark('.');
}

// Whoever has the handle may join. The joiner, itself in place, finds the child at the end of its own queue.
static void
test_join_by_another_than_the_parent(void)
{
	expect_trail("procs=1 preempt=off", hand_a_child_on, "aj.");
	expect_in_place(2, 1, 1);
}

// ---- mn_exit in place

static void
exit_here(void *unused)
{
	(void)unused;
	mark('x');
	mn_exit();
}

static void
exit_after_child_exited(void *unused)
{
	mn_join(mn_spawn(exit_here, unused));
	mark('y');
	mn_exit();
}

static void
three_deep(void *unused)
{
	mn_join(mn_spawn(exit_after_child_exited, unused));
	mark('z');
}

static void
join_exits(void *unused)
{
	mn_join(mn_spawn(three_deep, unused));
	mark('.');
	mn_join(mn_spawn(exit_here, unused));
	mark('.');
	mn_exit();
}

// Each ends itself alone, though all stand on one stack.
static void
test_exit_in_place(void)
{
	expect_trail("procs=1 preempt=off", join_exits, "xyz.x.");
	expect_in_place(4, 4, 0);
}

static uint64_t exits;

static void
count_and_exit(void *unused)
{
	char frame[128];

	(void)unused;
	memset(frame, 1, sizeof(frame));
	exits += (uint64_t)((volatile char *)frame)[7];
	mn_exit();
}

static void
join_many_exits(void *unused)
{
	for (int i = 0; i < 100000; i++)
		mn_join(mn_spawn(count_and_exit, unused));
}

static void
test_100000_exits_in_place(void)
{
	exits = 0;
	EXPECT_EQ(rig_run("procs=1 preempt=off", join_many_exits, NULL), 0);
	EXPECT_EQ(exits, 100000);
	expect_in_place(100000, 100000, 0);
}

// ---- Parking in place

static void
open_gate(void *unused)
{
	(void)unused;
	mark('o');
	mn_wait_group_done(&gate);
}

static void
park_in_place(void *unused)
{
	uint64_t id = mn_id();

	(void)unused;
	mark('p');
	mn_wait_group_wait(&gate);
	EXPECT_EQ(mn_id(), id);
	mark('q');
	mn_exit();
}

static void
join_one_that_parks(void *unused)
{
	gate = (struct mn_wait_group){ 0 };
	mn_wait_group_add(&gate, 1);
	mn_go(open_gate, unused);
	mn_join(mn_spawn(park_in_place, unused));
	EXPECT_EQ(mn_id(), 1);
	mark('.');
}

static void
test_child_parks_in_place(void)
{
	expect_trail("procs=1 preempt=off", join_one_that_parks, "poq.");
	EXPECT_EQ(rig_total().parked, 1);
	expect_in_place(1, 1, 0);
}

int
main(void)
{
	RUN(test_unstarted_child_runs_in_place);
	RUN(test_child_taken_from_the_ring);
	RUN(test_child_behind_others_is_waited_for);
	RUN(test_child_in_the_global_queue_is_waited_for);
	RUN(test_join_of_an_ended_child);
	RUN(test_started_child_is_not_begun_again);
	RUN(test_join_of_a_stolen_child);
	RUN(test_join_by_another_than_the_parent);
	RUN(test_exit_in_place);
	RUN(test_100000_exits_in_place);
	RUN(test_child_parks_in_place);
	return test_result();
}
