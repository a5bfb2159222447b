// SPDX-License-Identifier: MIT
// chan_race_test: answers must hold at one moment, and one moment only wakes. What does not wait never answers "would block"
// while all the time something was ready, whatever is done to its channels meanwhile; a select that several would wake at
// once is woken by one. Opens the internals of channels to see who waits.
#include <errno.h>
#include <limits.h>

#include "sched/tests/chan_rig.h"

enum { TURNS = 100000 / RIG_SLOWER };

struct turn {
	struct mn_chan *c1, *c2, *done;
};

enum {
	NO_MORE = INT_MAX,
	// Turns that need two threads at once take a time slice of the kernel's where there is no processor for both: the
	// number of turns is then what fits into this.
	LONG_ENOUGH_NS = 1000000000,
};

// Keeps step with others by a counter, so that all begin a turn within some ns; gives way after a while, for there may be one P.
// False: there is no such turn.
static bool
wait_for_turn(_Atomic int *word, int turn)
{
	for (int i = 0; load_acquire(word) < turn; i++)
		if (i > 200)
			mn_yield();
	return load_acquire(word) != NO_MORE;
}

// ---- A value, or its end, is always there

static void
receive_or_fail(void *arg)
{
	struct turn *t = arg;
	int error = mn_chan_try_recv(t->c1, NULL);

	send_int(t->done, error != -EAGAIN);
}

static void
nonblock_recv(void *unused)
{
	(void)unused;
	for (int i = 0; i < TURNS / 10; i++) {
		struct turn t = { .c1 = chan_of_int(1), .done = chan_of_int(1) };

		send_int(t.c1, 1);
		mn_go(receive_or_fail, &t);
		mn_chan_close(t.c1);
		recv_int(t.c1);
		WRONG_UNLESS(recv_int(t.done) == 1);
		mn_chan_free(t.c1);
		mn_chan_free(t.done);
	}
}

static void
test_nonblock_recv_race(void)
{
	chan_run_all(nonblock_recv, NULL);
}

static void
select_or_fail(void *arg)
{
	struct turn *t = arg;
	struct mn_case cases[] = { case_recv(t->c1, NULL), case_recv(t->c2, NULL) };

	send_int(t->done, mn_select(cases, 2, false) != -EAGAIN);
}

static void
nonblock_select(void *closes)
{
	for (int i = 0; i < TURNS; i++) {
		struct turn t = { .c1 = chan_of_int(1), .c2 = chan_of_int(1), .done = chan_of_int(1) };

		send_int(t.c1, 1);
		mn_go(select_or_fail, &t);
		if (closes)
			mn_chan_close(t.c2);
		else
			send_int(t.c2, 1);
		mn_chan_try_recv(t.c1, NULL);
		WRONG_UNLESS(recv_int(t.done) == 1);
		mn_chan_free(t.c1);
		mn_chan_free(t.c2);
		mn_chan_free(t.done);
	}
}

static void
test_nonblock_select_race(void)
{
	chan_run_all(nonblock_select, NULL);
}

static void
test_nonblock_select_race_2(void)
{
	static int yes;

	chan_run_all(nonblock_select, &yes);
}

// ---- A receiver waits until the channel is closed: a send finds either

static void
receive_until_closed(void *arg)
{
	struct turn *t = arg;

	mn_chan_recv(t->c1, NULL);
	send_int(t->done, 1);
}

static void
send_or_fail(void *arg)
{
	struct turn *t = arg;
	int error, v = 1;

	error = mn_chan_try_send(t->c1, &v);
	send_int(t->done, error != -EAGAIN);
}

static void
nonblock_send(void *unused)
{
	(void)unused;
	for (int i = 0; i < TURNS / 4; i++) {
		struct turn t = { .c1 = chan_of_int(0), .done = chan_of_int(2) };

		mn_go(receive_until_closed, &t);
		YIELD_UNTIL(chan_receivers(t.c1) == 1);
		mn_go(send_or_fail, &t);
		mn_chan_close(t.c1);
		WRONG_UNLESS(recv_int(t.done) == 1);
		WRONG_UNLESS(recv_int(t.done) == 1);
		mn_chan_free(t.c1);
		mn_chan_free(t.done);
	}
}

static void
test_nonblock_send_race(void)
{
	chan_run_all(nonblock_send, NULL);
}

// ---- Two that each send and then look at the other's

static void
send_then_look(struct mn_chan *mine, struct mn_chan *others, _Atomic int *found)
{
	int v = 1;

	mn_chan_try_send(mine, &v);
	if (mn_chan_try_recv(others, NULL) == 0)
		add_relaxed(found, 1);
}

struct crossing {
	struct mn_chan *a, *b;
	_Atomic int found, turn, done;
};

static void
cross(void *arg)
{
	struct crossing *x = arg;

	for (int turn = 1; wait_for_turn(&x->turn, turn); turn++) {
		send_then_look(x->b, x->a, &x->found);
		store_release(&x->done, turn);
	}
}

static void
crossings(void *unused)
{
	struct crossing x = { .a = chan_of_int(1), .b = chan_of_int(1) };
	struct mn_task *t = mn_spawn(cross, &x);
	int64_t end = mn_os_now() + LONG_ENOUGH_NS;

	(void)unused;
	for (int turn = 1; turn <= TURNS && mn_os_now() < end; turn++) {
		store_relaxed(&x.found, 0);
		store_release(&x.turn, turn);
		send_then_look(x.a, x.b, &x.found);
		wait_for_turn(&x.done, turn);
		WRONG_UNLESS(load_relaxed(&x.found) > 0);
		mn_chan_try_recv(x.a, NULL);
		mn_chan_try_recv(x.b, NULL);
	}
	store_release(&x.turn, NO_MORE);
	mn_join(t);
	mn_chan_free(x.a);
	mn_chan_free(x.b);
}

static void
test_two_that_look_do_not_both_miss(void)
{
	chan_run_all(crossings, NULL);
}

// ---- Woken by one of several

// main sends on a, a partner sends on b, another closes c: all at once. The select takes one of them; what it did not take is
// still there.
enum { WAKERS = 3 };

struct several {
	struct mn_chan *c[WAKERS], *done;
	_Atomic int open, turn, told; // open: the selects may begin; turn: the wakers may
	struct mn_wait_group wg;
};

static void
wake_by_send(void *arg)
{
	struct several *s = arg;

	for (int turn = 1; wait_for_turn(&s->turn, turn); turn++) {
		send_int(s->c[1], turn);
		add_acq_rel(&s->told, 1);
	}
	mn_wait_group_done(&s->wg);
}

static void
wake_by_close(void *arg)
{
	struct several *s = arg;

	for (int turn = 1; wait_for_turn(&s->turn, turn); turn++) {
		mn_chan_close(s->c[2]);
		add_acq_rel(&s->told, 1);
	}
	mn_wait_group_done(&s->wg);
}

// Takes part in each round once per channel, in whatever order it finds them.
static void
select_several(void *arg)
{
	struct several *s = arg;

	for (int turn = 1; wait_for_turn(&s->open, turn); turn++) {
		struct mn_case cases[WAKERS];
		int value[WAKERS] = { 0 };

		for (int i = 0; i < WAKERS; i++)
			cases[i] = case_recv(s->c[i], &value[i]);
		for (int left = WAKERS; left; left--) {
			int at = mn_select(cases, WAKERS, true);

			WRONG_UNLESS(cases[at].chan && cases[at].ok == (at != 2));
			WRONG_UNLESS(value[at] == (at == 2 ? 0 : turn));
			cases[at].chan = NULL;
		}
		send_int(s->done, turn);
	}
	mn_wait_group_done(&s->wg);
}

static void
woken_by_several(void *unused)
{
	static struct several s;
	int64_t end = mn_os_now() + LONG_ENOUGH_NS;

	(void)unused;
	s = (struct several){ .done = chan_of_int(0) };
	for (int i = 0; i < WAKERS; i++)
		s.c[i] = chan_of_int(0);
	mn_wait_group_add(&s.wg, 3);
	mn_go(wake_by_send, &s);
	mn_go(wake_by_close, &s);
	mn_go(select_several, &s);
	for (int turn = 1; turn <= TURNS / 4 && mn_os_now() < end; turn++) {
		store_release(&s.open, turn);
		if (turn % 2)
			YIELD_UNTIL(chan_receivers(s.c[0]) == 1);
		store_release(&s.turn, turn);
		send_int(s.c[0], turn);
		WRONG_UNLESS(recv_int(s.done) == turn);
		YIELD_UNTIL(load_acquire(&s.told) == 2 * turn);
		WRONG_UNLESS(chan_receivers(s.c[0]) + chan_receivers(s.c[1]) == 0);
		mn_chan_free(s.c[2]);
		s.c[2] = chan_of_int(0);
	}
	store_release(&s.turn, NO_MORE);
	store_release(&s.open, NO_MORE);
	mn_wait_group_wait(&s.wg);
	for (int i = 0; i < WAKERS; i++)
		mn_chan_free(s.c[i]);
	mn_chan_free(s.done);
}

static void
test_select_is_woken_by_one(void)
{
	chan_run_all(woken_by_several, NULL);
}

int
main(void)
{
	RUN(test_nonblock_recv_race);
	RUN(test_nonblock_select_race);
	RUN(test_nonblock_select_race_2);
	RUN(test_nonblock_send_race);
	RUN(test_two_that_look_do_not_both_miss);
	RUN(test_select_is_woken_by_one);
	return test_result();
}
