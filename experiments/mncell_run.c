// SPDX-License-Identifier: MIT
// mncell_run.c: one run of a cell, timed and verified.
//
// Timed is the workload's main alone, from inside goroutine 1: starting and stopping a scheduler (threads, binding, stacks)
// is a cost of its own, and would hide in short cells what is to be compared. It is kept beside it as run_ns. CPU time is
// that of the whole process between the same two points, so that idle Ms that search for work are paid for.
#include "experiments/mncell.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static int64_t
clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

// How main is entered, and what it returned.
struct timed {
	struct cell *cell;
	int error;
};

static void
run_main(struct timed *t)
{
	t->cell->run.workload->main(&t->cell->run);
}

static void
run_serial(struct timed *t)
{
	t->cell->run.workload->serial(&t->cell->run);
}

static void
run_threads(struct timed *t)
{
	t->error = t->cell->run.workload->threads(&t->cell->run);
}

static void
run_evloop(struct timed *t)
{
	t->error = t->cell->run.workload->evloop(&t->cell->run);
}

static void
measure(struct timed *t, void (*body)(struct timed *))
{
	int64_t wall = clock_ns(CLOCK_MONOTONIC), cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);

	body(t);
	t->cell->cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	t->cell->wall_ns = clock_ns(CLOCK_MONOTONIC) - wall;
}

static void
goroutine_1(void *timed)
{
	measure(timed, run_main);
}

static int
invalid(struct cell *c, const char *why)
{
	snprintf(c->invalid, sizeof(c->invalid), "%s", why);
	return MNCELL_INVALID;
}

// The workload's main on libmn; then the counters against each other.
static int
run_mn(struct timed *t, char *err, size_t size)
{
	char why[CELL_LINE_MAX] = "";
	int error = mn_run(&t->cell->options, goroutine_1, t);

	if (error && error != -EUCLEAN) {
		snprintf(err, size, "the scheduler did not run: %s", strerror(-error));
		return MNCELL_FAILED;
	}
	if (mn_stats_check(why, sizeof(why)) || error)
		return invalid(t->cell, why[0] ? why : "the scheduler's counters contradict each other");
	return MNCELL_OK;
}

static int
run_baseline(struct timed *t, char *err, size_t size)
{
	static const struct {
		void (*body)(struct timed *);
		const char *subject;
	} baselines[] = {
		[RUNTIME_SERIAL] = { run_serial, "calls" },
		[RUNTIME_THREADS] = { run_threads, "threads" },
		[RUNTIME_EVLOOP] = { run_evloop, "event loop" },
	};

	measure(t, baselines[t->cell->runtime].body);
	if (!t->error)
		return MNCELL_OK;
	snprintf(err, size, "the %s did not run: %s", baselines[t->cell->runtime].subject, strerror(-t->error));
	return MNCELL_FAILED;
}

static int
run_and_verify(struct cell *c, char *err, size_t size)
{
	struct timed t = { .cell = c };
	char why[CELL_LINE_MAX];
	int64_t start = clock_ns(CLOCK_MONOTONIC);
	int status = c->runtime == RUNTIME_MN ? run_mn(&t, err, size) : run_baseline(&t, err, size);

	c->run_ns = clock_ns(CLOCK_MONOTONIC) - start;
	if (status == MNCELL_OK && workload_verify(&c->run, why, sizeof(why)))
		status = invalid(c, why);
	return status;
}

int
cell_run(struct cell *c, char *err, size_t size)
{
	const struct workload *w = c->run.workload;
	int error, status;

	c->invalid[0] = '\0';
	c->run.result = (struct workload_result){ 0 };
	error = w->setup(&c->run);
	if (error) {
		snprintf(err, size, "workload %s cannot be set up: %s", w->name, strerror(-error));
		return MNCELL_FAILED;
	}
	status = run_and_verify(c, err, size);
	w->teardown(&c->run);
	return status;
}
