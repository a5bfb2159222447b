// SPDX-License-Identifier: MIT
// order_test: with one P the order in which goroutines run is fixed by the rules of runnext, local queue, global queue and
// yield alone; each is written down here as the string of names that it leaves.
#include <string.h>

#include "sched/tests/rig.h"

static char trail[1024];

// Leaves one more mark in the trail.
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

// Starts one goroutine a letter, each of which leaves that letter.
static void
go_each(const char *letters)
{
	for (; *letters; letters++)
		EXPECT_EQ(mn_go(leave_mark, (void *)(uintptr_t)letters), 0);
}

static void
expect_trail(const char *options, mn_fn fn, const char *want)
{
	char quiet[128];

	memset(trail, 0, sizeof(trail));
	snprintf(quiet, sizeof(quiet), "preempt=off %s", options); // no slice ends because the machine is slow
	EXPECT_EQ(rig_run(quiet, fn, NULL), 0);
	EXPECT(strcmp(trail, want) == 0);
	if (strcmp(trail, want) != 0)
		fprintf(stderr, "%s: ran %s, expected %s\n", options, trail, want);
}

static void
burst(void *unused)
{
	(void)unused;
	mark('.');
	go_each("abcdefgh");
	mark('.');
}

// The spawner goes on; the last child stands in runnext, those before it were moved to the tail one by one.
static void
test_last_child_first_then_the_others(void)
{
	expect_trail("procs=1", burst, "..habcdefg");
}

static void
test_runnext_off_is_fifo(void)
{
	expect_trail("procs=1 runnext=off", burst, "..abcdefgh");
}

static void
test_global_queue_is_fifo(void)
{
	expect_trail("procs=1 queue=global", burst, "..abcdefgh");
	expect_trail("procs=1 queue=global runnext=off", burst, "..abcdefgh");
	expect_trail("procs=1 queue=global global_tick=1", burst, "..abcdefgh");
}

static void
one_child(void *unused)
{
	(void)unused;
	go_each("a");
	mark('m');
	mn_yield();
	mark('m');
	go_each("bc");
}

static void
test_child_runs_when_its_parent_gives_way(void)
{
	expect_trail("procs=1", one_child, "mamcb");
	expect_trail("procs=1 runnext=off", one_child, "mambc");
}

static void
leave_two_marks(void *arg)
{
	mark(*(const char *)arg);
	mn_yield();
	mark(*(const char *)arg);
}

static void
yield_in_turn(void *unused)
{
	static const char names[] = "ab";

	(void)unused;
	mark('m');
	mn_go(leave_two_marks, (void *)(uintptr_t)&names[0]);
	mn_go(leave_two_marks, (void *)(uintptr_t)&names[1]);
	mn_yield();
	mark('m');
}

static void
test_yield_goes_round(void)
{
	expect_trail("procs=1 global_tick=0", yield_in_turn, "mbamba");
	expect_trail("procs=1 yield_to=local", yield_in_turn, "mbamba");
	// main began no slice, so the first look at the global queue, due at slice 0, is still to come when b yields.
	expect_trail("procs=1", yield_in_turn, "mbmaba");
	expect_trail("procs=1 queue=global", yield_in_turn, "mabmab");
	expect_trail("procs=1 queue=global yield_to=local", yield_in_turn, "mabmab");
}

static void
mark_and_spawn(void *arg)
{
	mark(*(const char *)arg);
	go_each("de");
}

static void
yield_past_a_spawner(void *unused)
{
	static const char name = 'c';

	(void)unused;
	go_each("ab");
	mn_go(mark_and_spawn, (void *)(uintptr_t)&name);
	mark('m');
	mn_yield();
	mark('m');
}

// c, from runnext, puts d behind whoever stands at the tail then: the yielder, if it went there. In the global queue it
// waits until the local one is empty.
static void
test_yield_to_the_tail_of_which_queue(void)
{
	expect_trail("procs=1 global_tick=0", yield_past_a_spawner, "mceabdm");
	expect_trail("procs=1 global_tick=0 yield_to=local", yield_past_a_spawner, "mceabmd");
}

// Nobody to give way to: the yielder goes on, and it does not count.
static void
yield_alone(void *unused)
{
	(void)unused;
	for (int i = 0; i < 1000; i++)
		mn_yield();
	mark('m');
}

static void
test_yield_alone_goes_on(void)
{
	static const char *const ways[] = { "procs=1", "procs=1 yield_to=local", "procs=1 queue=global", "procs=4" };

	for (size_t i = 0; i < array_len(ways); i++) {
		expect_trail(ways[i], yield_alone, "m");
		EXPECT_EQ(rig_total().yields, 0);
		EXPECT_EQ(rig_total().executed, 1);
	}
}

// ---- mn_check

static void
check_until_over(void *unused)
{
	(void)unused;
	go_each("a");
	while (!strchr(trail, 'a'))
		mn_check();
	mark('m');
}

// A slice that is over ends at mn_check: the other runs though this one never yields.
static void
test_check_ends_a_slice(void)
{
	expect_trail("procs=1 slice_us=100 preempt=cooperative", check_until_over, "am");
	EXPECT(rig_total().preemptions >= 1);
	EXPECT_EQ(rig_total().yields, 1);
}

static void
check_for_some_slices(void *unused)
{
	uint64_t begun = rig_total().slices;

	(void)unused;
	go_each("a");
	for (int i = 0; i < 1000000; i++)
		mn_check();
	EXPECT_EQ(rig_total().slices, begun);
	mark('m');
}

static void
test_preempt_off_is_off(void)
{
	expect_trail("procs=1 slice_us=100", check_for_some_slices, "ma");
	EXPECT_EQ(rig_total().preemptions, 0);
}

// ---- A chain through runnext is one slice

struct pair {
	struct mn_wait_group ping, pong;
	bool over;
	uint64_t rounds;
};

static void
ponger(void *arg)
{
	struct pair *p = arg;

	do { // at least once, for its partner waits for it
		mn_wait_group_wait(&p->ping);
		mn_wait_group_add(&p->ping, 1);
		mn_wait_group_done(&p->pong);
	} while (!p->over);
}

static void
ping(struct pair *p)
{
	p->rounds++;
	mn_wait_group_done(&p->ping);
	mn_wait_group_wait(&p->pong);
	mn_wait_group_add(&p->pong, 1);
}

static void
ping_pong(void *arg)
{
	struct pair *p = arg;

	mn_wait_group_add(&p->ping, 1);
	mn_wait_group_add(&p->pong, 1);
	mn_go(ponger, p);
	for (int i = 0; i < 1000; i++)
		ping(p);
	p->over = true;
	mn_wait_group_done(&p->ping);
}

// 2,000 hand-overs and none begins a slice (main itself runs in the slice before the first); without runnext each does.
static void
test_runnext_inherits_the_slice(void)
{
	struct pair pair = { 0 };

	EXPECT_EQ(rig_run("procs=1 preempt=off", ping_pong, &pair), 0);
	EXPECT_EQ(rig_total().slices, 0);
	EXPECT_EQ(rig_total().run_runnext, rig_total().executed);
	EXPECT(rig_total().executed >= 2000);
	pair = (struct pair){ 0 };
	EXPECT_EQ(rig_run("procs=1 preempt=off runnext=off", ping_pong, &pair), 0);
	EXPECT_EQ(rig_total().slices, rig_total().executed);
	EXPECT_EQ(rig_total().run_runnext, 0);
}

static void
end_it(void *arg)
{
	((struct pair *)arg)->over = true;
}

static void
ping_pong_until_told(void *arg)
{
	struct pair *p = arg;

	mn_wait_group_add(&p->ping, 1);
	mn_wait_group_add(&p->pong, 1);
	mn_go(end_it, p);
	mn_go(ponger, p);
	while (!p->over)
		ping(p);
	mn_wait_group_done(&p->ping);
}

// And the slice ends: a pair that hands over to each other for ever does not keep a third off the P.
static void
test_a_pair_does_not_starve_a_third(void)
{
	struct pair pair = { 0 };

	EXPECT_EQ(rig_run("procs=1 slice_us=100", ping_pong_until_told, &pair), 0);
	EXPECT(pair.rounds > 0);
}

static void
nothing(void *unused)
{
	(void)unused;
}

static void
fork_and_join_until_told(void *arg)
{
	struct pair *p = arg;

	mn_go(end_it, p);
	while (!p->over)
		mn_join(mn_spawn(nothing, NULL));
}

// Nor does one who runs child after child in place, which is no hand-over at all.
static void
test_children_in_place_do_not_starve_a_third(void)
{
	struct pair pair = { 0 };

	EXPECT_EQ(rig_run("procs=1 slice_us=100", fork_and_join_until_told, &pair), 0);
	EXPECT(pair.over);
}

// ---- Several Ps

static _Atomic int elsewhere;
static int here;

static void
note_elsewhere(void *unused)
{
	(void)unused;
	if (mn_p() != here)
		store_relaxed(&elsewhere, 1);
}

static void
spill_and_wait(void *unused)
{
	here = mn_p();
	for (int i = 0; i < 20; i++)
		mn_go(note_elsewhere, unused);
	RIG_WAIT_UNTIL(load_relaxed(&elsewhere));
}

// What has spilled is anybody's: an idle P is woken for it, though nobody may steal.
static void
test_spill_wakes_others_without_stealing(void)
{
	store_relaxed(&elsewhere, 0);
	EXPECT_EQ(rig_run("procs=2 steal=none local_cap=4", spill_and_wait, NULL), 0);
	EXPECT_EQ(rig_total().stolen_in, 0);
	EXPECT(rig_total().spills > 0);
}

int
main(void)
{
	RUN(test_last_child_first_then_the_others);
	RUN(test_runnext_off_is_fifo);
	RUN(test_global_queue_is_fifo);
	RUN(test_child_runs_when_its_parent_gives_way);
	RUN(test_yield_goes_round);
	RUN(test_yield_to_the_tail_of_which_queue);
	RUN(test_yield_alone_goes_on);
	RUN(test_check_ends_a_slice);
	RUN(test_preempt_off_is_off);
	RUN(test_runnext_inherits_the_slice);
	RUN(test_a_pair_does_not_starve_a_third);
	RUN(test_children_in_place_do_not_starve_a_third);
	RUN(test_spill_wakes_others_without_stealing);
	return test_result();
}
