// SPDX-License-Identifier: MIT
// judge.c: status, speed-up and efficiency of a repetition.
//
// The order of the verdicts: TIMEOUT, then how it ended (DEADLOCK, FAILED, INVALID by exit 4), then what it says of itself
// (INVALID: no evidence, a broken law, a speed-up that cannot be), then the noise (TAINTED), then OK. A result that breaks
// a law is not made better by a quiet machine, so INVALID stands before TAINTED.
//
// The law of speed-up: work that takes C of CPU time cannot be done by n processors in less than C / n. CPU time, because
// calls that block overlap for nothing. C is the least that the work ever took, serially or under any other policy, so
// that a reference that ran in a bad moment accuses nobody; and since the machine itself is not always equally fast, the
// repetition's own CPU time may lower C, but not by more than machines vary. 5 % are for the clocks.
#include "experiments/mnlab/judge.h"
#include "experiments/mnlab/moot.h"
#include "experiments/mnlab/rows.h"
#include "experiments/mnlab/values.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const double speedup_slack = 1.05;
static const double speed_varies = 0.7;
enum { STDERR_LINES = 8 };

// ---- Before the run --------------------------------------------------------------------------------------------------

static void
put_option(json_t *row, const struct cell *c, const struct mn_option_info *info)
{
	char value[VALUE_TEXT_MAX], *end;

	if (option_is_reserved(info->name) || mn_options_get(&c->options, info->name, value, sizeof value))
		return;
	long number = strtol(value, &end, 10);
	if (!info->values && info->min <= info->max && !*end)
		json_object_set_new(row, info->name, json_integer(number));
	else
		json_object_set_new(row, info->name, json_string(value));
}

static void
put_cell(json_t *row, const struct cell *c)
{
	const struct workload *w = c->run.workload;
	json_t *params = json_object(), *without = json_array();
	const struct mn_option_info *info;

	for (int i = 0; w->params[i].name; i++)
		json_object_set_new(params, w->params[i].name, json_integer(c->run.param[i]));
	json_object_set_new(row, "workload", json_string(w->name));
	json_object_set_new(row, "version", json_integer(w->version));
	json_object_set_new(row, "params", params);
	json_object_set_new(row, "runtime", json_string(runtime_names[c->runtime]));
	for (int i = 0; (info = mn_option_at(i)); i++) {
		put_option(row, c, info);
		if (!option_is_reserved(info->name) && moot(c, info->name))
			json_array_append_new(without, json_string(info->name));
	}
	json_object_set_new(row, "moot", without);
}

json_t *
judge_row(const struct judge_facts *f)
{
	const struct cell *c = &f->cells->cell[f->cell];
	json_t *row = json_object();

	json_object_set_new(row, "schema", json_integer(ROWS_SCHEMA));
	json_object_set_new(row, "cell", json_string(c->id));
	json_object_set_new(row, "block", json_string(f->cells->block[c->block].name));
	json_object_set_new(row, "round", json_integer(f->round));
	json_object_set_new(row, "order", json_integer(f->order));
	json_object_set_new(row, "attempt", json_integer(f->attempt));
	json_object_set_new(row, "status", json_string("OK"));
	json_object_set_new(row, "sim", json_false());
	put_cell(row, c);
	if (f->seed)
		json_object_set_new(row, "seed", json_integer((json_int_t)f->seed));
	json_object_set_new(row, "binary", json_sprintf("%016llx", (unsigned long long)f->cells->binary));
	json_object_set_new(row, "machine", json_string(f->machine));
	json_object_set_new(row, "started", json_string(f->started));
	json_object_set_new(row, "command", json_string(f->command));
	return row;
}

void
judge_unrun(json_t *row, const char *status, const char *why)
{
	json_object_set_new(row, "status", json_string(status));
	json_object_set_new(row, "why", json_string(why));
}

// ---- Evidence --------------------------------------------------------------------------------------------------------

json_t *
judge_read_evidence(const char *path, char *why, size_t size)
{
	json_error_t error;
	struct stat st;

	if (stat(path, &st)) {
		snprintf(why, size, "no evidence was written: %s", strerror(errno));
		return NULL;
	}
	json_t *e = json_load_file(path, 0, &error);
	if (!e) {
		snprintf(why, size, "the evidence is not JSON: %d:%d: %s", error.line, error.column, error.text);
		return NULL;
	}
	if (!json_is_integer(json_object_get(e, "wall_ns")) || json_integer_value(json_object_get(e, "wall_ns")) <= 0) {
		snprintf(why, size, "the evidence has no wall_ns above zero");
		json_decref(e);
		return NULL;
	}
	return e;
}

static void
take_evidence(json_t *row, const json_t *evidence)
{
	static const char *const keys[] = { "wall_ns", "cpu_ns",  "tasks",    "checksum",  "threads",    "counters",
		                            "per_p",   "victims", "runq_max", "globq_max", "latency_ns", "invalid" };

	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
		json_t *value = json_object_get(evidence, keys[i]);
		if (value)
			json_object_set(row, keys[i], value);
	}
}

// ---- Speed-up --------------------------------------------------------------------------------------------------------

// Processors that the cell can have used.
static int
processors(const struct judge_facts *f)
{
	const struct cell *c = &f->cells->cell[f->cell];

	if (c->runtime == RUNTIME_THREADS)
		return f->pus;
	if (c->runtime == RUNTIME_EVLOOP)
		return 1;
	return c->options.procs < f->pus ? c->options.procs : f->pus;
}

static void
put_speedup(json_t *row, const struct judge_facts *f)
{
	double wall = (double)json_integer_value(json_object_get(row, "wall_ns"));

	if (f->cells->cell[f->cell].runtime == RUNTIME_SERIAL || !f->serial_ns || wall <= 0)
		return;
	double speedup = (double)f->serial_ns / wall;
	json_object_set_new(row, "serial_ns", json_integer(f->serial_ns));
	json_object_set_new(row, "speedup", json_real(speedup));
	json_object_set_new(row, "efficiency", json_real(speedup / processors(f)));
}

// C of the law of speed-up, ns; 0: not known.
static double
work_cpu_ns(const json_t *row, const struct judge_facts *f)
{
	double known = (double)f->least_cpu_ns, own = (double)json_integer_value(json_object_get(row, "cpu_ns"));
	double floor = known * speed_varies;

	return own >= known ? known : own > floor ? own : floor;
}

static bool
too_fast(json_t *row, const struct judge_facts *f)
{
	double wall = (double)json_integer_value(json_object_get(row, "wall_ns"));
	double work = work_cpu_ns(row, f);
	double least = work / (processors(f) * speedup_slack);

	if (f->cells->cell[f->cell].runtime == RUNTIME_SERIAL || wall >= least)
		return false;
	json_object_set_new(row, "invalid",
	                    json_sprintf(JUDGE_LAW_OF_SPEED ": %.3f ms, but work of %.3f ms of CPU time takes %d "
	                                                    "processors at least %.3f ms",
	                                 wall / 1e6, work / 1e6, processors(f), least / 1e6));
	return true;
}

// ---- Status ----------------------------------------------------------------------------------------------------------

static bool
deadlocked(const struct exec_result *r)
{
	return !r->signal && r->exit_code == 2 && strstr(r->err.text, "all goroutines are asleep - deadlock!");
}

static void
put_end(json_t *row, const struct exec_result *r)
{
	json_t *lines = json_array();
	char *text = strdup(exec_last_lines(&r->err, STDERR_LINES)), *rest = text;

	if (r->signal)
		json_object_set_new(row, "signal", json_integer(r->signal));
	else
		json_object_set_new(row, "exit_code", json_integer(r->exit_code));
	for (char *line; (line = strsep(&rest, "\n"));) {
		if (!*line)
			continue;
		json_t *string = json_string(line);
		json_array_append_new(lines, string ? string : json_string("(a line that is not text)"));
	}
	free(text);
	if (json_array_size(lines))
		json_object_set(row, "stderr", lines);
	json_decref(lines);
}

// The status before any look at noise; why is set for all but OK.
static const char *
verdict(json_t *row, const struct judge_facts *f, const struct exec_result *r, const json_t *evidence, const char **why)
{
	if (r->timed_out) {
		*why = "over the time limit";
		return "TIMEOUT";
	}
	if (deadlocked(r)) {
		*why = "all goroutines were asleep";
		return "DEADLOCK";
	}
	if (r->signal) {
		*why = strsignal(r->signal);
		return "FAILED";
	}
	if (r->exit_code != 0 && r->exit_code != 4) {
		*why = "its exit status";
		return "FAILED";
	}
	if (!evidence)
		return "INVALID";
	if (json_object_get(row, "invalid") || too_fast(row, f)) {
		*why = json_string_value(json_object_get(row, "invalid"));
		return "INVALID";
	}
	if (r->exit_code == 4) {
		*why = "its exit status";
		return "INVALID";
	}
	return "OK";
}

void
judge_result(json_t *row, const struct judge_facts *f, const struct exec_result *r, const json_t *evidence,
             const char *why, json_t *noise, json_t *taint)
{
	if (evidence)
		take_evidence(row, evidence);
	if (f->samples && evidence)
		json_object_set_new(row, "samples", json_string(f->samples));
	json_object_set_new(row, "elapsed_ns", json_integer(r->elapsed_ns));
	json_object_set_new(row, "rss_kb", json_integer(r->usage.ru_maxrss));
	json_object_set_new(row, "noise", noise);
	const char *status = verdict(row, f, r, evidence, &why);
	if (!strcmp(status, "OK")) {
		put_speedup(row, f);
		if (json_array_size(taint))
			status = "TAINTED";
	} else {
		put_end(row, r);
		json_object_set_new(row, "why", json_string(why ? why : "no evidence was written"));
	}
	if (json_array_size(taint))
		json_object_set(row, "taint", taint);
	json_decref(taint);
	json_object_set_new(row, "status", json_string(status));
}
