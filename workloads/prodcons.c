// SPDX-License-Identifier: MIT
// prodcons: producers and consumers at the two ends of one queue. Its capacity says how far they may part: at 0 they meet
// for every item, and with more room they wait for each other more rarely, but contend for the one lock all the same.
#include <errno.h>
#include <stdatomic.h>

#include "workloads/crew.h"
#include "workloads/link.h"

enum { PRODUCERS, CONSUMERS, ITEMS, CAPACITY, GRAIN_NS };

// By default 100 ms of work, half of it at each end.
static const struct workload_param params[] = {
	[PRODUCERS] = { "producers", 4, 1, 10000, "goroutines that make items" },
	[CONSUMERS] = { "consumers", 4, 1, 10000, "goroutines that use them up" },
	[ITEMS] = { "items", 10000, 1, 100000000, "items in all" },
	[CAPACITY] = { "capacity", 16, 0, 1000000, "items that the queue between them holds" },
	[GRAIN_NS] = { "grain_ns", 5000, 0, 1000000000, "CPU work at each end of an item, ns" },
	{ 0 },
};

struct market {
	struct link queue;
	_Atomic long producers; // that are not done
};

static struct message
make(const struct workload_run *run, long item)
{
	struct message m = { .hop = (uint64_t)item };

	message_work(&m, run->param[GRAIN_NS]);
	return m;
}

// Using an item up is a hop of its own, beyond those of making them all.
static void
use(const struct workload_run *run, struct message m, struct crew_part *part)
{
	m.hop += (uint64_t)run->param[ITEMS] - 1;
	message_work(&m, run->param[GRAIN_NS]);
	part->tasks++;
	part->sum += m.sum;
}

static void
produce(struct crew *crew, long i)
{
	const struct workload_run *run = crew->run;
	struct market *market = crew->extra;

	for (long item = i; item < run->param[ITEMS]; item += run->param[PRODUCERS]) {
		struct message m = make(run, item);

		link_send(&market->queue, &m);
	}
	if (--market->producers == 0)
		link_close(&market->queue);
}

static void
member(struct crew *crew, long i)
{
	struct market *market = crew->extra;
	struct crew_part part = { 0 };
	struct message m;

	if (i < crew->run->param[PRODUCERS]) {
		produce(crew, i);
		return;
	}
	while (link_recv(&market->queue, &m))
		use(crew->run, m, &part);
	crew->part[i] = part;
}

static int
open_market(struct crew *crew)
{
	struct market *market = crew->extra;

	market->producers = crew->run->param[PRODUCERS];
	return link_open(&market->queue, (size_t)crew->run->param[CAPACITY], crew->in_goroutines);
}

static void
close_market(struct crew *crew)
{
	struct market *market = crew->extra;

	link_free(&market->queue);
}

static const struct crew_plan plan = { member, open_market, close_market };

static int
setup(struct workload_run *run)
{
	return crew_setup(run, &plan, run->param[PRODUCERS] + run->param[CONSUMERS], sizeof(struct market));
}

static void
serial(struct workload_run *run)
{
	struct crew *crew = crew_begin(run, false);

	for (long item = 0; item < run->param[ITEMS]; item++)
		use(run, make(run, item), crew->part);
	crew_collect(run);
}

static void
expect(const struct workload_run *run, struct workload_result *right)
{
	uint64_t items = (uint64_t)run->param[ITEMS];

	*right = (struct workload_result){
		.tasks = items,
		.checksum = message_sum(2 * items, run->param[GRAIN_NS]),
	};
}

const struct workload workload_prodcons = {
	.name = "prodcons",
	.title = "producers and consumers at the two ends of one queue",
	.version = 1,
	.params = params,
	.setup = setup,
	.main = crew_main,
	.serial = serial,
	.threads = crew_threads,
	.expect = expect,
	.teardown = crew_teardown,
};
