// SPDX-License-Identifier: MIT
// chan_handoff_test: operations are carried out by whoever finds the other side waiting: in order of arrival, and so that the
// woken find everything done and nobody can come in between. Opens the internals of channels to see who waits.
#include <errno.h>
#include <string.h>

#include "sched/tests/chan_rig.h"

enum { MANY = 50 };

struct line {
	struct mn_chan *c, *other;
	_Atomic int next;      // place in the line
	_Atomic int got[MANY]; // by place
	_Atomic int done;
	int woken[MANY], nwoken; // in order of running again, at one P
};

static void
start(struct line *l, size_t cap)
{
	memset(l, 0, sizeof(*l));
	l->c = chan_of_int(cap);
	l->other = chan_of_int(0);
}

static void
stop(struct line *l)
{
	mn_chan_free(l->c);
	mn_chan_free(l->other);
}

// Half of them wait in a select that never sees its other channel do anything.
static void
receiver(void *arg)
{
	struct line *l = arg;
	int place = add_relaxed(&l->next, 1), v = -1;
	struct mn_case cases[] = { case_recv(l->other, &v), case_recv(l->c, &v) };

	if (place % 2)
		WRONG_UNLESS(mn_select(cases, 2, true) == 1 && cases[1].ok);
	else
		WRONG_UNLESS(mn_chan_recv(l->c, &v));
	store_relaxed(&l->got[place], v);
	add_acq_rel(&l->done, 1);
}

static void
sender(void *arg)
{
	struct line *l = arg;
	int place = add_relaxed(&l->next, 1);
	struct mn_case cases[] = { case_send(l->c, &place), case_recv(l->other, NULL) };

	if (place % 2)
		WRONG_UNLESS(mn_select(cases, 2, true) == 0 && cases[0].ok);
	else
		WRONG_UNLESS(mn_chan_send(l->c, &place));
	add_acq_rel(&l->done, 1);
}

static void
receivers_in_order(size_t cap)
{
	struct line l;

	start(&l, cap);
	for (size_t i = 0; i < MANY; i++) {
		mn_go(receiver, &l);
		YIELD_UNTIL(chan_receivers(l.c) == i + 1);
	}
	for (int i = 0; i < MANY; i++)
		WRONG_UNLESS(i % 3 ? send_int(l.c, i) : mn_chan_try_send(l.c, &i) == 0);
	YIELD_UNTIL(load_acquire(&l.done) == MANY);
	for (int i = 0; i < MANY; i++)
		WRONG_UNLESS(load_relaxed(&l.got[i]) == i);
	WRONG_UNLESS(chan_receivers(l.other) == 0);
	stop(&l);
}

static void
senders_in_order(size_t cap)
{
	struct line l;

	start(&l, cap);
	for (int i = 0; i < (int)cap; i++)
		send_int(l.c, -1 - i);
	for (size_t i = 0; i < MANY; i++) {
		mn_go(sender, &l);
		YIELD_UNTIL(chan_senders(l.c) == i + 1);
	}
	for (int i = 0; i < (int)cap; i++) {
		int v = 0;

		WRONG_UNLESS(mn_chan_recv(l.c, &v) && v == -1 - i);
	}
	for (int i = 0; i < MANY; i++)
		WRONG_UNLESS(recv_int(l.c) == i);
	YIELD_UNTIL(load_acquire(&l.done) == MANY);
	WRONG_UNLESS(chan_receivers(l.other) == 0);
	stop(&l);
}

static void
in_order(void *unused)
{
	(void)unused;
	receivers_in_order(0);
	receivers_in_order(3);
	senders_in_order(0);
	senders_in_order(1);
	senders_in_order(7);
}

static void
test_order_of_arrival(void)
{
	chan_run_all(in_order, NULL);
}

// ---- Nobody comes in between

// The receiver is woken, but has not run: the value is his already, nobody else's to receive.
static void
value_is_the_receivers(size_t cap)
{
	struct line l;
	int v;

	start(&l, cap);
	mn_go(receiver, &l);
	YIELD_UNTIL(chan_receivers(l.c) == 1);
	WRONG_UNLESS(send_int(l.c, 42));
	WRONG_UNLESS(mn_chan_len(l.c) == 0 && chan_receivers(l.c) == 0);
	WRONG_UNLESS(mn_chan_try_recv(l.c, &v) == -EAGAIN);
	YIELD_UNTIL(load_acquire(&l.done) == 1);
	WRONG_UNLESS(load_relaxed(&l.got[0]) == 42);
	stop(&l);
}

// The sender is woken, but has not run: the room that was made is his already.
static void
room_is_the_senders(void)
{
	struct line l;
	int v = 1;

	start(&l, 1);
	send_int(l.c, 42);
	mn_go(sender, &l);
	YIELD_UNTIL(chan_senders(l.c) == 1);
	WRONG_UNLESS(recv_int(l.c) == 42);
	WRONG_UNLESS(mn_chan_len(l.c) == 1 && chan_senders(l.c) == 0);
	WRONG_UNLESS(mn_chan_try_send(l.c, &v) == -EAGAIN);
	WRONG_UNLESS(recv_int(l.c) == 0);
	YIELD_UNTIL(load_acquire(&l.done) == 1);
	stop(&l);
}

static void
no_barging(void *unused)
{
	(void)unused;
	value_is_the_receivers(0);
	value_is_the_receivers(2);
	room_is_the_senders();
}

static void
test_woken_do_not_compete(void)
{
	chan_run_all(no_barging, NULL);
}

// The value stands in the receiver's variable before the receiver runs: at one P, the sender that has not given way sees it.
struct slot {
	struct mn_chan *c;
	int value;
};

static void
receive_into_slot(void *arg)
{
	struct slot *s = arg;

	WRONG_UNLESS(mn_chan_recv(s->c, &s->value));
}

static void
look_at_slot(void *unused)
{
	struct slot s = { chan_of_int(0), 0 };

	(void)unused;
	mn_go(receive_into_slot, &s);
	YIELD_UNTIL(chan_receivers(s.c) == 1);
	WRONG_UNLESS(send_int(s.c, 42));
	WRONG_UNLESS(s.value == 42);
	mn_yield();
	mn_chan_free(s.c);
}

static void
test_value_goes_straight_into_the_slot(void)
{
	store_relaxed(&chan_wrong, 0);
	EXPECT_EQ(rig_run("procs=1 preempt=off", look_at_slot, NULL), 0);
	EXPECT_EQ(load_relaxed(&chan_wrong), 0);
}

// ---- Order of waking by close

static void
woken_by_close(void *arg)
{
	struct line *l = arg;
	int place = add_relaxed(&l->next, 1), v = 7;
	struct mn_case cases[] = { case_send(l->c, &place), case_recv(l->other, &v) };

	if (place % 2)
		mn_select(cases, 2, true);
	else
		mn_chan_recv(l->other, &v);
	l->woken[l->nwoken++] = place;
}

static void
close_in_order(void *unused)
{
	struct line l;

	(void)unused;
	start(&l, 0);
	for (size_t i = 0; i < MANY; i++) {
		mn_go(woken_by_close, &l);
		YIELD_UNTIL(chan_receivers(l.other) == i + 1);
	}
	mn_chan_close(l.other);
	WRONG_UNLESS(l.nwoken == 0);   // the closer goes on
	YIELD_UNTIL(l.nwoken == MANY); // at one P: plain
	for (int i = 0; i < MANY; i++)
		WRONG_UNLESS(l.woken[i] == i);
	WRONG_UNLESS(chan_senders(l.c) == 0);
	stop(&l);
}

// Receivers before senders: only a select can stand in both queues of a channel, and it is then woken as a receiver.
static void
wait_for_both(void *arg)
{
	struct line *l = arg;
	int v = 1, w = 7;
	struct mn_case cases[] = { case_send(l->c, &v), case_recv(l->c, &w) };

	WRONG_UNLESS(mn_select(cases, 2, true) == 1 && !cases[1].ok && w == 0);
	add_acq_rel(&l->done, 1);
}

static void
close_both(void *unused)
{
	struct line l;

	(void)unused;
	for (int i = 0; i < MANY; i++) {
		start(&l, 0);
		mn_go(wait_for_both, &l);
		YIELD_UNTIL(chan_receivers(l.c) == 1);
		WRONG_UNLESS(chan_senders(l.c) == 1);
		mn_chan_close(l.c);
		YIELD_UNTIL(load_acquire(&l.done) == 1);
		WRONG_UNLESS(chan_senders(l.c) == 0 && chan_receivers(l.c) == 0);
		stop(&l);
	}
}

static void
test_close_wakes_receivers_then_senders(void)
{
	store_relaxed(&chan_wrong, 0);
	EXPECT_EQ(rig_run("procs=1 runnext=off preempt=off", close_in_order, NULL), 0);
	EXPECT_EQ(load_relaxed(&chan_wrong), 0);
	chan_run_all(close_both, NULL);
}

int
main(void)
{
	RUN(test_order_of_arrival);
	RUN(test_woken_do_not_compete);
	RUN(test_value_goes_straight_into_the_slot);
	RUN(test_close_wakes_receivers_then_senders);
	return test_result();
}
