// SPDX-License-Identifier: MIT
// wait_group_test: a wait ends when the count is zero, not before and not later; who waits first is readied first; the group
// can be used again; what was written before a done is seen after the wait.
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "sched/tests/rig.h"

static const int procs[] = { 1, 2, 4 };

static struct mn_wait_group group, ready;
static char trail[64];

static void
mark(char c)
{
	size_t n = strlen(trail);

	if (n + 1 < sizeof(trail))
		trail[n] = c;
}

static void
expect_trail(const char *options, mn_fn fn, const char *want)
{
	memset(trail, 0, sizeof(trail));
	group = ready = (struct mn_wait_group){ 0 };
	EXPECT_EQ(rig_run(options, fn, NULL), 0);
	EXPECT(strcmp(trail, want) == 0);
	if (strcmp(trail, want) != 0)
		fprintf(stderr, "%s: ran %s, expected %s\n", options, trail, want);
}

// ---- One P

static void
wait_for_nothing(void *unused)
{
	(void)unused;
	mn_wait_group_wait(&group);
	mn_wait_group_add(&group, 3);
	mn_wait_group_add(&group, 0);
	mn_wait_group_add(&group, -3);
	mn_wait_group_wait(&group);
	mn_wait_group_add(&group, INT_MAX);
	mn_wait_group_add(&group, -INT_MAX);
	mn_wait_group_wait(&group);
	mark('.');
}

static void
test_zero_is_not_waited_for(void)
{
	expect_trail("procs=1", wait_for_nothing, ".");
	EXPECT_EQ(rig_total().parked, 0);
	EXPECT_EQ(rig_total().executed, 1);
}

static void
wait_and_mark(void *arg)
{
	char c = *(const char *)arg;

	mark((char)(c - 'a' + 'A'));
	mn_wait_group_wait(&group);
	mark(c);
}

static void
wait_in_a_row(void *unused)
{
	(void)unused;
	mn_wait_group_add(&group, 1);
	for (const char *c = "abcde"; *c; c++)
		mn_go(wait_and_mark, (void *)(uintptr_t)c);
	mn_yield();
	mark('.');
	mn_wait_group_done(&group);
	mark('.');
}

// Readied in the order in which they came, each by way of runnext: the last of them runs first, as the last of a burst does.
static void
test_waiters_are_readied_in_order(void)
{
	expect_trail("procs=1 preempt=off global_tick=0", wait_in_a_row, "EABCD..deabc");
	expect_trail("procs=1 preempt=off runnext=off", wait_in_a_row, "ABCDE..abcde");
	expect_trail("procs=1 preempt=off queue=global", wait_in_a_row, "ABCDE..abcde");
	EXPECT_EQ(rig_total().parked, 5);
	EXPECT_EQ(rig_total().readied, 5);
}

static void
finish_and_mark(void *arg)
{
	mark(*(const char *)arg);
	mn_wait_group_done(&group);
}

static void
add_while_waited_for(void *unused)
{
	mn_wait_group_add(&group, 1);
	mn_go(wait_and_mark, (void *)(uintptr_t) "w");
	mn_yield();
	mn_wait_group_add(&group, 2);
	for (const char *c = "xyz"; *c; c++) {
		mn_go(finish_and_mark, (void *)(uintptr_t)c);
		mn_yield();
	}
	mark('.');
	(void)unused;
}

static void
test_add_in_the_middle(void)
{
	expect_trail("procs=1 preempt=off", add_while_waited_for, "Wxyzw.");
}

// ---- Several Ps

enum { ROUNDS = 2000 / RIG_SLOWER, WORKERS = 8 };

static uint64_t written[WORKERS];
static int not_seen;

static void
write_then_done(void *arg)
{
	*(uint64_t *)arg += 1;
	mn_wait_group_done(&group);
}

static void
use_again_and_again(void *unused)
{
	(void)unused;
	for (uint64_t round = 1; round <= ROUNDS; round++) {
		mn_wait_group_add(&group, WORKERS);
		for (int i = 0; i < WORKERS; i++)
			mn_go(write_then_done, &written[i]);
		mn_wait_group_wait(&group);
		for (int i = 0; i < WORKERS; i++)
			not_seen += written[i] != round;
	}
}

// Plain memory on purpose: it is the group that orders.
static void
test_reuse_and_what_was_written_before(void)
{
	for (size_t i = 0; i < array_len(procs); i++) {
		memset(written, 0, sizeof(written));
		group = (struct mn_wait_group){ 0 };
		EXPECT_EQ(rig_run_at("procs=%d", procs[i], use_again_and_again, NULL), 0);
		EXPECT_EQ(not_seen, 0);
	}
}

enum { DONES = 100000, WAITERS = 10 };
static _Atomic int left, woken, early;

static void
do_them(void *unused)
{
	(void)unused;
	for (int i = 0; i < DONES / RIG_SLOWER; i++) {
		sub_acq_rel(&left, 1);
		mn_wait_group_done(&group);
	}
}

static void
wait_for_all(void *unused)
{
	(void)unused;
	mn_wait_group_wait(&group);
	if (load_relaxed(&left) != 0)
		add_relaxed(&early, 1);
	add_relaxed(&woken, 1);
}

static void
many_dones(void *unused)
{
	mn_wait_group_add(&group, 4 * (DONES / RIG_SLOWER));
	for (int i = 0; i < WAITERS; i++) {
		mn_go(wait_for_all, unused);
		if (i % 3 == 0)
			mn_go(do_them, unused);
	}
	wait_for_all(unused);
}

static void
test_many_dones_many_waiters(void)
{
	for (int p = 1; p <= 4; p++) {
		group = (struct mn_wait_group){ 0 };
		store_relaxed(&left, 4 * (DONES / RIG_SLOWER));
		store_relaxed(&woken, 0);
		EXPECT_EQ(rig_run_at("procs=%d", p, many_dones, NULL), 0);
		EXPECT_EQ(load_relaxed(&woken), WAITERS + 1);
		EXPECT_EQ(load_relaxed(&early), 0);
		EXPECT_EQ(load_relaxed(&left), 0);
	}
}

struct meeting {
	struct mn_wait_group group;
	_Atomic int there;
	int pause, written;
};

static void
pause_for(int n)
{
	for (int i = 0; i < n; i++)
		cpu_pause();
}

static void
write_and_meet(void *arg)
{
	struct meeting *m = arg;

	store_relaxed(&m->there, 1);
	pause_for(m->pause);
	m->written = 1;
	mn_wait_group_done(&m->group);
}

// The wait and the last done meet, one or the other a little later: whoever comes second must see the first, and what it wrote.
static void
meet(void *unused)
{
	(void)unused;
	for (int i = 0; i < 20 * ROUNDS; i++) {
		struct meeting m = { .pause = i % 23 };

		mn_wait_group_add(&m.group, 1);
		mn_go(write_and_meet, &m);
		while (mn_num_procs() > 1 && i % 8 && !load_relaxed(&m.there))
			mn_check();
		pause_for(i % 17);
		mn_wait_group_wait(&m.group);
		not_seen += m.written != 1;
	}
	EXPECT_EQ(not_seen, 0);
}

static void
test_wait_meets_the_last_done(void)
{
	for (size_t i = 0; i < array_len(procs); i++)
		EXPECT_EQ(rig_run_at("procs=%d", procs[i], meet, NULL), 0);
}

// ---- The group's end

static void
done_last(void *g)
{
	mn_wait_group_done(g);
}

// The only waiter may free the group at once: whoever woke it must not look at it again.
static void
free_after_wait(void *unused)
{
	(void)unused;
	for (int i = 0; i < 5 * ROUNDS; i++) {
		struct mn_wait_group *g = calloc(1, sizeof(*g));

		mn_wait_group_add(g, 1);
		mn_go(done_last, g);
		if (i % 3 == 0)
			mn_yield();
		pause_for(i % 17);
		mn_wait_group_wait(g);
		memset(g, 0xff, sizeof(*g));
		free(g);
	}
}

static void
test_group_freed_by_its_waiter(void)
{
	for (size_t i = 0; i < array_len(procs); i++)
		EXPECT_EQ(rig_run_at("procs=%d", procs[i], free_after_wait, NULL), 0);
}

int
main(void)
{
	RUN(test_zero_is_not_waited_for);
	RUN(test_waiters_are_readied_in_order);
	RUN(test_add_in_the_middle);
	RUN(test_reuse_and_what_was_written_before);
	RUN(test_many_dones_many_waiters);
	RUN(test_wait_meets_the_last_done);
	RUN(test_group_freed_by_its_waiter);
	return test_result();
}
