// SPDX-License-Identifier: MIT
// chan_basic_test: what a channel promises at every capacity: who blocks and who does not, order, close, sizes.
// Opens the internals of channels to see who waits.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/tests/chan_rig.h"

// ---- Making one

static void
test_sizes_that_do_not_fit_are_refused(void)
{
	EXPECT(!mn_chan_new(SIZE_MAX, 1));
	EXPECT(!mn_chan_new(1, SIZE_MAX));
	EXPECT(!mn_chan_new(SIZE_MAX / 2, 3));
	EXPECT(!mn_chan_new((size_t)1 << 33, (size_t)1 << 33));
	EXPECT(!mn_chan_new(1, SIZE_MAX - sizeof(struct mn_chan)));
	EXPECT(!mn_chan_new(1, PTRDIFF_MAX));
}

static void
test_length_and_capacity(void)
{
	struct mn_chan *c = mn_chan_new(0, SIZE_MAX);

	EXPECT(c && mn_chan_cap(c) == SIZE_MAX);
	EXPECT_EQ(mn_chan_len(c), 0);
	mn_chan_free(c);
	EXPECT_EQ(mn_chan_cap(NULL), 0);
	EXPECT_EQ(mn_chan_len(NULL), 0);
	mn_chan_free(NULL);
}

// ---- At every capacity

struct side {
	struct mn_chan *c;
	int n;
	_Atomic int done;
	_Atomic int *seen;
	struct mn_wait_group *wg;
};

static void
receive_one(void *arg)
{
	struct side *s = arg;

	WRONG_UNLESS(recv_int(s->c) == 0);
	add_acq_rel(&s->done, 1);
}

static void
send_one(void *arg)
{
	struct side *s = arg;

	WRONG_UNLESS(send_int(s->c, 0));
	add_acq_rel(&s->done, 1);
}

static void
receive_on_empty_blocks(size_t cap)
{
	struct side s = { .c = chan_of_int(cap) };
	int v = 7;

	mn_go(receive_one, &s);
	mn_go(receive_one, &s);
	YIELD_UNTIL(chan_receivers(s.c) == 2);
	WRONG_UNLESS(load_acquire(&s.done) == 0);
	WRONG_UNLESS(mn_chan_try_recv(s.c, &v) == -EAGAIN && v == 7);
	WRONG_UNLESS(send_int(s.c, 0) && send_int(s.c, 0));
	YIELD_UNTIL(load_acquire(&s.done) == 2);
	mn_chan_free(s.c);
}

static void
send_on_full_blocks(size_t cap)
{
	struct side s = { .c = chan_of_int(cap) };
	int v = 0;

	for (size_t i = 0; i < cap; i++)
		WRONG_UNLESS(mn_chan_try_send(s.c, &v) == 0);
	mn_go(send_one, &s);
	YIELD_UNTIL(chan_senders(s.c) == 1);
	WRONG_UNLESS(mn_chan_try_send(s.c, &v) == -EAGAIN);
	WRONG_UNLESS(load_acquire(&s.done) == 0);
	WRONG_UNLESS(mn_chan_len(s.c) == cap && mn_chan_cap(s.c) == cap);
	for (size_t i = 0; i <= cap; i++)
		WRONG_UNLESS(recv_int(s.c) == 0);
	YIELD_UNTIL(load_acquire(&s.done) == 1);
	WRONG_UNLESS(mn_chan_len(s.c) == 0);
	mn_chan_free(s.c);
}

static void
receive_after_close(size_t cap)
{
	struct mn_chan *c = chan_of_int(cap);
	int v = 7;

	for (int i = 0; i < (int)cap; i++)
		send_int(c, i);
	mn_chan_close(c);
	WRONG_UNLESS(!send_int(c, 1) && mn_chan_try_send(c, &v) == -EPIPE);
	for (int i = 0; i < (int)cap; i++) {
		if (i % 2)
			WRONG_UNLESS(mn_chan_try_recv(c, &v) == 0 && v == i);
		else
			WRONG_UNLESS(mn_chan_recv(c, &v) && v == i);
	}
	v = 7;
	WRONG_UNLESS(!mn_chan_recv(c, &v) && v == 0);
	v = 7;
	WRONG_UNLESS(mn_chan_try_recv(c, &v) == -EPIPE && v == 0);
	WRONG_UNLESS(mn_chan_try_recv(c, NULL) == -EPIPE && !mn_chan_recv(c, NULL));
	mn_chan_free(c);
}

static void
receive_closed(void *arg)
{
	struct side *s = arg;
	int v = 7;

	WRONG_UNLESS(!mn_chan_recv(s->c, &v) && v == 0);
	add_acq_rel(&s->done, 1);
}

static void
send_closed(void *arg)
{
	struct side *s = arg;

	WRONG_UNLESS(!send_int(s->c, 1));
	add_acq_rel(&s->done, 1);
}

static void
close_wakes_receivers(size_t cap)
{
	struct side s = { .c = chan_of_int(cap) };

	for (int i = 0; i < 3; i++)
		mn_go(receive_closed, &s);
	YIELD_UNTIL(chan_receivers(s.c) == 3);
	mn_chan_close(s.c);
	YIELD_UNTIL(load_acquire(&s.done) == 3);
	mn_chan_free(s.c);
}

static void
close_wakes_senders(size_t cap)
{
	struct side s = { .c = chan_of_int(cap) };

	for (size_t i = 0; i < cap; i++)
		send_int(s.c, (int)i);
	for (int i = 0; i < 3; i++)
		mn_go(send_closed, &s);
	YIELD_UNTIL(chan_senders(s.c) == 3);
	mn_chan_close(s.c);
	for (size_t i = 0; i < cap; i++)
		WRONG_UNLESS(recv_int(s.c) == (int)i);
	WRONG_UNLESS(recv_int(s.c) == -1); // what they could not send is not there
	YIELD_UNTIL(load_acquire(&s.done) == 3);
	mn_chan_free(s.c);
}

static void
send_in_order(void *arg)
{
	struct side *s = arg;

	for (int i = 0; i < s->n; i++)
		WRONG_UNLESS(send_int(s->c, i));
	if (s->wg)
		mn_wait_group_done(s->wg);
}

static void
values_keep_their_order(size_t cap)
{
	struct side s = { .c = chan_of_int(cap), .n = 100 };
	struct mn_task *t = mn_spawn(send_in_order, &s);

	for (int i = 0; i < s.n; i++)
		WRONG_UNLESS(recv_int(s.c) == i);
	mn_join(t);
	mn_chan_free(s.c);
}

static void
count_received(void *arg)
{
	struct side *s = arg;

	for (int i = 0; i < s->n; i++) {
		int v = recv_int(s->c);

		WRONG_UNLESS(v >= 0 && v < s->n);
		if (v >= 0 && v < s->n)
			add_relaxed(&s->seen[v], 1);
	}
	mn_wait_group_done(s->wg);
}

static void
four_to_four(size_t cap)
{
	enum { SIDES = 4, VALUES = 1000 / RIG_SLOWER };
	struct mn_wait_group wg = { 0 };
	static _Atomic int seen[VALUES];
	struct side s = { .c = chan_of_int(cap), .n = VALUES, .seen = seen, .wg = &wg };

	for (int i = 0; i < VALUES; i++)
		store_relaxed(&seen[i], 0);
	mn_wait_group_add(&wg, 2 * SIDES);
	for (int i = 0; i < SIDES; i++) {
		mn_go(send_in_order, &s);
		mn_go(count_received, &s);
	}
	mn_wait_group_wait(&wg);
	for (int i = 0; i < VALUES; i++)
		WRONG_UNLESS(load_relaxed(&seen[i]) == SIDES);
	WRONG_UNLESS(mn_chan_len(s.c) == 0);
	mn_chan_free(s.c);
}

static void
each_capacity(void *unused)
{
	(void)unused;
	for (size_t cap = 0; cap<200; cap += RIG_SLOWER> 1 && cap >= 8 ? 37 : 1) {
		receive_on_empty_blocks(cap);
		send_on_full_blocks(cap);
		receive_after_close(cap);
		close_wakes_receivers(cap);
		close_wakes_senders(cap);
		values_keep_their_order(cap);
		four_to_four(cap);
	}
}

static void
test_chan(void)
{
	chan_run_all(each_capacity, NULL);
}

// ---- Values of every size

enum { SIZE_LARGEST = 4099, ROUNDS = 50 };

struct sized {
	struct mn_chan *c;
	size_t size;
};

static void
fill(unsigned char *value, size_t size, int round)
{
	for (size_t i = 0; i < size; i++)
		value[i] = (unsigned char)(i * 31 + (size_t)round);
}

static void
send_sized(void *arg)
{
	struct sized *s = arg;
	unsigned char value[SIZE_LARGEST];

	for (int round = 0; round < ROUNDS; round++) {
		fill(value, s->size, round);
		WRONG_UNLESS(mn_chan_send(s->c, s->size ? value : NULL));
	}
	mn_chan_close(s->c);
}

static void
recv_sized(struct sized *s)
{
	unsigned char value[SIZE_LARGEST + 1], want[SIZE_LARGEST];

	for (int round = 0; round < ROUNDS; round++) {
		fill(want, s->size, round);
		value[s->size] = 0xee;
		WRONG_UNLESS(mn_chan_recv(s->c, value));
		WRONG_UNLESS(!memcmp(value, want, s->size) && value[s->size] == 0xee);
		round++;
		if (round < ROUNDS)
			WRONG_UNLESS(mn_chan_recv(s->c, NULL)); // dropped
	}
	memset(value, 1, sizeof(value));
	WRONG_UNLESS(!mn_chan_recv(s->c, value));
	for (size_t i = 0; i < s->size; i++)
		WRONG_UNLESS(value[i] == 0);
	WRONG_UNLESS(value[s->size] == 1);
}

static void
each_size(void *unused)
{
	static const size_t sizes[] = { 0, 1, 3, 4, 7, 8, 9, 16, 1000, SIZE_LARGEST }, caps[] = { 0, 1, 5 };

	(void)unused;
	for (size_t i = 0; i < array_len(sizes); i++)
		for (size_t k = 0; k < array_len(caps); k++) {
			struct sized s = { mn_chan_new(sizes[i], caps[k]), sizes[i] };

			struct mn_task *t = mn_spawn(send_sized, &s);

			recv_sized(&s);
			mn_join(t);
			mn_chan_free(s.c);
		}
}

static void
test_values_of_every_size(void)
{
	chan_run_all(each_size, NULL);
}

// ---- No channel

static void
use_null(void *unused)
{
	int v = 7;

	(void)unused;
	WRONG_UNLESS(mn_chan_try_send(NULL, &v) == -EAGAIN);
	WRONG_UNLESS(mn_chan_try_recv(NULL, &v) == -EAGAIN && v == 7);
}

static void
test_null_is_never_ready(void)
{
	chan_run_all(use_null, NULL);
}

int
main(void)
{
	RUN(test_sizes_that_do_not_fit_are_refused);
	RUN(test_length_and_capacity);
	RUN(test_chan);
	RUN(test_values_of_every_size);
	RUN(test_null_is_never_ready);
	return test_result();
}
