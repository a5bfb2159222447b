// SPDX-License-Identifier: MIT
// policy_test: the rows of the policy tables: whom they name, and how many they take.
#include "sched/core/policy.h"

#include <stdio.h>
#include <string.h>

#include "sched/os/topo.h"
#include "sched/tests/fake_ps.h"
#include "sched/tests/test.h"

enum { CAP = 64, MAX = 64 };

static const struct victim_policy *
row(const char *name)
{
	for (const struct victim_policy *v = mn_victim_policies; v->name; v++)
		if (strcmp(v->name, name) == 0)
			return v;
	mn_throw("no victim policy is called %s", name);
}

// How often each P is named in one pass of thief's. The thief itself never is.
static void
pass(const struct victim_policy *v, struct p *thief, int *named)
{
	struct victim_walk w = { .thief = thief };
	struct p *victim;

	memset(named, 0, MAX * sizeof(*named));
	v->begin(&w);
	while ((victim = v->next(&w)))
		named[victim->id]++;
	EXPECT_EQ(named[thief->id], 0);
}

static char gs[MAX * CAP];

static void
load(struct p *p, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		EXPECT(runq_put(&p->runq, (struct g *)(void *)&gs[p->id * CAP + i]));
}

// Go's TestStealOrder: every walk in steps names every other P exactly once, whatever its start and stride.
static void
test_policy_visits_all(void)
{
	static const char *const whole[] = { "random", "round-robin", "nearest" };
	int named[MAX];

	for (uint32_t n = 1; n <= 40; n++) {
		fake_ps_start(n, CAP, 0, 0, n);
		struct mn_topo *t;

		EXPECT(mn_topo_load_synthetic(&t, "pack:2 l3:2 core:4 pu:2") == 0);
		EXPECT(mn_policy_measure(t) == 0);
		for (size_t k = 0; k < array_len(whole); k++)
			for (int round = 0; round < 30; round++) {
				struct p *thief = &mn_sched.allp[(uint32_t)round % n];

				thief->last_victim = (uint32_t)round % n;
				pass(row(whole[k]), thief, named);
				for (uint32_t i = 0; i < n; i++)
					EXPECT_EQ(named[i], i != thief->id);
			}
		mn_topo_free(t);
		fake_ps_stop();
	}
}

static void
test_random_starts_everywhere(void)
{
	int first[8] = { 0 };

	fake_ps_start(8, CAP, 0, 0, 42);
	for (int round = 0; round < 800; round++) {
		struct victim_walk w = { .thief = &mn_sched.allp[3] };

		row("random")->begin(&w);
		first[row("random")->next(&w)->id]++;
	}
	for (int i = 0; i < 8; i++)
		EXPECT(i == 3 ? first[i] == 0 : first[i] > 40);
	fake_ps_stop();
}

static void
test_most_loaded_names_the_longest(void)
{
	int named[MAX];

	for (uint32_t longest = 0; longest < 16; longest++) {
		fake_ps_start(16, CAP, 0, 1, 7);
		for (uint32_t i = 0; i < 16; i++)
			load(&mn_sched.allp[i], i == longest ? 20 : i);
		pass(row("most-loaded"), &mn_sched.allp[(longest + 1) % 16], named);
		for (uint32_t i = 0; i < 16; i++)
			EXPECT_EQ(named[i], i == longest);
		fake_ps_stop();
	}
}

// Equally long: not always the same one.
static void
test_most_loaded_breaks_ties(void)
{
	int named[MAX], distinct = 0;
	bool seen[8] = { false };

	fake_ps_start(8, CAP, 0, 1, 9);
	for (int round = 0; round < 200; round++) {
		pass(row("most-loaded"), &mn_sched.allp[0], named);
		for (int i = 0; i < 8; i++)
			seen[i] |= named[i] > 0;
	}
	for (int i = 0; i < 8; i++)
		distinct += seen[i];
	EXPECT_EQ(distinct, 7);
	fake_ps_stop();
}

// Of two drawn the longer: the shortest of all can only be named when it is drawn twice.
static void
test_two_choices_prefers_the_longer(void)
{
	int sum[MAX] = { 0 }, named[MAX];

	fake_ps_start(4, CAP, 0, 2, 11);
	load(&mn_sched.allp[1], 1);
	load(&mn_sched.allp[2], 2);
	load(&mn_sched.allp[3], 3);
	for (int round = 0; round < 9000; round++) {
		pass(row("two-choices"), &mn_sched.allp[0], named);
		for (int i = 0; i < 4; i++)
			sum[i] += named[i];
	}
	// Of 18,000 draws: 1/9, 3/9, 5/9. Bounds ten standard deviations wide.
	EXPECT(sum[1] > 1580 && sum[1] < 2420);
	EXPECT(sum[2] > 5370 && sum[2] < 6630);
	EXPECT(sum[3] > 9330 && sum[3] < 10670);
	fake_ps_stop();
}

static void
test_nearest_goes_by_distance(void)
{
	struct mn_topo *t;

	fake_ps_start(16, CAP, 0, 4, 5);
	EXPECT(mn_topo_load_synthetic(&t, "pack:2 l3:2 core:4 pu:1") == 0);
	EXPECT(mn_policy_measure(t) == 0);
	for (uint32_t thief = 0; thief < 16; thief++)
		for (int round = 0; round < 50; round++) {
			struct victim_walk w = { .thief = &mn_sched.allp[thief] };
			struct p *v;
			int before = 0;

			row("nearest")->begin(&w);
			while ((v = row("nearest")->next(&w))) {
				int d = mn_topo_distance(t, (int)thief, (int)v->id);

				EXPECT(d >= before);
				before = d;
			}
			EXPECT_EQ(before, MN_TOPO_MACHINE);
		}
	mn_topo_free(t);
	fake_ps_stop();
}

static void
test_amounts(void)
{
	for (uint32_t n = 1; n <= MN_LOCAL_CAP_MAX; n++) {
		EXPECT_EQ(mn_amount_policies[0].how_many(n), n - n / 2);
		EXPECT_EQ(mn_amount_policies[1].how_many(n), 1);
		EXPECT_EQ(mn_amount_policies[2].how_many(n), n);
	}
	EXPECT(mn_amount_policies[3].how_many == NULL);
}

static void
test_spin_limits(void)
{
	// half: 2 * spinning < busy
	EXPECT(mn_spin_policies[0].may(0, 1));
	EXPECT(!mn_spin_policies[0].may(1, 2));
	EXPECT(mn_spin_policies[0].may(1, 3));
	EXPECT(!mn_spin_policies[0].may(0, 0));
	EXPECT(mn_spin_policies[1].may(0, 0) && !mn_spin_policies[1].may(1, 100));
	EXPECT(mn_spin_policies[2].may(5, 1) && !mn_spin_policies[2].lingers);
	EXPECT(mn_spin_policies[3].may(1000, 1) && mn_spin_policies[3].lingers);
}

int
main(void)
{
	RUN(test_policy_visits_all);
	RUN(test_random_starts_everywhere);
	RUN(test_most_loaded_names_the_longest);
	RUN(test_most_loaded_breaks_ties);
	RUN(test_two_choices_prefers_the_longer);
	RUN(test_nearest_goes_by_distance);
	RUN(test_amounts);
	RUN(test_spin_limits);
	return test_result();
}
