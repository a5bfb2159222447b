// SPDX-License-Identifier: MIT
// spawning_test.c: how the workloads use the runtime, seen from a fake one: who starts whom and where, that brackets
// and checks are where they should be, and that a goroutine which cannot be started is noticed.
#include <errno.h>
#include <string.h>

#include "workloads/tests/cases.h"
#include "workloads/tests/check.h"
#include "workloads/tasks.h"
#include "workloads/tests/fake_mn.h"
#include "workloads/work.h"

static void
run_main(struct workload_run *run, const struct test_case *c)
{
	case_setup(run, c);
	run->workload->main(run);
	check(fake.unfinished == 0, "%lu tasks were waited for in vain", fake.unfinished);
	check(fake.unwaited == 0, "nobody waited for %d groups of tasks", fake.unwaited);
	check(fake.unjoined == 0, "nobody joined %d children", fake.unjoined);
	check(!fake.in_bracket, "in a bracket at the end");
}

static void
test_all_cases(void)
{
	const struct test_case *c;
	struct workload_run run;

	for (int i = 0; !case_waits(i) && (c = case_at(i)); i++) {
		for (int procs = 1; procs <= 4; procs *= 2) {
			fake_reset(procs);
			fake.moves = procs != 2;
			run_main(&run, c);
			case_verify(&run, c, "in goroutines");
			run.workload->teardown(&run);
		}
	}
}

static void
test_skewed_starts_all_from_main(void)
{
	static const struct test_case c = { "skewed", { "tasks=1000", "grain_ns=0" } };
	struct workload_run run;

	fake_reset(4);
	fake.moves = 1;
	run_main(&run, &c);
	check(fake.gos_at_depth[0] == 1000 && fake.gos == 1000, "%d of %d by main", fake.gos_at_depth[0], fake.gos);
	check(fake.gos_on_p[0] == 1000 && fake.yields == 0, "not all on one P");
	run.workload->teardown(&run);
}

static void
test_uniform_starts_evenly(void)
{
	static const struct test_case c = { "uniform", { "tasks=1001", "grain_ns=0" } };
	struct workload_run run;

	fake_reset(4);
	fake.moves = 1;
	run_main(&run, &c);
	check(fake.gos_at_depth[0] == 4 && fake.gos_at_depth[1] == 1001, "%d spawners", fake.gos_at_depth[0]);
	for (int p = 0; p < 4; p++)
		check(fake.gos_on_p[p] == 251 || fake.gos_on_p[p] == 252, "%d on P %d", fake.gos_on_p[p], p);
	run.workload->teardown(&run);
}

// The other Ps never come.
static void
test_uniform_gives_up_waiting(void)
{
	static const struct test_case c = { "uniform", { "tasks=100", "grain_ns=0" } };
	struct workload_run run;

	fake_reset(8);
	run_main(&run, &c);
	check(fake.gos_on_p[0] == 108, "%d on P 0", fake.gos_on_p[0]);
	check(fake.yields >= 100 && fake.yields < 10000, "%d yields", fake.yields);
	case_verify(&run, &c, "on one P");
	run.workload->teardown(&run);
}

static void
test_syscall_brackets(void)
{
	static const struct test_case plain = { "syscall", { "tasks=6", "calls=5", "grain_ns=0", "block_us=0" } };
	static const struct test_case announced = {
		"syscall", { "tasks=6", "calls=5", "grain_ns=0", "block_us=0", "announced=1" }
	};
	struct workload_run run;

	fake_reset(1);
	run_main(&run, &plain);
	check(fake.syscalls == 30 && fake.blockings == 0, "%d, %d", fake.syscalls, fake.blockings);
	run.workload->serial(&run);
	check(fake.syscalls == 30, "the serial baseline called the runtime");
	run.workload->teardown(&run);
	fake_reset(1);
	run_main(&run, &announced);
	check(fake.syscalls == 0 && fake.blockings == 30, "%d, %d", fake.syscalls, fake.blockings);
	run.workload->teardown(&run);
}

static void
test_tight_checks(void)
{
	static const struct test_case on = { "tight", { "loops=2", "loop_us=1000", "pings=1", "rounds=1" } };
	static const struct test_case off = { "tight",
		                              { "loops=2", "loop_us=1000", "pings=1", "rounds=1", "check=0" } };
	struct workload_run run;

	// 100,000 iterations a loop.
	fake_reset(1);
	run_main(&run, &on);
	check(fake.checks == 2 * ((100000 - 1) / WORK_CHECK_EVERY), "%d checks", fake.checks);
	run.workload->serial(&run);
	check(fake.checks == 2 * ((100000 - 1) / WORK_CHECK_EVERY), "the serial baseline called the runtime");
	run.workload->teardown(&run);
	fake_reset(1);
	run_main(&run, &off);
	check(fake.checks == 0, "%d checks", fake.checks);
	run.workload->teardown(&run);
}

static void
test_tight_pings_yield_and_spawn(void)
{
	static const struct test_case c = { "tight", { "loops=0", "pings=3", "rounds=10", "ping_ns=0" } };
	struct workload_run run;

	fake_reset(1);
	run_main(&run, &c);
	check(fake.gos == 3 + 3 * 4, "%d goroutines for 3 lines of 10", fake.gos);
	check(fake.yields == 3 * 5, "%d yields", fake.yields);
	run.workload->teardown(&run);
}

// One over k, cut at whole tasks downwards, on the Ps in turn; the spawners themselves are one more for each.
static void
test_zipf_shares(void)
{
	static const struct test_case one_round = { "zipf", { "tasks=100", "spawners=4", "grain_ns=0" } };
	static const struct test_case two_rounds = { "zipf",
		                                     { "tasks=8000", "spawners=8", "exponent=0", "grain_ns=0" } };
	static const int share[] = { 48, 24, 15, 13 };
	struct workload_run run;

	fake_reset(4);
	fake.moves = 1;
	run_main(&run, &one_round);
	for (int p = 0; p < 4; p++)
		check(fake.gos_on_p[p] == share[p] + 1, "%d on P %d", fake.gos_on_p[p], p);
	run.workload->teardown(&run);
	fake_reset(4);
	fake.moves = 1;
	run_main(&run, &two_rounds);
	for (int p = 0; p < 4; p++)
		check(fake.gos_on_p[p] == 2002, "%d on P %d", fake.gos_on_p[p], p);
	check(fake.yields == 8, "%d yields", fake.yields);
	run.workload->teardown(&run);
}

static void
test_bounce_yields_after_batches(void)
{
	static const struct test_case c = { "bounce", { "tasks=100", "batch=7", "grain_ns=0" } };
	struct workload_run run;

	fake_reset(4);
	fake.moves = 1;
	run_main(&run, &c);
	check(fake.yields == 14 && fake.gos_at_depth[0] == 100, "%d yields", fake.yields);
	check(fake.gos_on_p[0] == 28 && fake.gos_on_p[3] == 21, "%d, %d", fake.gos_on_p[0], fake.gos_on_p[3]);
	run.workload->teardown(&run);
}

// Bursts share a shard of 16, the last stands in two: four are waited for, one of them twice.
static void
test_burst_waits_for_each(void)
{
	static const struct test_case c = { "burst", { "bursts=4", "size=5", "grain_ns=0" } };
	struct workload_run run;

	fake_reset(1);
	run_main(&run, &c);
	check(fake.gos == 20 && fake.waits == 4 + 1, "%d waits", fake.waits);
	run.workload->teardown(&run);
}

// Each wait and each timeout once; a sleep that is too short, and a timeout that cannot be stopped, are noticed.
static void
test_timers_prove_their_waits(void)
{
	static const struct test_case c = { "timers", { "tasks=5", "waits=4", "grain_ns=0", "timeouts=3" } };
	struct workload_run run;
	char err[256];

	fake_reset(1);
	run_main(&run, &c);
	check(fake.sleeps == 5 * 2 && fake.timers == 5 * (2 + 4 * 3), "%d, %d", fake.sleeps, fake.timers);
	case_verify(&run, &c, "in goroutines");
	run.workload->serial(&run);
	check(fake.sleeps == 10, "the serial baseline called the runtime");
	fake.short_sleeps = 1;
	run.workload->main(&run);
	check(workload_verify(&run, err, sizeof(err)) == -EUCLEAN, "a short sleep was taken");
	fake.short_sleeps = 0;
	fake.lost_timers = 1;
	run.workload->main(&run);
	check(workload_verify(&run, err, sizeof(err)) == -EUCLEAN, "a timeout that was not there was taken");
	run.workload->teardown(&run);
}

// What the workloads say on stderr until told_end goes to a file.
static FILE *stderr_before;

static FILE *
told_begin(void)
{
	FILE *f = tmpfile();

	check(f, "tmpfile");
	stderr_before = stderr;
	stderr = f;
	return f;
}

static void
told_end(FILE *f)
{
	stderr = stderr_before;
	rewind(f);
}

// Goroutine k fails to start, for every k there is. Either the work is complete all the same, or verify says no.
static void
test_failure_at_each_start(void)
{
	static const struct test_case cases[] = {
		{ "uniform", { "tasks=9", "grain_ns=0" } },
		{ "skewed", { "tasks=9", "grain_ns=0" } },
		{ "syscall", { "tasks=9", "calls=1", "grain_ns=0", "block_us=0" } },
		{ "tight", { "loops=2", "loop_us=1", "pings=2", "rounds=6", "ping_ns=0" } },
		{ "burst", { "bursts=3", "size=5", "grain_ns=0" } },
		{ "zipf", { "tasks=9", "spawners=3", "grain_ns=0" } },
		{ "bounce", { "tasks=9", "batch=2", "grain_ns=0" } },
	};
	struct workload_run run;
	char err[256];

	for (int i = 0; i < 7; i++) {
		for (int k = 0, gos = 1; k < gos; k++) {
			fake_reset(2);
			fake.fail_from = k;
			fake.fail_to = k + 1;
			FILE *f = told_begin();

			run_main(&run, &cases[i]);
			told_end(f);
			fclose(f);
			gos = fake.gos;
			check(fake.goes_failed == 1, "%s %d", cases[i].workload, k);
			uint64_t tasks = run.result.tasks;
			int verdict = workload_verify(&run, err, sizeof(err));

			run.workload->serial(&run);
			check(verdict == (tasks == run.result.tasks ? 0 : -EUCLEAN), "%s %d: %d", cases[i].workload, k,
			      verdict);
			check(tasks + 1 >= run.result.tasks, "%s %d: more lost than one", cases[i].workload, k);
			run.workload->teardown(&run);
		}
	}
}

// A task that runs twice, alone and together with the loss of one that does the same work.
static void
test_doubled_task(void)
{
	static const struct test_case c = { "skewed", { "tasks=9", "grain_ns=100" } };
	struct workload_run run;
	char err[256];

	fake_reset(1);
	case_setup(&run, &c);
	struct tasks *all = run.state;

	tasks_run(&all->task[2]);
	run.workload->main(&run);
	check(workload_verify(&run, err, sizeof(err)) == -EUCLEAN, "10 runs taken for 9");
	check(run.result.tasks == 10, "%llu runs", (unsigned long long)run.result.tasks);
	fake.gos = 0;
	fake.fail_from = 6;
	fake.fail_to = 7;
	FILE *f = told_begin();

	tasks_run(&all->task[2]);
	run.workload->main(&run);
	told_end(f);
	fclose(f);
	check(run.result.tasks == 9, "%llu runs", (unsigned long long)run.result.tasks);
	check(tasks_seed(2) == tasks_seed(6), "not the same work");
	check(workload_verify(&run, err, sizeof(err)) == -EUCLEAN, "task 2 twice, 6 never: taken");
	check(strstr(err, "checksum"), "%s", err);
	run.workload->teardown(&run);
}

// What the tasks that failed leave on stderr.
static void
test_failure_is_told(void)
{
	static const struct test_case c = { "skewed", { "tasks=9", "grain_ns=0" } };
	char text[256] = "", err[256];
	struct workload_run run;

	fake_reset(1);
	fake.fail_from = 3;
	fake.fail_to = 7;
	FILE *f = told_begin();

	run_main(&run, &c);
	told_end(f);
	check(fgets(text, sizeof(text), f) != NULL, "nothing was told");
	check(strcmp(text, "workload skewed: task 3 failed: Cannot allocate memory\n") == 0, "%s", text);
	check(fgets(text, sizeof(text), f) == NULL, "more than one line: %s", text);
	check(workload_verify(&run, err, sizeof(err)) == -EUCLEAN, "taken");
	check(strcmp(err, "workload skewed: 5 tasks ran, not 9") == 0, "%s", err);
	fclose(f);
	run.workload->teardown(&run);
}

int
main(void)
{
	check(work_set_rate(100) == 0, "rate");
	test_all_cases();
	test_skewed_starts_all_from_main();
	test_uniform_starts_evenly();
	test_uniform_gives_up_waiting();
	test_syscall_brackets();
	test_tight_checks();
	test_tight_pings_yield_and_spawn();
	test_zipf_shares();
	test_bounce_yields_after_batches();
	test_burst_waits_for_each();
	test_timers_prove_their_waits();
	test_failure_at_each_start();
	test_doubled_task();
	test_failure_is_told();
	return 0;
}
