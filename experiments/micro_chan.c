// SPDX-License-Identifier: MIT
// micro_chan.c: what it costs to pass a value through a channel, and to choose among channels.
//
// Values are of 8 bytes. procs:1 is the cost of the work alone; with procs:2 two cores write the channel's lines in turn.
//   chan/uncontended   send and receive by one goroutine, with room for one: two locks, no switch (an iteration is the pair)
//   chan/nonblocking   a receive that finds nothing and does not wait
//   chan/pingpong      two goroutines, two channels without room: a value there and one back
//   chan/one_to_one    a producer and a consumer, room for 128: one value
//   chan/four_to_four  four of each, room for 128: one value
//   chan/select        an uncontended pair of which each half is a select of two cases
//   chan/select_wait   as pingpong, but both receive by a select of two cases, so that each time it waits in two queues
#include "experiments/micro.h"

#include <stdio.h>

// ---- One goroutine

static int64_t
pairs(int64_t n, void *arg)
{
	struct mn_chan *c = mn_chan_new(sizeof(int64_t), 1);

	(void)arg;
	for (int64_t i = 0, v; i < n; i++) {
		mn_chan_send(c, &i);
		mn_chan_recv(c, &v);
	}
	mn_chan_free(c);
	return -1;
}

static int64_t
find_nothing(int64_t n, void *arg)
{
	struct mn_chan *c = mn_chan_new(sizeof(int64_t), 1);

	(void)arg;
	for (int64_t i = 0, v; i < n; i++)
		mn_chan_try_recv(c, &v);
	mn_chan_free(c);
	return -1;
}

static int64_t
select_pairs(int64_t n, void *arg)
{
	struct mn_chan *a = mn_chan_new(sizeof(int64_t), 1), *b = mn_chan_new(sizeof(int64_t), 1);
	int64_t v = 0;
	struct mn_case send[] = { { MN_CASE_SEND, a, &v, false }, { MN_CASE_SEND, b, &v, false } };
	struct mn_case recv[] = { { MN_CASE_RECV, a, &v, false }, { MN_CASE_RECV, b, &v, false } };

	(void)arg;
	for (int64_t i = 0; i < n; i++) {
		mn_select(send, 2, true);
		mn_select(recv, 2, true);
	}
	mn_chan_free(a);
	mn_chan_free(b);
	return -1;
}

// ---- Two goroutines

struct sides {
	struct mn_chan *there, *back, *never;
	int64_t rounds;
	bool select;
};

static void
receive(struct sides *s, struct mn_chan *c)
{
	int64_t v;
	struct mn_case cases[] = { { MN_CASE_RECV, c, &v, false }, { MN_CASE_RECV, s->never, &v, false } };

	if (s->select)
		mn_select(cases, 2, true);
	else
		mn_chan_recv(c, &v);
}

static void
answer(void *arg)
{
	struct sides *s = arg;

	for (int64_t i = 0; i < s->rounds; i++) {
		receive(s, s->there);
		mn_chan_send(s->back, &i);
	}
}

static int64_t
there_and_back(int64_t n, void *select)
{
	struct sides s = { mn_chan_new(sizeof(int64_t), 0), mn_chan_new(sizeof(int64_t), 0),
		           mn_chan_new(sizeof(int64_t), 0), n, select != NULL };
	struct mn_task *other = mn_spawn(answer, &s);

	for (int64_t i = 0; i < n; i++) {
		mn_chan_send(s.there, &i);
		receive(&s, s.back);
	}
	mn_join(other);
	mn_chan_free(s.there);
	mn_chan_free(s.back);
	mn_chan_free(s.never);
	return -1;
}

// ---- Many

struct line {
	struct mn_chan *c;
	int64_t each;
	struct mn_wait_group wg;
};

static void
produce(void *arg)
{
	struct line *l = arg;

	for (int64_t i = 0; i < l->each; i++)
		mn_chan_send(l->c, &i);
	mn_wait_group_done(&l->wg);
}

static void
consume(void *arg)
{
	struct line *l = arg;

	for (int64_t i = 0, v; i < l->each; i++)
		mn_chan_recv(l->c, &v);
	mn_wait_group_done(&l->wg);
}

// `sides` producers and as many consumers. Rounded up to what they can share evenly: at most three values too many.
static int64_t
through_the_line(int64_t n, void *sides)
{
	int many = *(int *)sides;
	struct line l = { .c = mn_chan_new(sizeof(int64_t), 128), .each = (n + many - 1) / many };

	mn_wait_group_add(&l.wg, 2 * many);
	for (int i = 0; i < many; i++) {
		mn_go(produce, &l);
		mn_go(consume, &l);
	}
	mn_wait_group_wait(&l.wg);
	mn_chan_free(l.c);
	return -1;
}

// ---- All

struct bench {
	const char *name;
	micro_body body;
	void *arg;
	bool one_p; // procs makes no difference
};

static void
run_bench(struct gbench_state *s, void *arg)
{
	const struct bench *b = arg;
	char options[64];

	snprintf(options, sizeof(options), "procs=%d", (int)gbench_arg(s, 0));
	micro_run(s, options, b->body, b->arg);
}

static void
register_all(void)
{
	static const int64_t procs[] = { 1, 2 };
	static const char *const names[] = { "procs" };
	static int one = 1, four = 4;
	static struct bench benches[] = {
		{ "chan/uncontended", pairs, NULL, true },
		{ "chan/nonblocking", find_nothing, NULL, true },
		{ "chan/select", select_pairs, NULL, true },
		{ "chan/pingpong", there_and_back, NULL, false },
		{ "chan/select_wait", there_and_back, &one, false },
		{ "chan/one_to_one", through_the_line, &one, false },
		{ "chan/four_to_four", through_the_line, &four, false },
	};

	for (size_t i = 0; i < sizeof(benches) / sizeof(benches[0]); i++) {
		struct gbench_options o = { .manual_time = true, .args = procs, .arg_count = 1, .arg_names = names };

		o.arg_rows = benches[i].one_p ? 1 : 2;
		micro_register(benches[i].name, run_bench, &benches[i], &o);
	}
}

int
main(int argc, char **argv)
{
	return micro_main(argc, argv, register_all);
}
