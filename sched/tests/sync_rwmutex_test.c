// SPDX-License-Identifier: MIT
// sync_rwmutex_test: readers together, writers alone, and who comes first. Opens base/atomic.h only.
#include <string.h>

#include "sched/tests/rig.h"

static const int procs[] = { 1, 2, 4 };

static struct mn_rwmutex rw;

// ---- Invariants: a writer adds WRITER to the activity and must find nobody else, a reader adds 1 and must find no writer

enum { WRITER = 10000, READERS = 8, WRITERS = 2, ROUNDS = 2000 / RIG_SLOWER };

static _Atomic int activity, wrong;
static int guarded; // plain: written by writers, read by readers

static void
enter(int weight, int low, int high)
{
	int now = add_acq_rel(&activity, weight) + weight;

	if (now < low || now >= high)
		add_relaxed(&wrong, 1);
}

static void
leave_after_a_while(int i, int weight)
{
	if (i % 32 == 0)
		mn_yield();
	add_acq_rel(&activity, -weight);
}

static void
write_often(void *unused)
{
	(void)unused;
	for (int i = 0; i < ROUNDS; i++) {
		if (i % 4 != 0)
			mn_rwmutex_lock(&rw);
		else if (!mn_rwmutex_try_lock(&rw))
			continue;
		enter(WRITER, WRITER, WRITER + 1);
		guarded++;
		leave_after_a_while(i, WRITER);
		mn_rwmutex_unlock(&rw);
	}
}

static void
read_often(void *unused)
{
	(void)unused;
	for (int i = 0; i < ROUNDS; i++) {
		int before, after;

		if (i % 4 != 0)
			mn_rwmutex_read_lock(&rw);
		else if (!mn_rwmutex_try_read_lock(&rw))
			continue;
		before = guarded;
		enter(1, 1, WRITER);
		leave_after_a_while(i, 1);
		after = guarded;
		if (before != after)
			add_relaxed(&wrong, 1);
		mn_rwmutex_read_unlock(&rw);
	}
}

static void
read_and_write(void *unused)
{
	(void)unused;
	for (int i = 0; i < READERS; i++) {
		mn_go(read_often, NULL);
		if (i < WRITERS)
			mn_go(write_often, NULL);
	}
}

static bool
at_rest(void)
{
	static const struct mn_rwmutex zero;

	return memcmp(&rw, &zero, sizeof(rw)) == 0;
}

static void
test_rwmutex_invariants(void)
{
	static const char *const options[] = { "procs=1",
		                               "procs=2",
		                               "procs=4",
		                               "procs=4 runnext=off yield_to=local",
		                               "procs=2 queue=global",
		                               "procs=4 slice_us=100" };

	for (size_t i = 0; i < array_len(options); i++) {
		store_relaxed(&wrong, 0);
		guarded = 0;
		EXPECT_EQ(rig_run(options[i], read_and_write, NULL), 0);
		EXPECT_EQ(load_relaxed(&wrong), 0);
		EXPECT_EQ(load_relaxed(&activity), 0);
		EXPECT(guarded >= WRITERS * (ROUNDS * 3 / 4) && guarded <= WRITERS * ROUNDS);
		EXPECT(at_rest());
	}
}

// ---- All readers are inside at the same time: none leaves before all have come

enum { TOGETHER = 16 };

static _Atomic int present;

static void
read_with_all(void *unused)
{
	(void)unused;
	mn_rwmutex_read_lock(&rw);
	add_relaxed(&present, 1);
	while (load_relaxed(&present) < TOGETHER)
		mn_yield();
	mn_rwmutex_read_unlock(&rw);
}

static void
start_readers(void *arg)
{
	bool behind_a_writer = *(const bool *)arg;

	if (behind_a_writer)
		mn_rwmutex_lock(&rw);
	for (int i = 0; i < TOGETHER; i++)
		mn_go(read_with_all, NULL);
	mn_yield();
	if (!behind_a_writer)
		return;
	EXPECT_EQ(load_relaxed(&present), 0);
	mn_rwmutex_unlock(&rw);
}

static void
test_parallel_readers(void)
{
	static const bool behind_a_writer[] = { false, true };

	for (size_t i = 0; i < 2 * array_len(procs); i++) {
		store_relaxed(&present, 0);
		EXPECT_EQ(
		        rig_run_at("procs=%d", procs[i / 2], start_readers, (void *)(uintptr_t)&behind_a_writer[i % 2]),
		        0);
		EXPECT_EQ(load_relaxed(&present), TOGETHER);
		EXPECT(at_rest());
	}
}

// ---- Order, on one P

static char trail[16];

static void
mark(char c)
{
	trail[strlen(trail)] = c;
}

static void
write_and_mark(void *unused)
{
	(void)unused;
	mn_rwmutex_lock(&rw);
	mark('w');
	mn_rwmutex_unlock(&rw);
}

static void
read_and_mark(void *unused)
{
	(void)unused;
	mn_rwmutex_read_lock(&rw);
	mark('r');
	mn_rwmutex_read_unlock(&rw);
}

// Goes on when the others have nothing left to do but wait.
static void
let_others_run(void)
{
	for (int i = 0; i < 4; i++)
		mn_yield();
}

static void
writer_before_later_readers(void *unused)
{
	(void)unused;
	mn_rwmutex_read_lock(&rw);
	EXPECT(mn_rwmutex_try_read_lock(&rw));
	EXPECT(!mn_rwmutex_try_lock(&rw));
	mn_rwmutex_read_unlock(&rw);
	mn_go(write_and_mark, NULL);
	let_others_run();
	EXPECT(!mn_rwmutex_try_read_lock(&rw));
	mn_go(read_and_mark, NULL);
	let_others_run();
	mark('m');
	mn_rwmutex_read_unlock(&rw);
	let_others_run();
}

static void
readers_before_the_next_writer(void *unused)
{
	(void)unused;
	mn_rwmutex_lock(&rw);
	EXPECT(!mn_rwmutex_try_lock(&rw));
	EXPECT(!mn_rwmutex_try_read_lock(&rw));
	mn_go(write_and_mark, NULL);
	let_others_run();
	mn_go(read_and_mark, NULL);
	let_others_run();
	mark('m');
	mn_rwmutex_unlock(&rw);
	let_others_run();
}

static void
expect_trail(mn_fn fn, const char *want)
{
	memset(trail, 0, sizeof(trail));
	EXPECT_EQ(rig_run("procs=1 preempt=off", fn, NULL), 0);
	EXPECT(strcmp(trail, want) == 0);
	if (strcmp(trail, want) != 0)
		fprintf(stderr, "got %s, expected %s\n", trail, want);
	EXPECT(at_rest());
}

static void
test_a_waiting_writer_keeps_new_readers_out(void)
{
	expect_trail(writer_before_later_readers, "mwr");
}

static void
test_readers_that_waited_go_before_the_next_writer(void)
{
	expect_trail(readers_before_the_next_writer, "mrw");
}

int
main(void)
{
	RUN(test_rwmutex_invariants);
	RUN(test_parallel_readers);
	RUN(test_a_waiting_writer_keeps_new_readers_out);
	RUN(test_readers_that_waited_go_before_the_next_writer);
	return test_result();
}
