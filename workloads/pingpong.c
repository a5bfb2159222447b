// SPDX-License-Identifier: MIT
// pingpong: pairs that hand a message to and fro. In each pair one works while the other waits: what it takes is to wake
// somebody up, again and again; with more pairs than Ps, without any P ever running dry.
#include <errno.h>

#include "workloads/crew.h"
#include "workloads/link.h"

enum { PAIRS, ROUNDS, GRAIN_NS };

// By default 100,000 wake-ups, and 100 ms of work.
static const struct workload_param params[] = {
	[PAIRS] = { "pairs", 2, 1, 100000, "pairs of goroutines" },
	[ROUNDS] = { "rounds", 25000, 1, 100000000, "round trips of a pair" },
	[GRAIN_NS] = { "grain_ns", 1000, 0, 1000000000, "CPU work before a message is sent on, ns" },
	{ 0 },
};

struct table {
	struct link *link; // two for each pair: there, and back
};

// The pair's message starts and ends with the first of the two.
static void
member(struct crew *crew, long i)
{
	struct table *table = crew->extra;
	struct link *there = &table->link[i / 2 * 2], *back = there + 1;
	long rounds = crew->run->param[ROUNDS], grain_ns = crew->run->param[GRAIN_NS];
	struct message m = { 0 };

	for (long r = 0; r < rounds; r++) {
		if (i % 2) {
			link_recv(there, &m);
			message_work(&m, grain_ns);
			link_send(back, &m);
		} else {
			message_work(&m, grain_ns);
			link_send(there, &m);
			link_recv(back, &m);
		}
	}
	if (i % 2 == 0)
		crew->part[i] = (struct crew_part){ .tasks = m.hop / 2, .sum = m.sum };
}

static int
open_table(struct crew *crew)
{
	struct table *table = crew->extra;

	table->link = links_open(crew->n, 0, crew->in_goroutines);
	return table->link ? 0 : -ENOMEM;
}

static void
close_table(struct crew *crew)
{
	struct table *table = crew->extra;

	links_free(table->link, crew->n);
}

static const struct crew_plan plan = { member, open_table, close_table };

static int
setup(struct workload_run *run)
{
	return crew_setup(run, &plan, 2 * run->param[PAIRS], sizeof(struct table));
}

static void
serial(struct workload_run *run)
{
	struct crew *crew = crew_begin(run, false);

	for (long i = 0; i < crew->n; i += 2) {
		struct message m = { 0 };

		while (m.hop < 2 * (uint64_t)run->param[ROUNDS])
			message_work(&m, run->param[GRAIN_NS]);
		crew->part[i] = (struct crew_part){ .tasks = m.hop / 2, .sum = m.sum };
	}
	crew_collect(run);
}

static void
expect(const struct workload_run *run, struct workload_result *right)
{
	uint64_t pairs = (uint64_t)run->param[PAIRS], rounds = (uint64_t)run->param[ROUNDS];

	*right = (struct workload_result){
		.tasks = pairs * rounds,
		.checksum = pairs * message_sum(2 * rounds, run->param[GRAIN_NS]),
	};
}

const struct workload workload_pingpong = {
	.name = "pingpong",
	.title = "pairs that hand a message to and fro: the cost of waking somebody up",
	.version = 1,
	.params = params,
	.setup = setup,
	.main = crew_main,
	.serial = serial,
	.threads = crew_threads,
	.expect = expect,
	.teardown = crew_teardown,
};
