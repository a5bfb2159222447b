// SPDX-License-Identifier: MIT
// cmd_run.c: mnlab run FILE: opens the results folder, runs what is not yet there, tells how it went.
//
// Running is always resuming: a repetition whose row is stored is not run again. What may not be mixed (another machine,
// another binary) is refused, and --force moves the old results aside; nothing is ever deleted.
#include "experiments/mnlab/command.h"
#include "experiments/mnlab/estimate.h"
#include "experiments/mnlab/folder.h"
#include "experiments/mnlab/interrupt.h"
#include "experiments/mnlab/manifest.h"
#include "experiments/mnlab/mnlab.h"
#include "experiments/mnlab/rows.h"
#include "experiments/mnlab/runner.h"
#include "experiments/mnlab/setup.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

struct run {
	struct setup_request q;
	long seed; // 0: the folder's, the matrix's, or a new one
	bool retry_failed, force;
	int argc;
	char **argv;

	struct setup s;
	int lock;
	struct rows_log log;
	struct past past;
	json_t *manifest;
};

enum { KEY_SEED = 0x100, KEY_ROUNDS, KEY_TIMEOUT, KEY_RETRY, KEY_FORCE };

static const struct argp_option options[] = {
	{ "out", 'o', "DIR", 0, "Results folder (results/NAME)", 0 },
	{ "seed", KEY_SEED, "N", 0, "Seed of all orders and schedulers, for a new results folder", 0 },
	{ "rounds", KEY_ROUNDS, "N", 0, "Rounds, in place of what the matrix says", 0 },
	{ "timeout", KEY_TIMEOUT, "S", 0, "Time limit of a repetition in seconds, in place of what the matrix says",
	  0 },
	{ "retry-failed", KEY_RETRY, NULL, 0, "Run failed repetitions again", 0 },
	{ "force", KEY_FORCE, NULL, 0, "Start afresh: move what the results folder holds into a folder old-N in it",
	  0 },
	{ 0 },
};

static error_t
take_number(long *field, const char *name, const char *arg, long max)
{
	*field = setup_number("mnlab run", name, arg, 1, max);
	return *field < 0 ? EINVAL : 0;
}

static error_t
take(int key, char *arg, struct argp_state *state)
{
	struct run *r = state->input;

	switch (key) {
	case 'o':
		r->q.out = arg;
		return 0;
	case KEY_SEED:
		return take_number(&r->seed, "seed", arg, INT64_MAX);
	case KEY_ROUNDS:
		return take_number(&r->q.rounds, "rounds", arg, 10000);
	case KEY_TIMEOUT:
		return take_number(&r->q.timeout_s, "timeout", arg, 86400);
	case KEY_RETRY:
		r->retry_failed = true;
		return 0;
	case KEY_FORCE:
		r->force = true;
		return 0;
	case ARGP_KEY_ARG:
		if (r->q.file)
			argp_error(state, "one matrix file at a time, \"%s\" is the second", arg);
		r->q.file = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "a matrix file is missing");
		return EINVAL;
	}
	return ARGP_ERR_UNKNOWN;
}

static int
refuse(int code, const char *text)
{
	fprintf(stderr, "%s\n", text);
	return code;
}

// ---- The folder ------------------------------------------------------------------------------------------------------

static int
set_aside(struct run *r)
{
	char aside[4200], err[4600];

	if (folder_set_aside(r->s.dir, aside, sizeof aside, err, sizeof err))
		return refuse(MNLAB_USAGE, err);
	fprintf(stderr, "The old results are now in %s.\n", aside);
	return MNLAB_OK;
}

static bool
has(const struct run *r, const char *name)
{
	char path[4200];

	snprintf(path, sizeof path, "%s/%s", r->s.dir, name);
	return !access(path, F_OK);
}

// Reads what is there. *old and *rows stay NULL in a new folder.
static int
load_old(struct run *r, json_t **old, json_t **rows)
{
	char err[4600], why[512];

	if (r->force && (has(r, "manifest.json") || has(r, "rows.jsonl"))) {
		int code = set_aside(r);
		if (code)
			return code;
	}
	if (!has(r, "manifest.json")) {
		if (!has(r, "rows.jsonl"))
			return MNLAB_OK;
		fprintf(stderr,
		        "%s: rows.jsonl without manifest.json: nobody knows what made it; --force moves it aside\n",
		        r->s.dir);
		return MNLAB_BAD_DATA;
	}
	if (rows_load(r->s.dir, rows, old, err, sizeof err))
		return refuse(MNLAB_BAD_DATA, err);
	if (!manifest_accepts(*old, r->s.binary, why, sizeof why))
		return MNLAB_OK;
	fprintf(stderr, "%s holds results of %s; choose another --out, or move these aside with --force\n", r->s.dir,
	        why);
	json_decref(*old);
	json_decref(*rows);
	*old = *rows = NULL;
	return MNLAB_USAGE;
}

static int
choose_seed(struct run *r, const json_t *old, uint64_t *seed)
{
	json_int_t before = json_integer_value(json_object_get(old, "seed"));

	if (before > 0 && r->seed && r->seed != before) {
		fprintf(stderr, "%s was begun with seed %lld; choose another --out, or move it aside with --force\n",
		        r->s.dir, (long long)before);
		return MNLAB_USAGE;
	}
	*seed = before > 0 ? (uint64_t)before : r->seed ? (uint64_t)r->seed : r->s.matrix.seed;
	while (!*seed) {
		if (getrandom(seed, sizeof *seed, 0) != (ssize_t)sizeof *seed)
			return refuse(MNLAB_FAILED, "mnlab run: no random seed to be had; give one with --seed");
		*seed >>= 1; // JSON's whole numbers are signed
	}
	return MNLAB_OK;
}

static int
choose_rate(const struct run *r, const json_t *old, double *rate)
{
	char err[1024];

	*rate = json_number_value(json_object_get(old, "rate"));
	if (*rate > 0)
		return MNLAB_OK;
	int rc = runner_calibrate(r->s.program, rate, err, sizeof err);
	if (rc == -EINTR)
		return MNLAB_INTERRUPTED;
	return rc ? refuse(MNLAB_USAGE, err) : MNLAB_OK;
}

static int
write_manifest(struct run *r, const json_t *old, struct runner *runner)
{
	struct manifest_facts facts = {
		.matrix = &r->s.matrix, .binary = r->s.binary, .argc = r->argc, .argv = r->argv
	};
	char err[4600];
	int code = choose_seed(r, old, &facts.seed);

	if (!code)
		code = choose_rate(r, old, &facts.rate);
	if (code)
		return code;
	r->manifest = manifest_make(&facts);
	if (old)
		manifest_continue(r->manifest, old);
	runner->seed = facts.seed;
	runner->rate = facts.rate;
	return manifest_write(r->manifest, r->s.dir, err, sizeof err) ? refuse(MNLAB_USAGE, err) : MNLAB_OK;
}

// Everything between the folder's lock and the first repetition.
static int
open_folder(struct run *r, struct runner *runner)
{
	json_t *old = NULL, *rows = NULL;
	char err[4600];
	int code;

	if (folder_make(r->s.dir, err, sizeof err) || (r->lock = folder_lock(r->s.dir, err, sizeof err)) < 0)
		return refuse(MNLAB_USAGE, err);
	if ((code = load_old(r, &old, &rows)))
		return code;
	if (past_init(&r->past, &r->s.cells))
		code = refuse(MNLAB_FAILED, "mnlab run: out of memory");
	else
		past_take_all(&r->past, rows);
	if (!code)
		code = write_manifest(r, old, runner);
	if (!code && rows_log_open(&r->log, r->s.dir, err, sizeof err))
		code = refuse(MNLAB_USAGE, err);
	if (!code && r->log.cut)
		fprintf(stderr, "%s: cut off a torn last line of %zu bytes; its repetition runs again\n", r->log.path,
		        r->log.cut);
	json_decref(old);
	json_decref(rows);
	return code;
}

// ---- Telling ---------------------------------------------------------------------------------------------------------

static void
announce(const struct run *r)
{
	long total = past_total(&r->past), todo = past_count(&r->past, REP_TODO);
	long failed = past_count(&r->past, REP_FAILED), done = total - todo - failed;
	char left[64];

	printf("%s: %d cells, %ld repetitions in %s\n", r->q.file, r->s.cells.n, total, r->s.dir);
	if (done || failed)
		printf("%ld of %ld repetitions already done\n", done, total);
	if (failed)
		printf("%ld failed before%s\n", failed,
		       r->retry_failed ? " and run again" : "; --retry-failed runs them again");
	if (r->retry_failed)
		todo += failed;
	estimate_text(estimate_left_ns(&r->past, r->retry_failed), left, sizeof left);
	if (todo)
		printf("%ld to run, about %s\n", todo, left);
	else
		printf("nothing left to run\n");
	fflush(stdout);
}

static void
summarize(const struct run *r, const struct runner *runner)
{
	long passed = past_count(&r->past, REP_OK), tainted = past_count(&r->past, REP_TAINTED);
	long failed = past_count(&r->past, REP_FAILED);

	printf("%ld run now", runner->ran);
	for (int i = 2; runner_status[i]; i++)
		if (runner->by_status[i])
			printf(", %ld %s", runner->by_status[i], runner_status[i]);
	printf("\n%ld passed, %ld failed", passed + tainted, failed);
	if (tainted)
		printf("; %ld of those passed are TAINTED: something else used the machine (see noise and taint in the "
		       "rows)",
		       tainted);
	printf("\n");
	if (runner->bad_command)
		printf("To repeat the first that failed:\n  %s\n", runner->bad_command);
	if (failed)
		printf("To run the failed ones again:\n  mnlab run %s --out %s --retry-failed\n", r->q.file, r->s.dir);
}

static int
run_all(struct run *r, struct runner *runner)
{
	announce(r);
	int rc = runner_run(runner);
	if (rc == -EINTR) {
		printf("interrupted: %ld of %ld repetitions are stored; the same command goes on from there\n",
		       past_total(&r->past) - past_count(&r->past, REP_TODO), past_total(&r->past));
		return MNLAB_INTERRUPTED;
	}
	if (rc) {
		fprintf(stderr, "%s; every row before is safe, the same command goes on from there\n", runner->error);
		return MNLAB_USAGE;
	}
	summarize(r, runner);
	return past_count(&r->past, REP_FAILED) ? MNLAB_FAILED : MNLAB_OK;
}

int
cmd_run(int argc, char **argv)
{
	static const struct argp argp = {
		options,
		take,
		"FILE",
		"Runs the repetitions of a matrix that are not yet stored, one process each. Killing it at any moment "
		"loses "
		"at most the repetition that was running; the same command goes on from there.",
		NULL,
		NULL,
		NULL
	};
	struct run r = { .q = { .need_program = true }, .argc = argc, .argv = argv, .lock = -1, .log = { .fd = -1 } };

	argp_err_exit_status = MNLAB_USAGE;
	if (argp_parse(&argp, argc, argv, 0, NULL, &r))
		return MNLAB_USAGE;
	int code = setup_open(&r.s, &r.q);
	if (code)
		return code;
	struct runner runner = {
		.cells = &r.s.cells,
		.past = &r.past,
		.log = &r.log,
		.dir = r.s.dir,
		.program = r.s.program,
		.retry_failed = r.retry_failed,
		.pus = r.s.machine.pus,
	};
	interrupt_init();
	code = open_folder(&r, &runner);
	if (!code)
		code = run_all(&r, &runner);
	runner_free(&runner);
	rows_log_close(&r.log);
	json_decref(r.manifest);
	past_free(&r.past);
	if (r.lock >= 0)
		close(r.lock);
	setup_close(&r.s);
	return code;
}
