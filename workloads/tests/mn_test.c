// SPDX-License-Identifier: MIT
// mn_test.c: every workload on the real scheduler, at small sizes: procs 1, 2, 4 x every steal amount, the right answer
// each time, and the scheduler's own counters agree.
#include <errno.h>
#include <string.h>

#include "sched/mn.h"
#include "workloads/tests/cases.h"
#include "workloads/tests/check.h"
#include "workloads/work.h"

static void
enter(void *arg)
{
	struct workload_run *run = arg;

	run->workload->main(run);
}

static void
run_case(const struct test_case *c, struct mn_options *o, const char *how)
{
	struct workload_run run;
	char why[256] = "";

	case_setup(&run, c);
	// Twice on one setup: the tables must be clean again.
	for (int again = 0; again < 2; again++) {
		int error = mn_run(o, enter, &run);

		check(error == 0, "%s %s: mn_run: %s", c->workload, how, strerror(-error));
		check(mn_stats_check(why, sizeof(why)) == 0, "%s %s: %s", c->workload, how, why);
		case_verify(&run, c, how);
	}
	run.workload->teardown(&run);
}

static void
set(struct mn_options *o, const char *name, const char *value)
{
	char err[256];

	check(mn_options_set(o, name, value, err, sizeof(err)) == 0, "%s", err);
}

int
main(void)
{
	static const char *const procs[] = { "1", "2", "4" };
	static const char *const steal[] = { "half", "one", "all", "none" };
	const struct test_case *c;
	struct mn_options o;
	char how[64];

	check(work_set_rate(100) == 0, "rate");
	cases_cover_all();
	for (int p = 0; p < 3; p++) {
		for (int s = 0; s < 4; s++) {
			mn_options_init(&o);
			set(&o, "procs", procs[p]);
			set(&o, "steal", steal[s]);
			snprintf(how, sizeof(how), "procs=%s steal=%s", procs[p], steal[s]);
			for (int i = 0; (c = case_at(i)); i++)
				run_case(c, &o, how);
		}
	}
	return 0;
}
