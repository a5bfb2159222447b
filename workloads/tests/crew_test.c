// SPDX-License-Identifier: MIT
// crew_test.c: all members of a crew run, each once, or none: with goroutines and threads that cannot be started, with
// what they need not to be had, on the real scheduler.
#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "sched/mn.h"
#include "workloads/crew.h"
#include "workloads/tests/check.h"
#include "workloads/tests/faults.h"
#include "workloads/work.h"

enum { MEMBERS = 20 };

int __real_mn_go(mn_fn fn, void *arg);
int __wrap_mn_go(mn_fn fn, void *arg);

// What happens in a run, and what is to go wrong.
static struct {
	_Atomic int ran[CREW_THREADS_MAX + 1], in;
	int opened, closed;
	int go_fails; // that call of mn_go, from 0; -1: none
	int open_fails, member_fails, allocation_fails;
} seen;

int
__wrap_mn_go(mn_fn fn, void *arg)
{
	return seen.go_fails-- == 0 ? -ENOMEM : __real_mn_go(fn, arg);
}

// Members wait until all have come: they do run side by side.
static void
member(struct crew *crew, long i)
{
	seen.ran[i]++;
	seen.in++;
	while (crew->in_goroutines && seen.in < crew->n)
		mn_yield();
	crew->part[i] = (struct crew_part){ .tasks = 1, .sum = (uint64_t)i, .error = seen.member_fails ? -EIO : 0 };
}

static int
open_nothing(struct crew *crew)
{
	(void)crew;
	seen.opened++;
	if (seen.allocation_fails)
		fail_allocation(0);
	return seen.open_fails ? -EMFILE : 0;
}

static void
close_nothing(struct crew *crew)
{
	(void)crew;
	seen.closed++;
}

static const struct crew_plan plan = { member, open_nothing, close_nothing };
static const struct workload workload = { .name = "crew" };

static void
reset(void)
{
	memset(&seen, 0, sizeof(seen));
	seen.go_fails = -1;
}

static void
begin(struct workload_run *run, long n)
{
	*run = (struct workload_run){ .workload = &workload };
	check(crew_setup(run, &plan, n, 1) == 0, "setup");
}

static void
check_all_ran(const struct workload_run *run, long n)
{
	for (long i = 0; i < n; i++)
		check(seen.ran[i] == 1, "%ld ran %d times", i, seen.ran[i]);
	check(run->result.tasks == (uint64_t)n && run->result.checksum == (uint64_t)(n * (n - 1) / 2), "result");
	check(seen.opened == 1 && seen.closed == 1, "opened %d, closed %d", seen.opened, seen.closed);
}

static void
check_none_ran(const struct workload_run *run, long n)
{
	for (long i = 0; i < n; i++)
		check(seen.ran[i] == 0, "%ld ran", i);
	check(run->result.tasks == 0 && run->result.checksum == 0, "result");
}

static void
enter(void *run)
{
	crew_main(run);
}

// Runs in goroutines; stderr must hold that line, or nothing.
static void
run_main(struct workload_run *run, const char *line)
{
	char text[256] = "";
	FILE *told = tmpfile(), *before = stderr;

	check(told, "tmpfile");
	stderr = told;
	int error = mn_run(NULL, enter, run);

	stderr = before;
	fail_allocation(-1);
	check(error == 0, "mn_run: %s", strerror(-error));
	rewind(told);
	check((fgets(text, sizeof(text), told) != NULL) == (*line != '\0') && strcmp(text, line) == 0, "%s", text);
	check(!fgets(text, sizeof(text), told), "more than one line: %s", text);
	fclose(told);
}

static void
test_goroutines(void)
{
	struct workload_run run;

	begin(&run, MEMBERS);
	for (int again = 0; again < 2; again++) {
		reset();
		run_main(&run, "");
		check_all_ran(&run, MEMBERS);
	}
	for (int k = 0; k < MEMBERS; k++) {
		reset();
		seen.go_fails = k;
		run_main(&run, "workload crew: could not be started: Cannot allocate memory\n");
		check_none_ran(&run, MEMBERS);
		check(seen.closed == 1, "left open");
	}
	crew_teardown(&run);
	check(!run.state, "teardown left its state");
}

static void
test_what_goes_wrong(void)
{
	struct workload_run run;

	begin(&run, MEMBERS);
	reset();
	seen.open_fails = 1;
	run_main(&run, "workload crew: could not be started: Too many open files\n");
	check_none_ran(&run, MEMBERS);
	check(seen.closed == 0, "closed what was not open");
	reset();
	seen.allocation_fails = 1;
	run_main(&run, "workload crew: could not be started: Cannot allocate memory\n");
	check_none_ran(&run, MEMBERS);
	check(seen.closed == 1, "left open");
	reset();
	seen.member_fails = 1;
	run_main(&run, "workload crew: a member failed: Input/output error\n");
	check_all_ran(&run, MEMBERS);
	crew_teardown(&run);
}

static void
test_threads(void)
{
	struct workload_run run;

	begin(&run, MEMBERS);
	for (int again = 0; again < 2; again++) {
		reset();
		check(crew_threads(&run) == 0, "threads");
		check_all_ran(&run, MEMBERS);
	}
	for (int k = 0; k < MEMBERS; k++) {
		reset();
		fail_thread_after(k);
		check(crew_threads(&run) == -EAGAIN, "without thread %d", k);
		fail_thread_after(-1);
		check_none_ran(&run, MEMBERS);
		check(seen.closed == 1, "left open");
	}
	reset();
	seen.allocation_fails = 1;
	check(crew_threads(&run) == -ENOMEM, "without memory");
	fail_allocation(-1);
	check_none_ran(&run, MEMBERS);
	crew_teardown(&run);
	begin(&run, CREW_THREADS_MAX + 1);
	reset();
	check(crew_threads(&run) == -EAGAIN, "too many were tried");
	check_none_ran(&run, CREW_THREADS_MAX + 1);
	crew_teardown(&run);
}

int
main(void)
{
	check(work_set_rate(100) == 0, "rate");
	test_goroutines();
	test_what_goes_wrong();
	test_threads();
	return 0;
}
