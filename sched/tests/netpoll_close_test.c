// SPDX-License-Identifier: MIT
// netpoll_close_test: close while others wait, numbers that come again, deadlines.
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "sched/tests/fds_run.h"

enum { MS = 1000000, READERS = 5 };

static int fd[2];
static _Atomic int cancelled, timed_out;

static void
count_error(intptr_t error)
{
	EXPECT(error == -ECANCELED || error == -ETIMEDOUT);
	if (error == -ECANCELED)
		add_relaxed(&cancelled, 1);
	else
		add_relaxed(&timed_out, 1);
}

static void
read_in_vain(void *unused)
{
	char byte;

	(void)unused;
	count_error(mn_read(fd[0], &byte, 1));
}

static void
write_in_vain(void *unused)
{
	(void)unused;
	count_error(mn_write(fd[0], "x", 1));
}

// ---- Close

// One reader waits for bytes, four for their turn, a writer for room.
static void
close_while_all_wait(void *unused)
{
	struct mn_task *tasks[READERS + 1];

	(void)unused;
	store_relaxed(&cancelled, 0);
	fds_pair(fd);
	fds_fill(fd[0]);
	for (int i = 0; i < READERS; i++)
		tasks[i] = mn_spawn(read_in_vain, NULL);
	tasks[READERS] = mn_spawn(write_in_vain, NULL);
	fds_until_waiting(2);
	fds_until_used(fd[0], READERS + 1);
	EXPECT_EQ(mn_close(fd[0]), 0);
	EXPECT_EQ(write(fd[0], "x", 1), -1); // it is closed when the call returns
	for (int i = 0; i <= READERS; i++)
		mn_join(tasks[i]);
	EXPECT_EQ(load_relaxed(&cancelled), READERS + 1);
	EXPECT_EQ(mn_close(fd[0]), -EBADF);
	EXPECT_EQ(mn_close(fd[1]), 0);
}

static void
test_close_while_waiting(void)
{
	fds_run_everywhere(close_while_all_wait);
}

// Of several that close, one does.
static _Atomic int closed, refused;

static void
close_it(void *unused)
{
	int error = mn_close(fd[0]);

	(void)unused;
	add_relaxed(error ? &refused : &closed, 1);
	EXPECT(error == 0 || error == -EBADF);
}

static void
close_by_many(void *unused)
{
	enum { TIMES = 200 / RIG_SLOWER, CLOSERS = 4 };
	struct mn_task *tasks[CLOSERS + 1];

	(void)unused;
	for (int k = 0; k < TIMES; k++) {
		store_relaxed(&closed, 0);
		store_relaxed(&refused, 0);
		fds_pipe(fd);
		tasks[CLOSERS] = mn_spawn(read_in_vain, NULL);
		fds_until_waiting(1);
		for (int i = 0; i < CLOSERS; i++)
			tasks[i] = mn_spawn(close_it, NULL);
		for (int i = 0; i <= CLOSERS; i++)
			mn_join(tasks[i]);
		EXPECT_EQ(load_relaxed(&closed), 1);
		EXPECT_EQ(load_relaxed(&refused), CLOSERS - 1);
		EXPECT_EQ(mn_close(fd[1]), 0);
	}
}

static void
test_one_close_wins(void)
{
	fds_run_everywhere(close_by_many);
}

// A descriptor that a run leaves open works in the next one.
static void
read_what_was_left(void *unused)
{
	char byte = 0;

	(void)unused;
	EXPECT_EQ(mn_write(fd[1], "x", 1), 1);
	EXPECT_EQ(mn_read(fd[0], &byte, 1), 1);
	EXPECT_EQ(byte, 'x');
	EXPECT_EQ(mn_set_deadline(fd[0], mn_now() + 3600ll * 1000 * MS, 0), 0);
}

static void
test_descriptors_outlive_runs(void)
{
	fds_pipe(fd);
	fds_run_everywhere(read_what_was_left);
	close(fd[0]);
	close(fd[1]);
}

// ---- The same number again

static _Atomic int got_new;

static void
read_new(void *unused)
{
	char byte = 0;

	(void)unused;
	EXPECT_EQ(mn_read(fd[0], &byte, 1), 1);
	EXPECT_EQ(byte, 'n');
	add_relaxed(&got_new, 1);
}

// An event about the former file wakes nobody who waits for the present one.
static void
reuse_number(void *unused)
{
	struct poll_desc *d;
	struct mn_task *reader;
	struct g *woken[2];
	uint64_t stale;
	int former;

	(void)unused;
	store_relaxed(&got_new, 0);
	fds_pipe(fd);
	former = fd[0];
	reader = mn_spawn(read_in_vain, NULL);
	fds_until_waiting(1);
	EXPECT_EQ(mn_netpoll_open(), 0); // as every call does: the table is there
	d = mn_netpoll_desc(former);
	stale = (uint64_t)load_relaxed(&d->generation) << 32 | (uint32_t)former;
	EXPECT_EQ(mn_close(fd[0]), 0);
	EXPECT_EQ(mn_close(fd[1]), 0);
	mn_join(reader);
	fds_pipe(fd);
	EXPECT_EQ(fd[0], former);
	reader = mn_spawn(read_new, NULL);
	fds_until_waiting(1);
	EXPECT_EQ(mn_netpoll_event(stale, MN_OS_READABLE | MN_OS_WRITABLE, woken), 0);
	EXPECT_EQ(mn_netpoll_waiters(), 1);
	EXPECT_EQ(load_relaxed(&d->side[POLL_WRITE].word), POLL_NIL);
	EXPECT_EQ(mn_write(fd[1], "n", 1), 1);
	mn_join(reader);
	EXPECT_EQ(load_relaxed(&got_new), 1);
	EXPECT_EQ(mn_close(fd[0]), 0);
	EXPECT_EQ(mn_close(fd[1]), 0);
}

static void
test_stale_events_wake_nobody(void)
{
	fds_run_everywhere(reuse_number);
}

// Misuse that can be survived: a number closed by the system's call while a duplicate keeps the file, and with it the poller's
// entry, alive. mn_close forgets it, and the same file under the same number is found anew.
static void
close_behind_our_back(void *unused)
{
	struct mn_task *reader;
	int duplicate;

	(void)unused;
	fds_pipe(fd);
	duplicate = dup(fd[0]);
	EXPECT_EQ(mn_write(fd[1], "n", 1), 1);
	read_new(NULL);
	close(fd[0]);
	EXPECT_EQ(mn_close(fd[0]), -EBADF);
	EXPECT_EQ(dup2(duplicate, fd[0]), fd[0]);
	reader = mn_spawn(read_new, NULL);
	fds_until_waiting(1);
	EXPECT_EQ(mn_write(fd[1], "n", 1), 1);
	mn_join(reader);
	EXPECT_EQ(mn_close(fd[0]), 0);
	EXPECT_EQ(mn_close(fd[1]), 0);
	EXPECT_EQ(mn_close(duplicate), 0);
}

static void
test_closed_behind_our_back(void)
{
	fds_run_everywhere(close_behind_our_back);
}

// Numbers go round among goroutines that open, talk and close; each finds its own bytes.
static void
open_talk_close(void *arg)
{
	enum { TIMES = 300 / RIG_SLOWER };
	uint32_t seed = *(const uint32_t *)arg;

	for (uint32_t k = 0; k < TIMES; k++) {
		int pair[2];
		uint8_t text[8];

		fds_pair(pair);
		fds_pattern(seed + k, text, sizeof(text));
		EXPECT_EQ(mn_write(pair[0], text, sizeof(text)), sizeof(text));
		EXPECT_EQ(mn_read(pair[1], text, sizeof(text)), sizeof(text));
		EXPECT_EQ(fds_differ(seed + k, text, sizeof(text)), 0);
		EXPECT_EQ(mn_close(pair[k % 2]), 0);
		EXPECT_EQ(mn_read(pair[1 - k % 2], text, sizeof(text)), 0);
		EXPECT_EQ(mn_close(pair[1 - k % 2]), 0);
	}
}

static void
churn_numbers(void *unused)
{
	static const uint32_t seeds[] = { 1000, 2000, 3000, 4000, 5000, 6000 };
	struct mn_task *tasks[array_len(seeds)];

	(void)unused;
	for (size_t i = 0; i < array_len(seeds); i++)
		tasks[i] = mn_spawn(open_talk_close, (void *)(uintptr_t)&seeds[i]);
	for (size_t i = 0; i < array_len(seeds); i++)
		mn_join(tasks[i]);
}

static void
test_numbers_go_round(void)
{
	fds_run_everywhere(churn_numbers);
}

// ---- Deadlines

static void
miss_deadlines(void *unused)
{
	struct mn_task *tasks[READERS + 1];
	int64_t at = mn_now() + 5 * MS;

	(void)unused;
	store_relaxed(&timed_out, 0);
	fds_pair(fd);
	fds_fill(fd[0]);
	EXPECT_EQ(mn_set_deadline(fd[0], at, at), 0);
	for (int i = 0; i < READERS; i++)
		tasks[i] = mn_spawn(read_in_vain, NULL);
	tasks[READERS] = mn_spawn(write_in_vain, NULL);
	for (int i = 0; i <= READERS; i++)
		mn_join(tasks[i]);
	EXPECT(mn_now() >= at);
	EXPECT_EQ(load_relaxed(&timed_out), READERS + 1);
	// It stays so until it is taken away; what is there can be read all the same.
	read_in_vain(NULL);
	EXPECT_EQ(load_relaxed(&timed_out), READERS + 2);
	EXPECT_EQ(mn_write(fd[1], "n", 1), 1);
	read_new(NULL);
	EXPECT_EQ(mn_set_deadline(fd[0], 0, 0), 0);
	tasks[0] = mn_spawn(read_new, NULL);
	fds_until_waiting(1);
	EXPECT_EQ(mn_write(fd[1], "n", 1), 1);
	mn_join(tasks[0]);
	EXPECT_EQ(mn_close(fd[0]), 0);
	EXPECT_EQ(mn_close(fd[1]), 0);
}

static void
test_deadline_ends_waiting(void)
{
	fds_run_everywhere(miss_deadlines);
}

// Set while somebody waits: to the past, it ends the wait; moved away, it does not.
static void
move_deadlines(void *unused)
{
	struct mn_task *reader;
	int64_t soon = mn_now() + 20 * MS;

	(void)unused;
	store_relaxed(&timed_out, 0);
	fds_pipe(fd);
	EXPECT_EQ(mn_set_deadline(fd[0], soon, 0), 0);
	reader = mn_spawn(read_new, NULL);
	fds_until_waiting(1);
	EXPECT_EQ(mn_set_deadline(fd[0], soon + 3600ll * 1000 * MS, 0), 0);
	if (mn_now() < soon) { // else the machine was slow, and the reader has failed rightly
		mn_sleep(soon + MS - mn_now());
		EXPECT_EQ(mn_netpoll_waiters(), 1);
		EXPECT_EQ(mn_write(fd[1], "n", 1), 1);
		mn_join(reader);
	} else {
		mn_close(fd[0]);
		mn_join(reader);
		fds_pipe(fd);
	}
	reader = mn_spawn(read_in_vain, NULL);
	fds_until_waiting(1);
	EXPECT_EQ(mn_set_deadline(fd[0], -1, -1), 0);
	mn_join(reader);
	EXPECT_EQ(load_relaxed(&timed_out), 1);
	EXPECT_EQ(mn_close(fd[0]), 0);
	EXPECT_EQ(mn_close(fd[1]), 0);
}

static void
test_deadlines_move(void)
{
	fds_run_everywhere(move_deadlines);
}

// A closed descriptor's deadline is not its successor's.
static void
leave_deadline_behind(void *unused)
{
	struct mn_task *reader;
	int64_t at = mn_now() + 10 * MS;
	int former;

	(void)unused;
	fds_pipe(fd);
	former = fd[0];
	EXPECT_EQ(mn_set_deadline(fd[0], at, 0), 0);
	EXPECT_EQ(mn_close(fd[0]), 0);
	EXPECT_EQ(mn_close(fd[1]), 0);
	fds_pipe(fd);
	EXPECT_EQ(fd[0], former);
	reader = mn_spawn(read_new, NULL);
	fds_until_waiting(1);
	mn_sleep(at + MS - mn_now());
	EXPECT_EQ(mn_netpoll_waiters(), 1);
	EXPECT_EQ(mn_write(fd[1], "n", 1), 1);
	mn_join(reader);
	EXPECT_EQ(mn_close(fd[0]), 0);
	EXPECT_EQ(mn_close(fd[1]), 0);
}

static void
test_deadline_dies_with_its_descriptor(void)
{
	fds_run_everywhere(leave_deadline_behind);
}

// Deadline, close and data at about the same time: each call ends, one way or another.
static void
race_one(void *unused)
{
	char byte;
	intptr_t got = mn_read(fd[0], &byte, 1);

	(void)unused;
	EXPECT(got == 1 || got == 0 || got == -ETIMEDOUT || got == -ECANCELED || got == -EBADF);
}

static void
race_all(void *unused)
{
	enum { TIMES = 400 / RIG_SLOWER };

	(void)unused;
	for (int k = 0; k < TIMES; k++) {
		struct mn_task *a, *b;

		fds_pipe(fd);
		EXPECT_EQ(mn_set_deadline(fd[0], mn_now() + 20000 * (k % 10), 0), 0);
		a = mn_spawn(race_one, NULL);
		b = mn_spawn(race_one, NULL);
		mn_sleep(10000 * (k % 7));
		EXPECT_EQ(mn_write(fd[1], "x", 1), 1);
		mn_sleep(10000 * (k % 3));
		EXPECT_EQ(mn_close(fd[0]), 0);
		mn_join(a);
		mn_join(b);
		EXPECT_EQ(mn_close(fd[1]), 0);
	}
}

static void
test_races_end(void)
{
	fds_run_everywhere(race_all);
}

int
main(void)
{
	RUN(test_close_while_waiting);
	RUN(test_one_close_wins);
	RUN(test_descriptors_outlive_runs);
	RUN(test_stale_events_wake_nobody);
	RUN(test_closed_behind_our_back);
	RUN(test_numbers_go_round);
	RUN(test_deadline_ends_waiting);
	RUN(test_deadlines_move);
	RUN(test_deadline_dies_with_its_descriptor);
	RUN(test_races_end);
	return test_result();
}
