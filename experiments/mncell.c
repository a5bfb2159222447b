// SPDX-License-Identifier: MIT
// mncell.c: one cell of an experiment as a Google Benchmark program.
//
// One benchmark is registered, with manual time and one iteration, so that all of the library's flags work: repetitions,
// filter, JSON output. Each repetition is a whole run: setup, scheduler start, work, verification. The laboratory starts
// one process a repetition and reads the evidence file; people read the table.
//
// The schedule of every repetition has the same seed. The evidence is that of the last repetition, or of the first whose
// answer or counters were wrong: that one is never covered up.
#include "experiments/mncell.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/gbench.h"
#include "workloads/work.h"

__attribute__((format(printf, 2, 3))) static int
complain(int status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("mncell: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	return status;
}

// ---- The benchmark -------------------------------------------------------------------------------------------------

static void
report_counters(struct gbench_state *s, const struct cell *c)
{
	struct mn_stats stats;

	gbench_counter(s, "tasks", (double)c->run.result.tasks, GBENCH_PLAIN);
	gbench_counter(s, "cpu_seconds", (double)c->cpu_ns * 1e-9, GBENCH_PLAIN);
	if (c->runtime != RUNTIME_MN)
		return;
	mn_stats(&stats);
	gbench_counter(s, "m_threads", stats.threads, GBENCH_PLAIN);
	gbench_counter(s, "steal_ok", (double)stats.total.steal_ok, GBENCH_PLAIN);
	gbench_counter(s, "stolen_in", (double)stats.total.stolen_in, GBENCH_PLAIN);
	gbench_counter(s, "spilled", (double)stats.total.spilled, GBENCH_PLAIN);
	gbench_counter(s, "global_got", (double)stats.total.global_got, GBENCH_PLAIN);
	gbench_counter(s, "parks", (double)stats.total.parks, GBENCH_PLAIN);
	gbench_counter(s, "handoffs", (double)stats.total.handoffs, GBENCH_PLAIN);
	gbench_counter(s, "idle_seconds", (double)stats.total.idle_ns * 1e-9, GBENCH_PLAIN);
}

static void
store_evidence(struct cell *c)
{
	int error = c->evidence ? cell_evidence_write(c) : 0;

	if (error)
		c->status = complain(MNCELL_FAILED, "--evidence=%s: %s", c->evidence, strerror(-error));
}

static void
report_failure(struct gbench_state *s, struct cell *c, int status, const char *why)
{
	if (status == MNCELL_INVALID)
		why = c->invalid;
	c->status = complain(status, "%s%s", status == MNCELL_INVALID ? "invalid: " : "", why);
	gbench_skip(s, why);
}

static void
cell_benchmark(struct gbench_state *s, void *arg)
{
	struct cell *c = arg;
	char why[CELL_LINE_MAX] = "";
	int status = MNCELL_OK;

	if (c->status) {
		gbench_skip(s, "left out: an earlier repetition failed");
		return;
	}
	while (gbench_next(s)) {
		status = cell_run(c, why, sizeof(why));
		gbench_seconds(s, (double)c->wall_ns * 1e-9);
	}
	if (status != MNCELL_FAILED)
		store_evidence(c);
	if (status)
		report_failure(s, c, status, why);
	else
		report_counters(s, c);
}

// ---- The program ---------------------------------------------------------------------------------------------------

static void
set_context(const struct cell *c)
{
	const struct mn_option_info *option;
	char text[MN_TEXT_MAX];

	gbench_context("workload", c->run.workload->name);
	gbench_context("runtime", cell_runtime_name(c->runtime));
	snprintf(text, sizeof(text), "%.17g", c->rate);
	gbench_context("rate", text);
	for (int i = 0; (option = mn_option_at(i)); i++) {
		mn_options_get(&c->options, option->name, text, sizeof(text));
		gbench_context(option->name, text);
	}
}

static void
set_rate(struct cell *c)
{
	if (!(c->rate > 0))
		c->rate = work_calibrate();
	work_set_rate(c->rate);
}

static int
run_registered(struct cell *c, const char *name)
{
	struct gbench_totals totals;
	int error = gbench_run(&totals);

	if (error)
		return complain(MNCELL_FAILED, "%s: %s", gbench_library(), strerror(-error));
	if (!totals.matched)
		return complain(MNCELL_USAGE, "--benchmark_filter lets nothing through; the benchmark is called %s",
		                name);
	return c->status;
}

static int
measure(struct cell *c)
{
	struct gbench_options how = { .manual_time = true, .process_cpu = true, .iterations = 1, .unit = GBENCH_MS };
	char name[CELL_LINE_MAX];

	set_rate(c);
	set_context(c);
	cell_name(c, name, sizeof(name));
	if (gbench_register(name, cell_benchmark, c, &how))
		return complain(MNCELL_FAILED, "the benchmark cannot be registered: no memory");
	return run_registered(c, name);
}

static int
run(struct cell *c, int argc, char **argv)
{
	char line[GBENCH_ERR_MAX];
	int error;

	if (gbench_unfit())
		return complain(MNCELL_USAGE, "will not measure: %s; set MNCELL_ANY_BUILD=1 to run all the same",
		                gbench_unfit());
	if (c->calibrate) {
		printf("{\"rate\": %.17g}\n", work_calibrate());
		return MNCELL_OK;
	}
	if (gbench_init(&argc, argv, line, sizeof(line)) || gbench_unknown(argc, argv, line, sizeof(line)))
		return complain(MNCELL_USAGE, "%s", line);
	error = c->evidence ? cell_evidence_check(c->evidence) : 0;
	if (error)
		return complain(MNCELL_USAGE, "--evidence=%s: %s", c->evidence, strerror(-error));
	return measure(c);
}

int
main(int argc, char **argv)
{
	static struct cell cell;
	char line[2 * CELL_LINE_MAX] = "";

	switch (cell_parse(&cell, &argc, argv, line, sizeof(line))) {
	case REQUEST_HELP:
		cell_help();
		return MNCELL_OK;
	case REQUEST_VERSION:
		printf("mncell %s (%s)\n", MNLAB_VERSION, gbench_library());
		return MNCELL_OK;
	case REQUEST_BAD:
		return complain(MNCELL_USAGE, "%s", line);
	case REQUEST_RUN:
		break;
	}
	return run(&cell, argc, argv);
}
