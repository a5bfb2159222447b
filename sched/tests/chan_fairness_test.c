// SPDX-License-Identifier: MIT
// chan_fairness_test: which of several ready cases a select takes: each as often as the others, within what chance allows.
#include <math.h>
#include <string.h>

#include "sched/tests/chan_rig.h"

// ---- Receiving

enum { TRIALS = 10000, SIGMAS = 10 };

static int picks[4];

static void
pick(void *unused)
{
	struct mn_chan *c[4];
	struct mn_case cases[4];
	int v;

	(void)unused;
	memset(picks, 0, sizeof(picks));
	for (int i = 0; i < 4; i++) {
		c[i] = chan_of_int(i < 2 ? TRIALS : 0);
		cases[3 - i] = case_recv(c[i], &v);
	}
	for (int i = 0; i < TRIALS; i++) {
		send_int(c[0], 0);
		send_int(c[1], 1);
	}
	for (int i = 0; i < TRIALS; i++) {
		int at = mn_select(cases, 4, true);

		WRONG_UNLESS(at == 3 - v);
		picks[v]++;
	}
	for (int i = 0; i < 4; i++)
		mn_chan_free(c[i]);
}

static void
test_select_fairness(void)
{
	double sigma = sqrt(TRIALS) / 2;

	store_relaxed(&chan_wrong, 0);
	for (int seed = 1; seed <= 5; seed++) {
		EXPECT_EQ(rig_run_at("procs=2 seed=%d", seed, pick, NULL), 0);
		EXPECT_EQ(picks[0] + picks[1], TRIALS);
		EXPECT(fabs(picks[0] - TRIALS / 2.) <= SIGMAS * sigma);
	}
	EXPECT_EQ(load_relaxed(&chan_wrong), 0);
}

// With four cases ready each has its quarter: a shuffle of two could be right by chance.
static void
pick_of_four(void *unused)
{
	struct mn_chan *c[4];
	struct mn_case cases[4];
	int v;

	(void)unused;
	memset(picks, 0, sizeof(picks));
	for (int i = 0; i < 4; i++) {
		c[i] = chan_of_int(0);
		cases[i] = case_recv(c[i], &v);
		mn_chan_close(c[i]);
	}
	for (int i = 0; i < TRIALS; i++) {
		int at = mn_select(cases, 4, false);

		if (at >= 0 && at < 4)
			picks[at]++;
	}
	for (int i = 0; i < 4; i++)
		mn_chan_free(c[i]);
}

static void
test_four_are_equal(void)
{
	double sigma = sqrt(TRIALS * 3. / 16);

	EXPECT_EQ(rig_run("procs=1 seed=7", pick_of_four, NULL), 0);
	for (int i = 0; i < 4; i++)
		EXPECT(fabs(picks[i] - TRIALS / 4.) <= SIGMAS * sigma);
}

// ---- Sending

enum { BITS = 100 };

struct bits {
	struct mn_chan *c;
	int n[2];
};

static void
receive_bits(void *arg)
{
	struct bits *b = arg;

	for (int i = 0; i < BITS; i++) {
		int v = recv_int(b->c);

		if (v == 0 || v == 1)
			b->n[v]++;
	}
}

static void
send_bits(void *unused)
{
	(void)unused;
	for (size_t cap = 0; cap <= BITS; cap += BITS) {
		struct bits b = { chan_of_int(cap), { 0 } };
		struct mn_task *t = mn_spawn(receive_bits, &b);
		int zero = 0, one = 1;

		for (int i = 0; i < BITS; i++) {
			struct mn_case cases[] = { case_send(b.c, &zero), case_send(b.c, &one) };

			mn_select(cases, 2, true);
		}
		mn_join(t);
		WRONG_UNLESS(b.n[0] + b.n[1] == BITS);
		WRONG_UNLESS(b.n[0] > BITS / 10 && b.n[1] > BITS / 10);
		mn_chan_free(b.c);
	}
}

static void
test_pseudo_random_send(void)
{
	chan_run_all(send_bits, NULL);
}

int
main(void)
{
	RUN(test_select_fairness);
	RUN(test_four_are_equal);
	RUN(test_pseudo_random_send);
	return test_result();
}
