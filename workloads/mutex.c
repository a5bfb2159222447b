// SPDX-License-Identifier: MIT
// mutex: all members want the same lock, again and again. How much of the time one of them holds it, is
// inside_ns / (inside_ns + outside_ns) times their number: from 1 on, the lock is all that counts.
//
// What the lock guards is plain memory, read before the work inside and written after it: two members inside at once
// would lose an update, and be seen.
#include <pthread.h>

#include "sched/mn.h"
#include "workloads/crew.h"
#include "workloads/message.h"
#include "workloads/tasks.h"
#include "workloads/work.h"

enum { MEMBERS, ROUNDS, INSIDE_NS, OUTSIDE_NS };

// By default 100 ms of work, and a lock that is wanted 4/5 of the time, would there be a P for everybody.
static const struct workload_param params[] = {
	[MEMBERS] = { "members", 8, 1, 100000, "goroutines that want the lock" },
	[ROUNDS] = { "rounds", 500, 1, 100000000, "how often each takes it" },
	[INSIDE_NS] = { "inside_ns", 2500, 0, 1000000000, "CPU work while it holds the lock, ns" },
	[OUTSIDE_NS] = { "outside_ns", 22500, 0, 1000000000, "CPU work after it has let go, ns" },
	{ 0 },
};

struct guarded {
	struct mn_mutex lock;
	pthread_mutex_t thread_lock;
	struct message shared; // (l)
};

static void
take(struct crew *crew, struct guarded *g)
{
	if (crew->in_goroutines)
		mn_mutex_lock(&g->lock);
	else
		pthread_mutex_lock(&g->thread_lock);
}

static void
let_go(struct crew *crew, struct guarded *g)
{
	if (crew->in_goroutines)
		mn_mutex_unlock(&g->lock);
	else
		pthread_mutex_unlock(&g->thread_lock);
}

static void
member(struct crew *crew, long i)
{
	const struct workload_run *run = crew->run;
	struct guarded *g = crew->extra;
	struct crew_part part = { 0 };

	for (; part.tasks < (uint64_t)run->param[ROUNDS]; part.tasks++) {
		take(crew, g);
		message_work(&g->shared, run->param[INSIDE_NS]);
		let_go(crew, g);
		part.sum += tasks_answer(work_ns(run->param[OUTSIDE_NS], tasks_seed(i)), i);
	}
	crew->part[i] = part;
}

static int
open_lock(struct crew *crew)
{
	struct guarded *g = crew->extra;

	g->lock = (struct mn_mutex){ 0 };
	g->shared = (struct message){ 0 };
	return -pthread_mutex_init(&g->thread_lock, NULL);
}

// What stands under the lock belongs to nobody's part: it is added to the first.
static void
close_lock(struct crew *crew)
{
	struct guarded *g = crew->extra;

	crew->part[0].sum += g->shared.sum;
	pthread_mutex_destroy(&g->thread_lock);
}

static const struct crew_plan plan = { member, open_lock, close_lock };

static int
setup(struct workload_run *run)
{
	return crew_setup(run, &plan, run->param[MEMBERS], sizeof(struct guarded));
}

// Without the lock: nobody else is there.
static void
serial(struct workload_run *run)
{
	struct crew *crew = crew_begin(run, false);
	struct message shared = { 0 };

	for (long i = 0; i < crew->n; i++) {
		for (long r = 0; r < run->param[ROUNDS]; r++) {
			message_work(&shared, run->param[INSIDE_NS]);
			crew->part[i].sum += tasks_answer(work_ns(run->param[OUTSIDE_NS], tasks_seed(i)), i);
			crew->part[i].tasks++;
		}
	}
	crew->part[0].sum += shared.sum;
	crew_collect(run);
}

static void
expect(const struct workload_run *run, struct workload_result *right)
{
	uint64_t members = (uint64_t)run->param[MEMBERS], rounds = (uint64_t)run->param[ROUNDS];

	*right = (struct workload_result){
		.tasks = members * rounds,
		.checksum = message_sum(members * rounds, run->param[INSIDE_NS]) +
		            rounds * message_sum(members, run->param[OUTSIDE_NS]),
	};
}

const struct workload workload_mutex = {
	.name = "mutex",
	.title = "everybody wants the same lock: contention",
	.version = 1,
	.params = params,
	.setup = setup,
	.main = crew_main,
	.serial = serial,
	.threads = crew_threads,
	.expect = expect,
	.teardown = crew_teardown,
};
