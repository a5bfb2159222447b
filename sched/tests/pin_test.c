// SPDX-License-Identifier: MIT
// pin_test: with pin each goroutine runs on the PU that the plan gives its P, wherever it goes; the caller has its mask back;
// what cannot be is refused before anything runs. Opens sched/os/topo.h for the plan. Skips (77) where the system forbids
// binding.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/os/topo.h"
#include "sched/tests/rig.h"

enum { LOOKERS = 300, LOOKS = 5 };

static int plan[MN_PROCS_MAX];
static _Atomic int wrong, looked, seen[MN_PROCS_MAX];

// Answers whether the calling thread may run on pu and nowhere else.
static bool
bound_to(int pu)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) == 1 && CPU_ISSET((size_t)pu, &set);
}

static void
look(void *unused)
{
	(void)unused;
	for (int i = 0; i < LOOKS; i++) {
		int p;

		mn_yield();
		p = mn_p();
		if (!bound_to(plan[p]) || sched_getcpu() != plan[p])
			add_relaxed(&wrong, 1);
		add_relaxed(&seen[p], 1);
		add_relaxed(&looked, 1);
		if (i == 2) {
			mn_blocking_enter();
			mn_blocking_exit();
		}
	}
}

// The others run for certain on every P: each is held until all are taken.
static _Atomic int held;

static void
hold(void *unused)
{
	add_relaxed(&held, 1);
	RIG_WAIT_UNTIL(load_relaxed(&held) >= mn_num_procs());
	look(unused);
}

static void
spawn_lookers(void *unused)
{
	for (int i = 1; i < mn_num_procs(); i++)
		mn_go(hold, unused);
	hold(unused);
	for (int i = 0; i < LOOKERS; i++)
		mn_go(look, unused);
}

static void
expect_pinned(const struct mn_topo *t, int procs, const char *pin)
{
	char options[512], err[MN_ERROR_MAX];
	cpu_set_t before, after;
	int everywhere = 0;

	EXPECT_EQ(mn_topo_plan(t, pin, procs, plan, err, sizeof(err)), 0);
	snprintf(options, sizeof(options), "procs=%d pin=%s", procs, pin);
	store_relaxed(&wrong, 0);
	store_relaxed(&looked, 0);
	store_relaxed(&held, 0);
	memset((void *)seen, 0, sizeof(seen));
	EXPECT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
	EXPECT_EQ(rig_run(options, spawn_lookers, NULL), 0);
	EXPECT_EQ(sched_getaffinity(0, sizeof(after), &after), 0);
	EXPECT(CPU_EQUAL(&before, &after));
	EXPECT_EQ(load_relaxed(&wrong), 0);
	EXPECT_EQ(load_relaxed(&looked), (LOOKERS + procs) * LOOKS);
	EXPECT_EQ(rig_total().pin_violations, 0);
	for (int i = 0; i < procs; i++)
		everywhere += load_relaxed(&seen[i]) > 0;
	EXPECT_EQ(everywhere, procs);
}

// All PUs in the order that hwloc does not use.
static void
list_backwards(const struct mn_topo *t, char *list, size_t size)
{
	size_t n = 0;

	list[0] = 0;
	for (int i = mn_topo_num_pus(t) - 1; i >= 0 && n + 8 < size; i--)
		n += (size_t)snprintf(list + n, size - n, "%s%d", n ? "," : "", mn_topo_pu_at(t, i));
}

static void
test_every_goroutine_on_its_pu(const struct mn_topo *t)
{
	int pus = mn_topo_num_pus(t) < 64 ? mn_topo_num_pus(t) : 64;
	char list[MN_TEXT_MAX];

	list_backwards(t, list, sizeof(list));
	for (int procs = 1; procs <= 2 * pus; procs += pus > 1 ? pus - 1 : 1) {
		expect_pinned(t, procs, "close");
		expect_pinned(t, procs, "spread");
		expect_pinned(t, procs, list);
	}
	snprintf(list, sizeof(list), "%d", mn_topo_pu_at(t, 0));
	expect_pinned(t, 2, list);
}

static void
never_called(void *unused)
{
	(void)unused;
	EXPECT(false);
}

static void
test_pu_that_is_not_there(const struct mn_topo *t)
{
	char list[64];
	cpu_set_t before, after;

	EXPECT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
	EXPECT_EQ(rig_run("procs=2 pin=65535", never_called, NULL), -EINVAL);
	snprintf(list, sizeof(list), "procs=2 pin=%d,65000", mn_topo_pu_at(t, 0));
	EXPECT_EQ(rig_run(list, never_called, NULL), -EINVAL);
	EXPECT_EQ(sched_getaffinity(0, sizeof(after), &after), 0);
	EXPECT(CPU_EQUAL(&before, &after));
}

// Without pin nobody's mask is touched.
static cpu_set_t whole;

static void
expect_whole(void *unused)
{
	cpu_set_t now;

	(void)unused;
	mn_yield();
	if (sched_getaffinity(0, sizeof(now), &now) != 0 || !CPU_EQUAL(&now, &whole))
		add_relaxed(&wrong, 1);
}

static void
spawn_unbound(void *unused)
{
	for (int i = 0; i < 200; i++)
		mn_go(expect_whole, unused);
}

static void
test_none_binds_nobody(void)
{
	store_relaxed(&wrong, 0);
	EXPECT_EQ(sched_getaffinity(0, sizeof(whole), &whole), 0);
	EXPECT_EQ(rig_run("procs=4", spawn_unbound, NULL), 0);
	EXPECT_EQ(rig_run("procs=4 victim=nearest", spawn_unbound, NULL), 0);
	EXPECT_EQ(load_relaxed(&wrong), 0);
	EXPECT_EQ(rig_total().pin_violations, 0);
}

static bool
may_bind(const struct mn_topo *t)
{
	struct mn_topo_mask *mine;
	bool may;

	if (mn_topo_save_self(&mine))
		return false;
	may = mn_topo_is_real(t) && mn_topo_bind_self(t, mn_topo_pu_at(t, 0)) == 0 && mn_topo_restore_self(mine) == 0;
	mn_topo_mask_free(mine);
	return may;
}

int
main(void)
{
	struct mn_topo *t;

	unsetenv("HWLOC_SYNTHETIC");
	unsetenv("HWLOC_XMLFILE");
	unsetenv("HWLOC_THISSYSTEM");
	if (mn_topo_load(&t) || !may_bind(t)) {
		fprintf(stderr, "skipped: threads may not be bound here\n");
		return TEST_SKIP;
	}
	fprintf(stderr, "test_every_goroutine_on_its_pu\n");
	test_every_goroutine_on_its_pu(t);
	fprintf(stderr, "test_pu_that_is_not_there\n");
	test_pu_that_is_not_there(t);
	RUN(test_none_binds_nobody);
	mn_topo_free(t);
	return test_result();
}
