// SPDX-License-Identifier: MIT
// topo on the machine at hand: what a thread may not use is not in its topology, binding leads where it says, and a thread
// gets its mask back bit for bit. Skips (77) where the system forbids binding.
#include "sched/os/topo.h"

#include "sched/base/check.h"
#include "sched/mn.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Binds to each PU in turn and looks where that leads; gives the old mask back. False: the system does not let us.
static bool
try_binding(const struct mn_topo *t, const struct mn_topo_mask *saved)
{
	for (int i = 0; i < mn_topo_num_pus(t); i++) {
		struct mn_topo_mask *now;
		int pu = mn_topo_pu_at(t, i), rc = mn_topo_bind_self(t, pu);

		if (rc) {
			fprintf(stderr, "skipped: cannot bind to PU %d: %s\n", pu, strerror(-rc));
			return false;
		}
		CHECK(mn_topo_last_pu(t) == pu);
		CHECK(mn_topo_save_self(&now) == 0);
		CHECK(mn_topo_mask_count(now) == 1 && mn_topo_mask_has(now, pu));
		mn_topo_mask_free(now);
	}
	CHECK(mn_topo_restore_self(saved) == 0);
	return true;
}

static void
check_same_mask(const struct mn_topo_mask *a, const struct mn_topo_mask *b)
{
	CHECK(mn_topo_mask_count(a) == mn_topo_mask_count(b));
	for (int i = 0; i <= MN_TOPO_PU_MAX; i++)
		CHECK(mn_topo_mask_has(a, i) == mn_topo_mask_has(b, i));
}

// What the calling thread may not use is not there: loaded from a thread bound to one PU, the machine has one PU.
static void
check_restricted(int pu, int other)
{
	struct mn_topo *t;
	char err[MN_TEXT_MAX], list[16], why[MN_TEXT_MAX];
	int plan[2];

	CHECK(mn_topo_load(&t) == 0);
	CHECK(mn_topo_is_real(t) && mn_topo_num_pus(t) == 1 && mn_topo_pu_at(t, 0) == pu);
	CHECK(mn_topo_plan(t, "spread", 2, plan, err, sizeof(err)) == 0 && plan[0] == pu && plan[1] == pu);
	snprintf(list, sizeof(list), "%d", other);
	CHECK(mn_topo_plan(t, list, 2, plan, err, sizeof(err)) == -EINVAL && strstr(err, "(allowed: "));
	CHECK(mn_topo_bind_self(t, other) == -EINVAL);
	CHECK(mn_topo_bind_self(t, pu) == 0);
	CHECK(mn_default_procs(why, sizeof(why)) == 1);
	CHECK(strcmp(why, "affinity mask of 1 CPU") == 0);
	mn_topo_free(t);
}

struct restricted {
	const struct mn_topo *t;
	int pu, other;
};

static void *
restricted_thread(void *arg)
{
	const struct restricted *r = arg;
	struct mn_topo_mask *mask;

	CHECK(mn_topo_bind_self(r->t, r->pu) == 0);
	check_restricted(r->pu, r->other);
	CHECK(mn_topo_save_self(&mask) == 0);
	CHECK(mn_topo_mask_count(mask) == 1 && mn_topo_mask_has(mask, r->pu));
	mn_topo_mask_free(mask);
	return NULL;
}

// The thread's own mask counts, not the process's: the first thread keeps its own while the other is bound.
static void
check_threads(const struct mn_topo *t)
{
	int last = mn_topo_pu_at(t, mn_topo_num_pus(t) - 1);
	struct restricted r = { t, last, last == 0 ? 1 : mn_topo_pu_at(t, 0) };
	struct mn_topo *again;
	pthread_t thread;

	if (r.other == last)
		r.other = last + 1;
	CHECK(pthread_create(&thread, NULL, restricted_thread, &r) == 0);
	CHECK(pthread_join(thread, NULL) == 0);
	CHECK(mn_topo_load(&again) == 0);
	CHECK(mn_topo_num_pus(again) == mn_topo_num_pus(t));
	mn_topo_free(again);
}

// Loading a topology leaves the thread's mask alone, binding moves it, restoring undoes it bit for bit.
static bool
test_real(void)
{
	struct mn_topo_mask *before, *after;
	struct mn_topo *t;
	char why[MN_TEXT_MAX] = "";
	bool bound;

	CHECK(mn_topo_save_self(&before) == 0);
	CHECK(mn_topo_load(&t) == 0);
	CHECK(mn_topo_is_real(t) && mn_topo_num_pus(t) == mn_topo_mask_count(before));
	for (int i = 0; i < mn_topo_num_pus(t); i++)
		CHECK(mn_topo_mask_has(before, mn_topo_pu_at(t, i)));
	CHECK(mn_topo_mask_has(before, mn_topo_last_pu(t)));
	CHECK(!mn_topo_mask_has(before, -1) && !mn_topo_mask_has(before, 1 << 30));
	bound = try_binding(t, before);
	CHECK(mn_topo_save_self(&after) == 0);
	check_same_mask(before, after);
	if (bound)
		check_threads(t);
	CHECK(mn_default_procs(why, sizeof(why)) >= 1 && why[0]);
	mn_topo_mask_free(before);
	mn_topo_mask_free(after);
	mn_topo_free(t);
	return bound;
}

int
main(void)
{
	// Whoever runs the tests may have these set.
	unsetenv("HWLOC_SYNTHETIC");
	unsetenv("HWLOC_XMLFILE");
	unsetenv("HWLOC_THISSYSTEM");
	return test_real() ? 0 : 77;
}
