// SPDX-License-Identifier: MIT
// runner.c: rounds, blocks, repetitions.
//
// Rounds are outermost, so that a run cut short has a little of everything, and that a slow hour of the machine falls on
// all cells. In a round, each workload's serial reference runs first (the speed-ups of the round need it), then its
// blocks in a random order, each with its cells in the order of its Latin square.
//
// A repetition counts when its row is on the disk, not before. So whatever kills us costs the one that was running.
#include "experiments/mnlab/runner.h"
#include "experiments/mnlab/command.h"
#include "experiments/mnlab/estimate.h"
#include "experiments/mnlab/folder.h"
#include "experiments/mnlab/interrupt.h"
#include "experiments/mnlab/judge.h"
#include "experiments/mnlab/manifest.h"
#include "experiments/mnlab/order.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

const char *const runner_status[] = { "OK", "TAINTED", "FAILED", "TIMEOUT", "DEADLOCK", "INVALID", "SKIPPED", NULL };

enum { CALIBRATION_TIMEOUT_S = 60 };

// One repetition on its way.
struct attempt {
	int cell;
	long round;
	int order, number;
	uint64_t seed;
	char started[32], evidence[4200], samples[128], sample_path[4400];
	char *command;
};

// ---- Calibration -----------------------------------------------------------------------------------------------------

static int
parse_rate(const char *text, double *rate)
{
	json_t *o = json_loads(text, JSON_DISABLE_EOF_CHECK, NULL);

	*rate = json_number_value(json_object_get(o, "rate"));
	json_decref(o);
	return *rate > 0 ? 0 : -EBADMSG;
}

int
runner_calibrate(const char *program, double *rate, char *err, size_t size)
{
	char *argv[] = { (char *)program, "--calibrate", NULL };
	char **environment = command_environment();
	struct exec_result r;
	int rc = exec_run(&(struct exec_request){ argv, environment, CALIBRATION_TIMEOUT_S }, &r);

	if (rc)
		snprintf(err, size, "%s: cannot be started: %s", program, strerror(-rc));
	else if (r.interrupted)
		rc = -EINTR;
	else if (r.timed_out || r.signal || r.exit_code || parse_rate(r.out.text, rate)) {
		snprintf(err, size, "%s --calibrate did not tell the rate of work: %.200s", program,
		         exec_last_lines(&r.err, 1));
		rc = -EBADMSG;
	}
	exec_free(&r);
	free(environment);
	return rc;
}

// ---- One repetition --------------------------------------------------------------------------------------------------

static void
prepare(struct runner *r, struct attempt *a)
{
	const struct cell *c = &r->cells->cell[a->cell];
	struct timespec t;
	struct tm tm;
	char err[512];

	clock_gettime(CLOCK_REALTIME, &t);
	size_t n = strftime(a->started, sizeof a->started, "%Y-%m-%dT%H:%M:%S", gmtime_r(&t.tv_sec, &tm));
	snprintf(a->started + n, sizeof a->started - n, ".%03ldZ", t.tv_nsec / 1000000);
	// One seed for all policies of a block in a round: their random choices begin alike.
	a->seed = order_seed(r->seed, r->cells->block[c->block].name, (uint64_t)a->round) >> 1 | 1;
	if (c->runtime != RUNTIME_MN)
		a->seed = 0;
	snprintf(a->evidence, sizeof a->evidence, "%s/.evidence.json", r->dir);
	unlink(a->evidence);
	a->samples[0] = 0;
	if (c->runtime != RUNTIME_MN || !c->options.sample_us)
		return;
	snprintf(a->samples, sizeof a->samples, "cells/%s/samples.%ld.tsv", c->id, a->round);
	snprintf(a->sample_path, sizeof a->sample_path, "%s/cells/%s", r->dir, c->id);
	folder_make(a->sample_path, err, sizeof err); // mncell will say so if it cannot write there
	snprintf(a->sample_path, sizeof a->sample_path, "%s/%s", r->dir, a->samples);
}

// Runs the command; the evidence flag is no part of the command that the row shows.
static int
launch(struct runner *r, struct attempt *a, struct exec_result *result)
{
	const struct cell *c = &r->cells->cell[a->cell];
	struct command_facts facts = { r->program, r->rate, a->seed, a->samples[0] ? a->sample_path : NULL };
	struct command command;

	command_make(&command, c, &facts);
	a->command = command_text(&command);
	command_add(&command, "--evidence=%s", a->evidence);
	int rc = exec_run(&(struct exec_request){ command.argv, r->environment, (double)c->timeout_s }, result);
	command_free(&command);
	return rc;
}

// What a repetition that did not end well said, whole, beside the rows: dumps of queues and stacks are long.
static void
store_stderr(struct runner *r, const struct attempt *a, const struct exec_result *result, json_t *row)
{
	char path[4400], name[128], err[512];
	const char *id = r->cells->cell[a->cell].id;

	if (!result->err.n)
		return;
	snprintf(path, sizeof path, "%s/cells/%s", r->dir, id);
	snprintf(name, sizeof name, "cells/%s/stderr.%ld.txt", id, a->round);
	if (folder_make(path, err, sizeof err))
		return;
	snprintf(path, sizeof path, "%s/%s", r->dir, name);
	FILE *f = fopen(path, "we");
	if (!f)
		return;
	fwrite(result->err.text, 1, result->err.n, f);
	if (!fclose(f))
		json_object_set_new(row, "stderr_file", json_string(name));
}

static struct judge_facts
facts_of(const struct runner *r, const struct attempt *a)
{
	const struct cell *c = &r->cells->cell[a->cell];

	return (struct judge_facts){
		.cells = r->cells,
		.cell = a->cell,
		.round = a->round,
		.order = a->order,
		.attempt = a->number,
		.seed = a->seed,
		.pus = r->pus,
		.serial_ns = past_wall_ns(r->past, c->serial, a->round),
		.least_cpu_ns = past_least_cpu_ns(r->past, a->cell),
		.machine = r->machine,
		.started = a->started,
		.command = a->command ? a->command : "",
		.samples = a->samples[0] ? a->samples : NULL,
	};
}

// Runs it and makes its row. NULL: told to stop, there is nothing to store.
static json_t *
attempt_row(struct runner *r, struct attempt *a)
{
	struct noise_look before, after;
	struct exec_result result;
	char why[512] = "";
	json_t *noise, *taint;

	prepare(r, a);
	noise_look(&r->noise, &before);
	int rc = launch(r, a, &result);
	noise_look(&r->noise, &after);
	struct judge_facts facts = facts_of(r, a);
	json_t *row = judge_row(&facts);
	if (rc) {
		snprintf(why, sizeof why, "%s: cannot be started: %s", r->program, strerror(-rc));
		judge_unrun(row, "FAILED", why);
	} else if (result.interrupted) {
		json_decref(row);
		row = NULL;
	} else {
		json_t *evidence = judge_read_evidence(a->evidence, why, sizeof why);
		noise_judge(&r->noise, &before, &after, &result.usage, &noise, &taint);
		judge_result(row, &facts, &result, evidence, why, noise, taint);
		json_decref(evidence);
		if (json_object_get(row, "why"))
			store_stderr(r, a, &result, row);
	}
	unlink(a->evidence);
	exec_free(&result);
	return row;
}

static int
status_index(const json_t *row)
{
	const char *status = json_string_value(json_object_get(row, "status"));
	int i = 0;

	while (strcmp(runner_status[i], status))
		i++;
	return i;
}

static bool
is(const json_t *row, const char *status)
{
	return !strcmp(json_string_value(json_object_get(row, "status")), status);
}

static void
tell_failure(struct runner *r, const struct attempt *a, const json_t *row)
{
	char what[512];

	cell_describe(&r->cells->cell[a->cell], what, sizeof what);
	progress_note(&r->progress, "%s: %s round %ld: %s", json_string_value(json_object_get(row, "status")), what,
	              a->round + 1, json_string_value(json_object_get(row, "why")));
	if (r->bad_command || !a->command)
		return;
	r->bad_cell = a->cell;
	r->bad_command = strdup(a->command);
}

static int
store(struct runner *r, const struct attempt *a, const json_t *row)
{
	int rc = rows_log_append(r->log, row, r->error, sizeof r->error);

	if (rc)
		return rc;
	past_take(r->past, row);
	r->ran++;
	r->by_status[status_index(row)]++;
	bool good = is(row, "OK") || is(row, "TAINTED");
	r->failures[a->cell] = good ? 0 : r->failures[a->cell] + 1;
	if (!good && !is(row, "SKIPPED")) {
		r->progress.failed++;
		tell_failure(r, a, row);
	}
	return 0;
}

static int
skip(struct runner *r, struct attempt *a)
{
	struct judge_facts facts = facts_of(r, a);
	json_t *row = judge_row(&facts);

	judge_unrun(row, "SKIPPED", "this cell failed several times in a row");
	int rc = store(r, a, row);
	json_decref(row);
	return rc;
}

// Faster than its processors allow, by the CPU time that the same work was seen to take: most often it is that figure which was taken
// in a bad moment of the machine. Then the repetition is no evidence of a fault yet, but of noise; one that repeats it is.
static void
doubt_speed(json_t *row)
{
	const char *why = json_string_value(json_object_get(row, "why"));

	if (!is(row, "INVALID") || !why || strncmp(why, JUDGE_LAW_OF_SPEED, strlen(JUDGE_LAW_OF_SPEED)) != 0)
		return;
	json_object_set_new(row, "status", json_string("TAINTED"));
	json_object_set_new(row, "taint", json_pack("[s]", JUDGE_LAW_OF_SPEED));
}

// One repetition, again when it is tainted and there are retries left.
static int
repeat(struct runner *r, struct attempt *a)
{
	int rc = 0;
	bool again = true;

	for (a->number = 1; !rc && again; a->number++) {
		json_t *row = attempt_row(r, a);
		if (!row) {
			free(a->command);
			return -EINTR;
		}
		bool may_repeat = a->number <= RUNNER_RETRIES && r->retries_left > 0;

		if (may_repeat)
			doubt_speed(row);
		again = is(row, "TAINTED") && may_repeat;
		r->retries_left -= again;
		rc = store(r, a, row);
		r->progress.tainted += is(row, "TAINTED") && !again;
		json_decref(row);
		free(a->command);
		a->command = NULL;
	}
	return rc;
}

// ---- Rounds ----------------------------------------------------------------------------------------------------------

static bool
wanted(const struct runner *r, int cell, long round)
{
	if (round >= r->cells->cell[cell].rounds)
		return false;
	enum rep_state s = past_state(r->past, cell, round);
	return s == REP_TODO || (s == REP_FAILED && r->retry_failed);
}

static int
run_cell(struct runner *r, int cell, long round, int order)
{
	struct attempt a = { .cell = cell, .round = round, .order = order };
	char what[512];
	int rc;

	if (!wanted(r, cell, round))
		return 0;
	if (interrupted())
		return -EINTR;
	cell_describe(&r->cells->cell[cell], what, sizeof what);
	progress_show(&r->progress, what, estimate_left_ns(r->past, r->retry_failed));
	if (r->failures[cell] >= RUNNER_GIVE_UP)
		rc = skip(r, &a);
	else
		rc = repeat(r, &a);
	if (!rc)
		r->progress.done++;
	return rc;
}

static int
run_block(struct runner *r, int block, long round)
{
	const struct block *b = &r->cells->block[block];
	int *order = malloc((size_t)b->n * sizeof *order);
	long before = r->ran;
	int rc = order ? 0 : -ENOMEM;

	if (!rc)
		order_latin(r->seed, b->name, (int)round, order, b->n);
	for (int i = 0; !rc && i < b->n; i++)
		rc = run_cell(r, b->cells[order[i]], round, i);
	free(order);
	if (!rc && r->ran > before)
		progress_block(&r->progress, b->name, round, estimate_left_ns(r->past, r->retry_failed));
	return rc;
}

// The blocks that share a serial reference, which runs first.
static int
run_group(struct runner *r, int serial, long round)
{
	const struct cells *c = r->cells;
	int own = c->cell[serial].block, n = c->nblocks;
	int *order = malloc((size_t)n * sizeof *order);
	int rc = order ? run_block(r, own, round) : -ENOMEM;

	if (!rc)
		order_shuffle(order_seed(r->seed, c->block[own].name, (uint64_t)round), order, n);
	for (int i = 0; !rc && i < n; i++)
		if (c->block[order[i]].serial == serial && order[i] != own)
			rc = run_block(r, order[i], round);
	free(order);
	return rc;
}

static int
run_round(struct runner *r, long round)
{
	const struct cells *c = r->cells;
	int *order = malloc((size_t)c->n * sizeof *order);
	int rc = order ? 0 : -ENOMEM;

	if (!rc)
		order_shuffle(order_seed(r->seed, "workloads", (uint64_t)round), order, c->n);
	for (int i = 0; !rc && i < c->n; i++)
		if (c->cell[order[i]].serial == order[i])
			rc = run_group(r, order[i], round);
	free(order);
	return rc;
}

int
runner_run(struct runner *r)
{
	long rounds = 0, total = past_total(r->past), todo = past_count(r->past, REP_TODO);
	int rc = noise_init(&r->noise);

	r->bad_cell = -1;
	manifest_host(r->machine, sizeof r->machine);
	r->environment = command_environment();
	r->failures = calloc((size_t)r->cells->n, sizeof *r->failures);
	if (!rc && !r->failures)
		rc = -ENOMEM;
	if (r->retry_failed)
		todo += past_count(r->past, REP_FAILED);
	r->retries_left = todo * RUNNER_RETRY_PERCENT / 100 + RUNNER_RETRIES;
	for (int i = 0; i < r->cells->n; i++)
		rounds = r->cells->cell[i].rounds > rounds ? r->cells->cell[i].rounds : rounds;
	progress_begin(&r->progress, total - todo, total);
	if (!rc && todo)
		noise_probe(&r->noise);
	for (long round = 0; !rc && round < rounds; round++)
		rc = run_round(r, round);
	progress_end(&r->progress);
	if (rc && !r->error[0])
		snprintf(r->error, sizeof r->error, "%s", strerror(-rc));
	return rc;
}

void
runner_free(struct runner *r)
{
	free(r->environment);
	free(r->failures);
	free(r->bad_command);
}
