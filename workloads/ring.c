// SPDX-License-Identifier: MIT
// ring: members in a circle hand tokens on to the next. As many of them can run as there are tokens, and which these are
// changes all the time: with one token, it is a long chain of wake-ups that nobody can shorten.
#include <errno.h>
#include <stdatomic.h>

#include "workloads/crew.h"
#include "workloads/link.h"

enum { MEMBERS, TOKENS, HOPS, GRAIN_NS };

// By default 100,000 hops, and 100 ms of work.
static const struct workload_param params[] = {
	[MEMBERS] = { "members", 100, 1, 100000, "goroutines in the circle" },
	[TOKENS] = { "tokens", 4, 1, 100, "tokens that go round" },
	[HOPS] = { "hops", 25000, 1, 100000000, "how often each token is handed on" },
	[GRAIN_NS] = { "grain_ns", 1000, 0, 1000000000, "CPU work before a token is handed on, ns" },
	{ 0 },
};

struct circle {
	struct link *link;   // to each member
	_Atomic long tokens; // that have hops to go
};

// Whoever takes the last token out ends the game for all.
static void
take_out(struct crew *crew)
{
	struct circle *circle = crew->extra;

	if (--circle->tokens == 0)
		for (long i = 0; i < crew->n; i++)
			link_close(&circle->link[i]);
}

// Every link has room for all tokens, so nobody waits for room.
static void
member(struct crew *crew, long i)
{
	struct circle *circle = crew->extra;
	struct crew_part part = { 0 };
	struct message token = { 0 };

	for (long t = i; t < crew->run->param[TOKENS]; t += crew->n)
		link_send(&circle->link[i], &token);
	while (link_recv(&circle->link[i], &token)) {
		message_work(&token, crew->run->param[GRAIN_NS]);
		if (token.hop < (uint64_t)crew->run->param[HOPS]) {
			link_send(&circle->link[(i + 1) % crew->n], &token);
			continue;
		}
		part.tasks += token.hop;
		part.sum += token.sum;
		take_out(crew);
	}
	crew->part[i] = part;
}

static int
open_circle(struct crew *crew)
{
	struct circle *circle = crew->extra;
	long tokens = crew->run->param[TOKENS];

	circle->tokens = tokens;
	circle->link = links_open(crew->n, (size_t)tokens, crew->in_goroutines);
	return circle->link ? 0 : -ENOMEM;
}

static void
close_circle(struct crew *crew)
{
	struct circle *circle = crew->extra;

	links_free(circle->link, crew->n);
}

static const struct crew_plan plan = { member, open_circle, close_circle };

static int
setup(struct workload_run *run)
{
	return crew_setup(run, &plan, run->param[MEMBERS], sizeof(struct circle));
}

static void
serial(struct workload_run *run)
{
	struct crew *crew = crew_begin(run, false);

	for (long t = 0; t < run->param[TOKENS]; t++) {
		struct message token = { 0 };

		while (token.hop < (uint64_t)run->param[HOPS])
			message_work(&token, run->param[GRAIN_NS]);
		crew->part[0].tasks += token.hop;
		crew->part[0].sum += token.sum;
	}
	crew_collect(run);
}

static void
expect(const struct workload_run *run, struct workload_result *right)
{
	uint64_t tokens = (uint64_t)run->param[TOKENS], hops = (uint64_t)run->param[HOPS];

	*right = (struct workload_result){
		.tasks = tokens * hops,
		.checksum = tokens * message_sum(hops, run->param[GRAIN_NS]),
	};
}

const struct workload workload_ring = {
	.name = "ring",
	.title = "tokens that go round a circle of goroutines: chains of wake-ups",
	.version = 1,
	.params = params,
	.setup = setup,
	.main = crew_main,
	.serial = serial,
	.threads = crew_threads,
	.expect = expect,
	.teardown = crew_teardown,
};
