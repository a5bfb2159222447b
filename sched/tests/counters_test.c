// SPDX-License-Identifier: MIT
// counters_test: the counters as users see them, during a run from any thread and after it, and the laws: each figure that is
// made wrong behind the scheduler's back is found, and named. Opens sched/core/scheduler.h to do that.
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "sched/core/scheduler.h"
#include "sched/tests/rig.h"

enum { PROCS = 4, TASKS = 5000 };

static bool
all_zero(const struct mn_counters *c)
{
	for (int i = 0; mn_counter_name(i); i++)
		if (mn_counter_value(c, i))
			return false;
	return true;
}

static void
test_before_any_run(void)
{
	struct mn_counters c;
	struct mn_stats s;
	char why[64] = "";

	memset(&s, 1, sizeof(s));
	mn_stats(&s);
	EXPECT(s.procs == 0 && s.threads == 0 && s.globq_max == 0 && all_zero(&s.total));
	EXPECT_EQ(mn_stats_p(0, &c), -EINVAL);
	EXPECT_EQ(mn_stats_stolen(0, 0), 0);
	EXPECT_EQ(mn_stats_check(why, sizeof(why)), 0);
}

static void
test_names_and_values(void)
{
	struct mn_counters c;
	int n = 0;

#define SET(name, what) c.name = (uint64_t)(100 + n++);
	MN_COUNTERS(SET)
#undef SET
	for (int i = 0; i < n; i++)
		EXPECT_EQ(mn_counter_value(&c, i), 100 + i);
	EXPECT(strcmp(mn_counter_name(0), "spawned") == 0);
	EXPECT(strcmp(mn_counter_name(n - 1), "runq_max") == 0);
	EXPECT(mn_counter_name(-1) == NULL && mn_counter_name(n) == NULL);
}

// ---- Beside a run

static _Atomic int over, wrong;

static void
look_once(struct mn_counters *before)
{
	struct mn_counters c;
	struct mn_stats s;

	mn_stats(&s);
	if (s.procs != PROCS || s.threads < 1)
		add_relaxed(&wrong, 1);
	for (int p = 0; p < PROCS; p++) {
		if (mn_stats_p(p, &c) || c.spawned < before[p].spawned || c.executed < before[p].executed)
			add_relaxed(&wrong, 1);
		before[p] = c;
	}
	mn_stats_stolen(0, 1);
	if (mn_num_goroutines() < 0 || mn_num_procs() != PROCS)
		add_relaxed(&wrong, 1);
}

static void *
look_on(void *unused)
{
	struct mn_counters before[PROCS] = { 0 };

	while (!load_relaxed(&over))
		look_once(before);
	return unused;
}

static void
yield_some(void *unused)
{
	(void)unused;
	for (int i = 0; i < 3; i++)
		mn_yield();
}

static void
be_looked_at(void *unused)
{
	struct mn_counters before[PROCS] = { 0 };
	pthread_t thread;

	if (pthread_create(&thread, NULL, look_on, unused))
		add_relaxed(&wrong, 1);
	for (int i = 0; i < TASKS / RIG_SLOWER; i++) {
		mn_go(yield_some, unused);
		if (i % 64 == 0)
			look_once(before);
	}
	while (mn_num_goroutines() > 1)
		mn_yield();
	store_relaxed(&over, 1);
	pthread_join(thread, NULL);
}

static void
test_snapshots_while_it_runs(void)
{
	EXPECT_EQ(rig_run("procs=4 local_cap=16", be_looked_at, NULL), 0);
	EXPECT_EQ(load_relaxed(&wrong), 0);
}

// ---- While runs come and go

static void *
look_always(void *unused)
{
	struct mn_counters c;
	struct mn_stats s;
	char why[64];

	while (!load_relaxed(&over)) {
		mn_stats(&s);
		mn_stats_p(1, &c);
		mn_stats_stolen(0, 1);
		mn_stats_check(why, sizeof(why));
		if (mn_num_goroutines() < 0 || mn_num_procs() < 0 || mn_num_procs() > PROCS || mn_p() != -1)
			add_relaxed(&wrong, 1);
		mn_seed();
	}
	return unused;
}

static void
test_reader_beside_many_runs(void)
{
	pthread_t thread;

	store_relaxed(&over, 0);
	EXPECT_EQ(pthread_create(&thread, NULL, look_always, NULL), 0);
	for (int i = 0; i < 400 / RIG_SLOWER; i++)
		if (rig_run_at("procs=%d", 1 + i % PROCS, yield_some, NULL))
			add_relaxed(&wrong, 1);
	store_relaxed(&over, 1);
	pthread_join(thread, NULL);
	EXPECT_EQ(load_relaxed(&wrong), 0);
}

// ---- After it

static void
spawn_tasks(void *unused)
{
	for (int i = 0; i < TASKS; i++)
		mn_go(yield_some, unused);
}

static void
add_up(struct mn_counters *sum, const struct mn_counters *c)
{
	uint64_t longest = sum->runq_max > c->runq_max ? sum->runq_max : c->runq_max;

#define ADD(name, what) sum->name += c->name;
	MN_COUNTERS(ADD)
#undef ADD
	sum->runq_max = longest;
}

static void
test_totals_are_sums(void)
{
	struct mn_counters c, sum = { 0 };
	struct mn_stats s, again;
	uint64_t stolen = 0;

	EXPECT_EQ(rig_run("procs=4", spawn_tasks, NULL), 0);
	mn_stats(&s);
	for (int p = 0; p < PROCS; p++) {
		EXPECT_EQ(mn_stats_p(p, &c), 0);
		add_up(&sum, &c);
		for (int thief = 0; thief < PROCS; thief++)
			stolen += mn_stats_stolen(p, thief);
		EXPECT_EQ(mn_stats_stolen(p, p), 0);
	}
	EXPECT(memcmp(&sum, &s.total, sizeof(sum)) == 0);
	EXPECT_EQ(stolen, s.total.stolen_in);
	EXPECT_EQ(s.procs, PROCS);
	EXPECT_EQ(s.total.spawned, TASKS + 1);
	EXPECT_EQ(mn_stats_p(-1, &c), -EINVAL);
	EXPECT_EQ(mn_stats_p(PROCS, &c), -EINVAL);
	EXPECT_EQ(mn_stats_stolen(PROCS, 0), 0);
	EXPECT_EQ(mn_stats_stolen(0, -1), 0);
	mn_stats(&again);
	EXPECT(memcmp(&s, &again, sizeof(s)) == 0);
}

// ---- Laws

static void
falsify(void *name)
{
	struct p *p = mn_sched.allp;

	if (strcmp(name, "matrix") == 0) {
		tally_add(&p->stolen_from[1], 1);
		return;
	}
#define FALSIFY(counter, what)           \
	if (strcmp(name, #counter) == 0) \
		tally_add(&p->n.counter, 5);
	MN_COUNTERS(FALSIFY)
#undef FALSIFY
}

static void
expect_broken(const char *name, const char *law)
{
	char why[MN_ERROR_MAX] = "";
	struct mn_options o;

	rig_options(&o, "procs=2 local_cap=4");
	EXPECT_EQ(mn_run(&o, falsify, (void *)(uintptr_t)name), -EUCLEAN);
	EXPECT_EQ(mn_stats_check(why, sizeof(why)), -EUCLEAN);
	EXPECT(strncmp(why, law, strlen(law)) == 0);
	if (strncmp(why, law, strlen(law)) != 0)
		fprintf(stderr, "%s: said \"%s\", expected \"%s\"\n", name, why, law);
	EXPECT_EQ(mn_stats_check(why, 10), -EUCLEAN);
	EXPECT_EQ(strlen(why), 9);
}

static void
test_a_wrong_figure_breaks_a_law(void)
{
	expect_broken("executed", "executed = ");
	expect_broken("run_local", "executed = ");
	expect_broken("run_runnext", "executed = ");
	expect_broken("run_global", "executed = ");
	expect_broken("run_stolen", "executed = ");
	expect_broken("run_returned", "executed = ");
	expect_broken("parked", "parked = readied: 5 is not 0");
	expect_broken("readied", "parked = readied: 0 is not 5");
	expect_broken("global_put", "put into the global queue");
	expect_broken("spilled", "put into the global queue");
	expect_broken("global_got", "put into the global queue");
	expect_broken("global_ticks", "put into the global queue");
	expect_broken("stolen_in", "stolen out = stolen in");
	expect_broken("run_joined", "children joined in place");
	expect_broken("joined_local", "children joined in place");
	expect_broken("local_put", "P0: put into the ring");
	expect_broken("global_batches", "P0: put into the ring");
	expect_broken("steal_ok", "P0: put into the ring");
	expect_broken("matrix", "P0: stolen in = its column");
	expect_broken("runq_max", "P0: queue length 5 above its cap 4");
	EXPECT_EQ(rig_run("procs=2", spawn_tasks, NULL), 0);
}

int
main(void)
{
	RUN(test_before_any_run);
	RUN(test_names_and_values);
	RUN(test_snapshots_while_it_runs);
	RUN(test_reader_beside_many_runs);
	RUN(test_totals_are_sums);
	RUN(test_a_wrong_figure_breaks_a_law);
	return test_result();
}
