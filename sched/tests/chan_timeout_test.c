// SPDX-License-Identifier: MIT
// chan_timeout_test: a select with a timeout. A timer's function sends without waiting on a channel of its own, at about the moment
// when a goroutine sends on the other one: the select returns once, and what it did not take is still there.
#include "sched/base/rng.h"
#include "sched/tests/chan_rig.h"

enum {
	TURNS = 20000 / RIG_SLOWER,
	LONG_ENOUGH_NS = 1000000000, // turns end after this
	DELAY_NS = 5000,
	JITTER_NS = 4000,
};

struct timeout {
	struct mn_chan *c, *late, *go;
	struct mn_timer timer;
	struct rng rng;
	int64_t at;
};

static void
tell(void *arg)
{
	struct timeout *t = arg;
	int v = 2;

	WRONG_UNLESS(mn_chan_try_send(t->late, &v) == 0);
}

static void
send_at(void *arg)
{
	struct timeout *t = arg;

	while (recv_int(t->go) == 1) {
		while (mn_now() < t->at)
			mn_check();
		WRONG_UNLESS(send_int(t->c, 1));
	}
}

static void
one_turn(struct timeout *t)
{
	int v = 0, first;
	struct mn_case cases[] = { case_recv(t->c, &v), case_recv(t->late, &v) };

	t->at = mn_now() + DELAY_NS - JITTER_NS + rng_below(&t->rng, 2 * JITTER_NS);
	WRONG_UNLESS(mn_timer_after(&t->timer, DELAY_NS, tell, t) == 0);
	send_int(t->go, 1);
	first = mn_select(cases, 2, true);
	WRONG_UNLESS(cases[first].ok && v == first + 1);
	cases[first].chan = NULL;
	WRONG_UNLESS(mn_select(cases, 2, true) == 1 - first && v == 2 - first);
	WRONG_UNLESS(mn_chan_len(t->c) == 0 && mn_chan_len(t->late) == 0);
}

static void
turns(void *unused)
{
	struct timeout t = { .c = chan_of_int(1), .late = chan_of_int(1), .go = chan_of_int(0) };
	struct mn_task *sender = mn_spawn(send_at, &t);
	int64_t end = mn_now() + LONG_ENOUGH_NS;

	(void)unused;
	rng_seed(&t.rng, mn_seed(), 0);
	for (int i = 0; i < TURNS && mn_now() < end; i++)
		one_turn(&t);
	mn_chan_close(t.go);
	mn_join(sender);
	mn_timer_stop(&t.timer);
	mn_chan_free(t.c);
	mn_chan_free(t.late);
	mn_chan_free(t.go);
}

static void
test_timeout_against_send(void)
{
	chan_run_all(turns, NULL);
}

// Nobody sends: only the timer is left to wake the select, and while it runs nobody calls that a deadlock.
static void
only_the_timer(void *unused)
{
	struct timeout t = { .c = chan_of_int(0), .late = chan_of_int(1) };
	int v = 0;
	struct mn_case cases[] = { case_recv(t.c, &v), case_recv(t.late, &v) };
	int64_t start = mn_now();

	(void)unused;
	mn_timer_after(&t.timer, 1000000, tell, &t);
	WRONG_UNLESS(mn_select(cases, 2, true) == 1 && v == 2);
	WRONG_UNLESS(mn_now() - start >= 1000000);
	mn_timer_stop(&t.timer);
	mn_chan_free(t.c);
	mn_chan_free(t.late);
}

static void
test_timeout_alone(void)
{
	chan_run_all(only_the_timer, NULL);
}

int
main(void)
{
	RUN(test_timeout_against_send);
	RUN(test_timeout_alone);
	return test_result();
}
