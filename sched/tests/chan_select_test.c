// SPDX-License-Identifier: MIT
// chan_select_test: select: what is refused, every kind of readiness, every way of being woken, many cases, duplicates, one's
// own channel. Opens the internals of channels to see who waits.
#include <errno.h>
#include <stdlib.h>

#include "sched/tests/chan_rig.h"

// ---- Arguments

static void
bad_arguments(void *unused)
{
	struct mn_case nothing[3] = { { .chan = NULL } };

	(void)unused;
	WRONG_UNLESS(mn_select(nothing, -1, true) == -EINVAL);
	WRONG_UNLESS(mn_select(nothing, 65537, false) == -EINVAL);
	WRONG_UNLESS(mn_select(NULL, 0, false) == -EAGAIN);
	for (int n = 1; n <= 3; n++)
		WRONG_UNLESS(mn_select(nothing, n, false) == -EAGAIN);
}

static void
test_arguments(void)
{
	chan_run_all(bad_arguments, NULL);
}

// ---- Ready at once

static void
send_42(void *c)
{
	WRONG_UNLESS(send_int(c, 42));
}

static void
expect_42(void *c)
{
	WRONG_UNLESS(recv_int(c) == 42);
}

// The case as the last of n; the others never are ready.
static void
expect_ready(struct mn_case ready, int n, bool block, bool ok)
{
	struct mn_chan *never = chan_of_int(0);
	struct mn_case cases[4];
	int v = 0;

	for (int i = 0; i < n - 1; i++)
		cases[i] = case_recv(i % 2 ? never : NULL, &v);
	cases[n - 1] = ready;
	cases[n - 1].ok = !ok;
	WRONG_UNLESS(mn_select(cases, n, block) == n - 1 && cases[n - 1].ok == ok);
	mn_chan_free(never);
}

static void
buffered_ready(int n, bool block)
{
	struct mn_chan *c = chan_of_int(1);
	int v = 42, w = 0;

	expect_ready(case_send(c, &v), n, block, true);
	WRONG_UNLESS(mn_chan_len(c) == 1);
	expect_ready(case_recv(c, &w), n, block, true);
	WRONG_UNLESS(w == 42 && mn_chan_len(c) == 0);
	mn_chan_close(c);
	expect_ready(case_recv(c, &w), n, block, false);
	WRONG_UNLESS(w == 0);
	expect_ready(case_send(c, &v), n, block, false);
	mn_chan_free(c);
}

static void
partner_ready(int n, bool block)
{
	struct mn_chan *c = chan_of_int(0);
	int v = 42, w = 0;
	struct mn_task *t = mn_spawn(expect_42, c);

	YIELD_UNTIL(chan_receivers(c) == 1);
	expect_ready(case_send(c, &v), n, block, true);
	mn_join(t);
	t = mn_spawn(send_42, c);
	YIELD_UNTIL(chan_senders(c) == 1);
	expect_ready(case_recv(c, &w), n, block, true);
	WRONG_UNLESS(w == 42);
	mn_join(t);
	t = mn_spawn(send_42, c);
	YIELD_UNTIL(chan_senders(c) == 1);
	expect_ready(case_recv(c, NULL), n, block, true);
	mn_join(t);
	mn_chan_free(c);
}

static void
all_ready(void *unused)
{
	(void)unused;
	for (int n = 1; n <= 4; n++) {
		buffered_ready(n, true);
		buffered_ready(n, false);
		partner_ready(n, true);
		partner_ready(n, false);
	}
}

static void
test_ready_cases(void)
{
	chan_run_all(all_ready, NULL);
}

// ---- Woken

enum { CASES = 5 };

struct woken {
	struct mn_chan *c[CASES];
	int value[CASES], want, n;
	bool ok;
	_Atomic int done;
};

// Even cases receive, odd ones send.
static void
select_all(void *arg)
{
	struct woken *w = arg;
	struct mn_case cases[CASES];

	for (int i = 0; i < w->n; i++) {
		w->value[i] = 100 + i;
		cases[i] = i % 2 ? case_send(w->c[i], &w->value[i]) : case_recv(w->c[i], &w->value[i]);
		cases[i].ok = !w->ok;
	}
	WRONG_UNLESS(mn_select(cases, w->n, true) == w->want);
	WRONG_UNLESS(cases[w->want].ok == w->ok);
	for (int i = 0; i < w->n; i++)
		if (i != w->want)
			WRONG_UNLESS(cases[i].ok == !w->ok && w->value[i] == 100 + i);
	add_acq_rel(&w->done, 1);
}

static void
wake_case(struct woken *w, int i)
{
	struct mn_case partner;
	int v = 42;

	if (!w->ok) {
		mn_chan_close(w->c[i]);
		return;
	}
	partner = i % 2 ? case_recv(w->c[i], &v) : case_send(w->c[i], &v);
	WRONG_UNLESS(mn_select(&partner, 1, i % 3 == 0) == 0 && partner.ok);
	if (i % 2)
		WRONG_UNLESS(v == 100 + i);
}

static void
wake_each(int n, bool ok)
{
	struct woken w = { .n = n, .ok = ok };

	for (w.want = 0; w.want < n; w.want++) {
		int i = w.want;

		for (int k = 0; k < n; k++)
			w.c[k] = chan_of_int(0);
		store_relaxed(&w.done, 0);
		mn_go(select_all, &w);
		YIELD_UNTIL(chan_receivers(w.c[i]) + chan_senders(w.c[i]) == 1);
		wake_case(&w, i);
		YIELD_UNTIL(load_acquire(&w.done) == 1);
		if (i % 2 == 0)
			WRONG_UNLESS(w.value[i] == (ok ? 42 : 0));
		for (int k = 0; k < n; k++)
			mn_chan_free(w.c[k]); // refuses if a node was left behind
	}
}

static void
wake_all_ways(void *unused)
{
	(void)unused;
	for (int n = 1; n <= CASES; n++) {
		wake_each(n, true);
		wake_each(n, false);
	}
}

static void
test_woken_by_each_case(void)
{
	chan_run_all(wake_all_ways, NULL);
}

// ---- Many cases

struct many {
	struct mn_chan **c;
	int n, want;
	_Atomic int done;
};

static void
select_many(void *arg)
{
	struct many *m = arg;
	struct mn_case *cases = calloc((size_t)m->n, sizeof(*cases));
	int v = 0;

	for (int i = 0; i < m->n; i++)
		cases[i] = case_recv(m->c[i], &v);
	WRONG_UNLESS(mn_select(cases, m->n, false) == -EAGAIN);
	WRONG_UNLESS(mn_select(cases, m->n, true) == m->want && v == 42);
	free(cases);
	add_acq_rel(&m->done, 1);
}

// `distinct` channels, at most n / 2, each in several cases, and one more in a case of its own.
static void
many_cases(int n, int distinct)
{
	struct many m = { .n = n, .c = calloc((size_t)n, sizeof(*m.c)), .want = n / 2 };

	for (int i = 0; i < n; i++)
		m.c[i] = i < distinct ? chan_of_int(0) : m.c[i % distinct];
	m.c[m.want] = chan_of_int(0);
	mn_go(select_many, &m);
	YIELD_UNTIL(chan_receivers(m.c[m.want]) == 1);
	WRONG_UNLESS(send_int(m.c[m.want], 42));
	YIELD_UNTIL(load_acquire(&m.done) == 1);
	mn_chan_free(m.c[m.want]);
	for (int i = 0; i < distinct; i++)
		mn_chan_free(m.c[i]);
	free(m.c);
}

static void
many_of_each(void *unused)
{
	(void)unused;
	for (int n = 7; n <= 12; n++)
		many_cases(n, n / 2);
	many_cases(100, 50);
	many_cases(1000, 10);
	many_cases(65536, 3);
}

static void
test_many_cases(void)
{
	chan_run_all(many_of_each, NULL);
}

// ---- On the smallest stack

// As many cases as need no memory from elsewhere, waiting in all. Frames are larger with sanitizers.
struct eight {
	struct mn_case cases[8];
	int value;
	_Atomic int done;
};

static void
select_eight(void *arg)
{
	struct eight *e = arg;

	if (mn_select(e->cases, 8, true) == 5)
		add_acq_rel(&e->done, 1);
}

static void
on_2_kib(void *unused)
{
	struct mn_go_attr attr = { .stack_kb = 2 };
	struct eight e = { .value = 0 };

	(void)unused;
	for (int i = 0; i < 8; i++)
		e.cases[i] = case_recv(chan_of_int(0), &e.value);
	mn_go_with(&attr, select_eight, &e);
	YIELD_UNTIL(chan_receivers(e.cases[5].chan) == 1);
	WRONG_UNLESS(send_int(e.cases[5].chan, 42));
	YIELD_UNTIL(load_acquire(&e.done) == 1);
	WRONG_UNLESS(e.value == 42);
	for (int i = 0; i < 8; i++)
		mn_chan_free(e.cases[i].chan);
}

static void
test_on_the_smallest_stack(void)
{
	if (!MN_ASAN && !MN_TSAN)
		chan_run_all(on_2_kib, NULL);
}

// ---- The same channel twice

struct twice {
	struct mn_chan *c, *d, *e;
};

static void
select_twice(void *arg)
{
	struct twice *t = arg;
	int v = 0;
	struct mn_case cases[] = { case_recv(t->c, &v), case_recv(t->c, &v), case_recv(t->d, &v) };

	WRONG_UNLESS(mn_select(cases, 3, true) == 2 && v == 7);
	send_int(t->e, 9);
}

static void
receive_8(void *c)
{
	WRONG_UNLESS(recv_int(c) == 8);
}

static void
duplicate_channel(void *unused)
{
	struct twice t = { chan_of_int(0), chan_of_int(0), chan_of_int(0) };
	struct mn_task *b;

	(void)unused;
	mn_go(select_twice, &t);
	YIELD_UNTIL(chan_receivers(t.c) == 2); // first in line, twice
	b = mn_spawn(receive_8, t.c);
	YIELD_UNTIL(chan_receivers(t.c) == 3);
	send_int(t.d, 7); // wakes the select, which takes itself out of c's line
	WRONG_UNLESS(recv_int(t.e) == 9);
	WRONG_UNLESS(chan_receivers(t.c) == 1);
	send_int(t.c, 8); // the other is still in it, and is the one who is woken
	mn_join(b);
	mn_chan_free(t.c);
	mn_chan_free(t.d);
	mn_chan_free(t.e);
}

static void
test_select_duplicate_channel(void)
{
	chan_run_all(duplicate_channel, NULL);
}

// ---- One's own channel

struct self {
	struct mn_chan *c;
	int me;
	struct mn_wait_group *wg;
};

static void
select_self(void *arg)
{
	struct self *s = arg;
	bool unbuffered = mn_chan_cap(s->c) == 0;

	for (int i = 0; i < 1000; i++) {
		int v = -1, at = s->me == 0 || i % 2 == 0 ? 0 : 1;
		struct mn_case cases[2];

		cases[at] = case_send(s->c, &s->me);
		cases[1 - at] = case_recv(s->c, &v);
		if (mn_select(cases, 2, true) != at)
			WRONG_UNLESS(v >= 0 && !(unbuffered && v == s->me));
	}
	mn_wait_group_done(s->wg);
}

static void
two_selves(void *unused)
{
	(void)unused;
	for (size_t cap = 0; cap <= 10; cap += 10) {
		struct mn_wait_group wg = { 0 };
		struct mn_chan *c = chan_of_int(cap);
		struct self s[2] = { { c, 0, &wg }, { c, 1, &wg } };

		mn_wait_group_add(&wg, 2);
		mn_go(select_self, &s[0]);
		mn_go(select_self, &s[1]);
		mn_wait_group_wait(&wg);
		mn_chan_free(c);
	}
}

static void
alone(void *unused)
{
	struct mn_chan *c = chan_of_int(0);
	int v = 1, w = 7;
	struct mn_case cases[] = { case_send(c, &v), case_recv(c, &w) };

	(void)unused;
	WRONG_UNLESS(mn_select(cases, 2, false) == -EAGAIN && w == 7);
	mn_chan_free(c);
}

static void
test_self_select(void)
{
	chan_run_all(two_selves, NULL);
	chan_run_all(alone, NULL);
}

int
main(void)
{
	RUN(test_arguments);
	RUN(test_ready_cases);
	RUN(test_woken_by_each_case);
	RUN(test_many_cases);
	RUN(test_on_the_smallest_stack);
	RUN(test_select_duplicate_channel);
	RUN(test_self_select);
	return test_result();
}
