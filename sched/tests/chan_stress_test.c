// SPDX-License-Identifier: MIT
// chan_stress_test: many goroutines on few channels, every value accounted for.
//
//	chan_stress_test [SEED]
//
// Exactly once: each value is a number, and a ledger has a byte for each. All ways of sending and receiving are mixed.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/base/rng.h"
#include "sched/tests/chan_rig.h"

static uint64_t seed;

// ---- Four channels, chaos, and no deadlock

enum { CHANS = 4, EACH = 20000 / RIG_SLOWER };

struct chaos {
	struct mn_chan *c[CHANS];
	struct mn_wait_group wg;
};

struct one_of {
	struct chaos *all;
	int k;
	bool sends;
};

static void
one_channel(void *arg)
{
	struct one_of *o = arg;

	for (int i = 0; i < EACH; i++)
		WRONG_UNLESS(o->sends ? send_int(o->all->c[o->k], 0) : recv_int(o->all->c[o->k]) == 0);
	mn_wait_group_done(&o->all->wg);
}

// EACH times on each channel, all in one select; who has had his share is taken out.
static void
all_channels(void *arg)
{
	struct one_of *o = arg;
	struct mn_case cases[CHANS];
	int n[CHANS] = { 0 }, v = 0;

	for (int k = 0; k < CHANS; k++)
		cases[k] = o->sends ? case_send(o->all->c[k], &v) : case_recv(o->all->c[k], &v);
	for (int i = 0; i < CHANS * EACH; i++) {
		int k = mn_select(cases, CHANS, true);

		WRONG_UNLESS(k >= 0 && cases[k].ok && v == 0);
		if (++n[k] == EACH)
			cases[k].chan = NULL;
	}
	mn_wait_group_done(&o->all->wg);
}

static void
chaos(void *unused)
{
	static const size_t caps[CHANS] = { 0, 0, 2, 3 };
	struct chaos all = { .wg = { { 0 } } };
	struct one_of one[2 * CHANS], every[2] = { { &all, 0, true }, { &all, 0, false } };

	(void)unused;
	mn_wait_group_add(&all.wg, 2 * CHANS + 2);
	for (int k = 0; k < CHANS; k++)
		all.c[k] = chan_of_int(caps[k]);
	for (int i = 0; i < 2 * CHANS; i++) {
		one[i] = (struct one_of){ &all, i / 2, i % 2 };
		mn_go(one_channel, &one[i]);
	}
	mn_go(all_channels, &every[0]);
	mn_go(all_channels, &every[1]);
	mn_wait_group_wait(&all.wg);
	for (int k = 0; k < CHANS; k++) {
		WRONG_UNLESS(mn_chan_len(all.c[k]) == 0);
		mn_chan_free(all.c[k]);
	}
}

static void
test_select_stress(void)
{
	chan_run_all(chaos, NULL);
}

// ---- 23 workers

enum { WORKERS = 23, ITEMS = 271828 / RIG_SLOWER };

struct shop {
	struct mn_chan *q, *r;
	struct mn_wait_group wg;
};

static const int primes[] = { 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47 };

static int
primes_of(int i)
{
	return primes[(size_t)i % array_len(primes)];
}

static void
worker(void *arg)
{
	struct shop *s = arg;
	int v;

	while (mn_chan_recv(s->q, &v)) {
		if (primes_of(v) == v % 48) // some give way
			mn_yield();
		send_int(s->r, v + 1);
	}
	mn_wait_group_done(&s->wg);
}

static void
feed(void *arg)
{
	struct shop *s = arg;

	for (int i = 0; i < ITEMS; i++)
		send_int(s->q, primes_of(i));
	mn_chan_close(s->q);
	mn_wait_group_wait(&s->wg);
	mn_chan_close(s->r);
}

static void
consume(void *unused)
{
	struct shop s = { chan_of_int(WORKERS * 3), chan_of_int(WORKERS * 3), { { 0 } } };
	struct mn_task *t;
	int64_t sum = 0, want = 0, n = 0;
	int v;

	(void)unused;
	for (int i = 0; i < ITEMS; i++)
		want += primes_of(i) + 1;
	mn_wait_group_add(&s.wg, WORKERS);
	for (int i = 0; i < WORKERS; i++)
		mn_go(worker, &s);
	t = mn_spawn(feed, &s);
	for (; mn_chan_recv(s.r, &v); n++)
		sum += v;
	mn_join(t);
	WRONG_UNLESS(n == ITEMS);
	WRONG_UNLESS(sum == want);
	mn_chan_free(s.q);
	mn_chan_free(s.r);
}

static void
test_multi_consumer(void)
{
	chan_run_all(consume, NULL);
}

// ---- Exactly once, every way mixed

enum { SIDES = 4, QUOTA = 20000 / RIG_SLOWER, TWO = 2 };

struct ledger {
	struct mn_chan *c[TWO]; // values go through either
	_Atomic uint8_t seen[SIDES * QUOTA];
	_Atomic uint32_t received;
	struct mn_wait_group senders, receivers;
};

struct party {
	struct ledger *l;
	struct rng rng;
	int first;
};

static bool
send_some_way(struct party *p, int v)
{
	struct mn_chan *c = p->l->c[rng_below(&p->rng, TWO)];
	struct mn_case cases[TWO] = { case_send(p->l->c[0], &v), case_send(p->l->c[1], &v) };

	switch (rng_below(&p->rng, 4)) {
	case 0:
		return mn_chan_send(c, &v);
	case 1:
		return mn_chan_try_send(c, &v) == 0;
	case 2:
		return mn_select(cases, TWO, true) >= 0;
	default:
		return mn_select(cases, TWO, false) >= 0;
	}
}

static void
send_quota(void *arg)
{
	struct party *p = arg;

	for (int v = p->first; v < p->first + QUOTA; v++)
		while (!send_some_way(p, v))
			mn_yield();
	mn_wait_group_done(&p->l->senders);
}

// 0: got one, -EAGAIN: try again, -EPIPE: both are closed and empty.
static int
recv_some_way(struct party *p, int *v)
{
	struct mn_case cases[TWO] = { case_recv(p->l->c[0], v), case_recv(p->l->c[1], v) };
	bool block = rng_below(&p->rng, 2);
	int at;

	if (rng_below(&p->rng, 2) && mn_chan_try_recv(p->l->c[rng_below(&p->rng, TWO)], v) == 0)
		return 0;
	at = mn_select(cases, TWO, block);
	if (at < 0 || cases[at].ok)
		return at < 0 ? at : 0;
	return mn_chan_recv(p->l->c[1 - at], v) ? 0 : -EPIPE;
}

static void
recv_all(void *arg)
{
	struct party *p = arg;
	int v = -1, error;

	while ((error = recv_some_way(p, &v)) != -EPIPE) {
		if (error == -EAGAIN) {
			mn_yield();
			continue;
		}
		bool sent = v >= 0 && v < SIDES * QUOTA;

		WRONG_UNLESS(sent && add_relaxed(&p->l->seen[v], 1) == 0);
		add_relaxed(&p->l->received, 1);
	}
	mn_wait_group_done(&p->l->receivers);
}

static void
exactly_once(void *arg)
{
	size_t cap = *(const size_t *)arg;
	static struct ledger l;
	static struct party party[2 * SIDES];

	memset(&l, 0, sizeof(l));
	l.c[0] = chan_of_int(cap);
	l.c[1] = chan_of_int(cap / 2);
	mn_wait_group_add(&l.senders, SIDES);
	mn_wait_group_add(&l.receivers, SIDES);
	for (int i = 0; i < 2 * SIDES; i++) {
		party[i] = (struct party){ .l = &l, .first = i / 2 * QUOTA };
		rng_seed(&party[i].rng, seed, (uint64_t)i);
		mn_go(i % 2 ? send_quota : recv_all, &party[i]);
	}
	mn_wait_group_wait(&l.senders);
	mn_chan_close(l.c[0]);
	mn_chan_close(l.c[1]);
	mn_wait_group_wait(&l.receivers);
	WRONG_UNLESS(load_relaxed(&l.received) == SIDES * QUOTA);
	for (int i = 0; i < SIDES * QUOTA; i++)
		WRONG_UNLESS(load_relaxed(&l.seen[i]) == 1);
	mn_chan_free(l.c[0]);
	mn_chan_free(l.c[1]);
}

static void
test_exactly_once(void)
{
	static const size_t caps[] = { 0, 1, 2, 7, 128 };

	for (size_t i = 0; i < array_len(caps); i++)
		chan_run_all(exactly_once, (void *)(uintptr_t)&caps[i]);
}

int
main(int argc, char **argv)
{
	seed = argc > 1 ? strtoull(argv[1], NULL, 0) : mn_os_entropy();
	fprintf(stderr, "seed %llu\n", (unsigned long long)seed);
	RUN(test_select_stress);
	RUN(test_multi_consumer);
	RUN(test_exactly_once);
	return test_result();
}
