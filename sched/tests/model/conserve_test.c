// SPDX-License-Identifier: MIT
// What must hold in any run of the round model, whatever its rules decide: no work is lost, doubled or invented. Runs are
// random, from fixed seeds; a failure names its seed. A G is in one queue or done; a P has one turn a round; what the trace
// says adds up to what the model says.
#include "sched/base/check.h"
#include "sched/base/rng.h"
#include "sched/model/arrivals.h"
#include "sched/model/model.h"

#include <stdlib.h>

enum { SEEDS = 1500, PROCS_MAX = 40, SPAWNS_MAX = 300, WORK_MAX = 25, ROUND_MAX = 30 };

// One run, and what its trace has said so far.
struct run {
	struct mn_model *m;
	struct mn_arrivals arrivals;
	int procs, quantum, spawns;
	int64_t work; // of all that have been spawned
	int64_t rounds;
	int64_t ran_p[PROCS_MAX], steals[PROCS_MAX];
	int ran_g[SPAWNS_MAX], done[SPAWNS_MAX], work_g[SPAWNS_MAX];
};

#define HOLDS(condition)                                                   \
	do {                                                               \
		if (!(condition))                                          \
			mn_throw("seed %d: not so: %s", seed, #condition); \
	} while (0)

static int
between(struct rng *r, int low, int high)
{
	return low + (int)rng_below(r, (uint32_t)(high - low + 1));
}

// Half of the runs start everything in the first rounds, half leave gaps in which the model drains.
static void
begin(struct run *run, int seed)
{
	struct rng r;
	int last_round;

	rng_seed(&r, (uint64_t)seed, 0);
	*run = (struct run){ .procs = between(&r, 1, PROCS_MAX), .quantum = between(&r, 1, 7) };
	run->m = mn_model_new(run->procs, run->quantum, between(&r, 0, 12));
	HOLDS(run->m);
	run->spawns = between(&r, 0, between(&r, 0, 1) ? SPAWNS_MAX : 12);
	last_round = between(&r, 0, 1) ? 3 : ROUND_MAX;
	for (int i = 0; i < run->spawns; i++)
		HOLDS(mn_arrivals_add(&run->arrivals, between(&r, 0, last_round), between(&r, -1, run->procs), "g",
		                      between(&r, -1, WORK_MAX)) == 0);
}

// Every goroutine that is not done stands in one queue, once, and each queue is as long as it says.
static void
check_queues(const struct run *run, int seed)
{
	const struct mn_model *m = run->m;
	char seen[SPAWNS_MAX] = { 0 };
	int64_t left = 0, ran = 0;

	for (int p = MN_MODEL_GLOBAL; p < run->procs; p++) {
		int len = 0;

		for (int g = mn_model_queue_front(m, p); g != MN_MODEL_NONE; g = mn_model_queue_behind(m, g), len++) {
			HOLDS(!seen[g]++);
			HOLDS(mn_model_state(m, g) == MN_MODEL_RUNNABLE);
			left += mn_model_remaining(m, g);
		}
		HOLDS(len == mn_model_queue_len(m, p));
		ran += p == MN_MODEL_GLOBAL ? 0 : mn_model_ran(m, p);
	}
	for (int g = 0; g < mn_model_count(m); g++)
		HOLDS(seen[g] || mn_model_state(m, g) == MN_MODEL_FINISHED);
	HOLDS(left + ran == run->work);
}

static void
spawn(struct run *run, int seed)
{
	int before = mn_model_count(run->m);

	HOLDS(mn_arrivals_spawn(&run->arrivals, run->m) == 0);
	for (int g = before; g < mn_model_count(run->m); g++) {
		HOLDS(mn_model_executed(run->m, g) == 0 && mn_model_remaining(run->m, g) >= 1);
		run->work_g[g] = mn_model_remaining(run->m, g);
		run->work += run->work_g[g];
	}
	mn_model_forget(run->m);
}

static void
add_event(struct run *run, const struct mn_model_event *e, char *ran_now, int seed)
{
	HOLDS(e->p >= 0 && e->p < run->procs);
	HOLDS(e->at == mn_model_clock(run->m) - run->quantum);
	switch (e->kind) {
	case MN_MODEL_RUN:
		HOLDS(e->n >= 1 && e->n <= run->quantum);
		HOLDS(!ran_now[e->who]++);
		HOLDS(!run->done[e->who]);
		run->ran_g[e->who] += e->n;
		run->ran_p[e->p] += e->n;
		break;
	case MN_MODEL_DONE:
		HOLDS(!run->done[e->who]++);
		HOLDS(run->ran_g[e->who] == run->work_g[e->who]);
		break;
	case MN_MODEL_STEAL:
		HOLDS(e->n >= 1 && e->who != e->p && e->who >= 0 && e->who < run->procs);
		run->steals[e->p]++;
		break;
	case MN_MODEL_TAKE:
		HOLDS(e->n >= 1);
		break;
	default:
		HOLDS(e->kind == MN_MODEL_IDLE);
	}
}

// Each P ran one goroutine or idled, in index order, and no goroutine ran twice.
static void
check_round(struct run *run, int seed)
{
	char ran_now[SPAWNS_MAX] = { 0 };
	int turns = 0;

	for (size_t i = 0; i < mn_model_events(run->m); i++) {
		const struct mn_model_event *e = mn_model_event(run->m, i);

		add_event(run, e, ran_now, seed);
		if (e->kind == MN_MODEL_RUN || e->kind == MN_MODEL_IDLE)
			HOLDS(e->p == turns++);
	}
	HOLDS(turns == run->procs);
	run->rounds++;
	mn_model_forget(run->m);
}

static void
check_end(const struct run *run, int seed)
{
	HOLDS(mn_model_count(run->m) == run->spawns);
	HOLDS(mn_model_clock(run->m) == run->rounds * run->quantum);
	for (int p = 0; p < run->procs; p++) {
		HOLDS(mn_model_ran(run->m, p) == run->ran_p[p]);
		HOLDS(mn_model_steals(run->m, p) == run->steals[p]);
		HOLDS(mn_model_queue_len(run->m, p) == 0);
	}
	HOLDS(mn_model_queue_len(run->m, MN_MODEL_GLOBAL) == 0);
	for (int g = 0; g < run->spawns; g++) {
		HOLDS(run->done[g] == 1);
		HOLDS(run->ran_g[g] == run->work_g[g]);
		HOLDS(mn_model_executed(run->m, g) == run->work_g[g]);
	}
}

static void
check_seed(struct run *run, int seed)
{
	int more = 1;

	begin(run, seed);
	while (more > 0) {
		bool idle;

		spawn(run, seed);
		check_queues(run, seed);
		idle = mn_model_drained(run->m); // then the step is a jump, or the end
		more = mn_arrivals_step(&run->arrivals, run->m);
		HOLDS(more >= 0);
		if (!idle)
			check_round(run, seed);
	}
	check_end(run, seed);
	mn_arrivals_clear(&run->arrivals);
	mn_model_free(run->m);
}

int
main(void)
{
	struct run *run = malloc(sizeof(*run));

	CHECK(run);
	for (int seed = 1; seed <= SEEDS; seed++)
		check_seed(run, seed);
	free(run);
	return 0;
}
