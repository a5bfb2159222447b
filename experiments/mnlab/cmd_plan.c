// SPDX-License-Identifier: MIT
// cmd_plan.c: mnlab plan FILE: what a matrix would run, and how long that would take. Runs nothing, writes nothing.
#include "experiments/mnlab/estimate.h"
#include "experiments/mnlab/manifest.h"
#include "experiments/mnlab/mnlab.h"
#include "experiments/mnlab/rows.h"
#include "experiments/mnlab/setup.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct plan {
	struct setup_request q;
	bool cells;
};

enum { KEY_ROUNDS = 0x100, KEY_CELLS };

static const struct argp_option options[] = {
	{ "out", 'o', "DIR", 0, "Results folder whose stored rows count (results/NAME)", 0 },
	{ "rounds", KEY_ROUNDS, "N", 0, "Rounds, in place of what the matrix says", 0 },
	{ "cells", KEY_CELLS, NULL, 0, "List every cell, too", 0 },
	{ 0 },
};

static error_t
take(int key, char *arg, struct argp_state *state)
{
	struct plan *p = state->input;

	switch (key) {
	case 'o':
		p->q.out = arg;
		return 0;
	case KEY_ROUNDS:
		p->q.rounds = setup_number("mnlab plan", "rounds", arg, 1, 10000);
		return p->q.rounds < 0 ? EINVAL : 0;
	case KEY_CELLS:
		p->cells = true;
		return 0;
	case ARGP_KEY_ARG:
		if (p->q.file)
			argp_error(state, "one matrix file at a time, \"%s\" is the second", arg);
		p->q.file = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "a matrix file is missing");
		return EINVAL;
	}
	return ARGP_ERR_UNKNOWN;
}

// Stored rows of this machine and binary, when there are some that can be read.
static void
take_stored(struct past *p, const struct setup *s)
{
	json_t *rows, *manifest;
	char err[5000];

	int rc = rows_load(s->dir, &rows, &manifest, err, sizeof err);
	if (rc && rc != -ENOENT)
		printf("The rows in %s do not count: %s.\n", s->dir, err);
	if (rc)
		return;
	if (!manifest_accepts(manifest, s->binary, err, sizeof err))
		past_take_all(p, rows);
	else
		printf("The rows in %s do not count: %s.\n", s->dir, err);
	json_decref(rows);
	json_decref(manifest);
}

static long
block_rounds(const struct cells *c, const struct block *b)
{
	long most = 0;

	for (int i = 0; i < b->n; i++)
		most = c->cell[b->cells[i]].rounds > most ? c->cell[b->cells[i]].rounds : most;
	return most;
}

static void
print_blocks(const struct past *p)
{
	const struct cells *c = p->cells;

	int width = 5;
	for (int i = 0; i < c->nblocks; i++)
		width = (int)strlen(c->block[i].name) > width ? (int)strlen(c->block[i].name) : width;
	printf("%-*s %6s %6s %12s %10s\n", width, "block", "cells", "rounds", "repetitions", "each");
	for (int i = 0; i < c->nblocks; i++) {
		const struct block *b = &c->block[i];
		long reps = 0;
		for (int k = 0; k < b->n; k++)
			reps += c->cell[b->cells[k]].rounds;
		printf("%-*s %6d %6ld %12ld %7.0f ms\n", width, b->name, b->n, block_rounds(c, b), reps,
		       estimate_block_ns(p, i) / 1e6);
	}
}

static void
print_cells(const struct cells *c)
{
	char text[1024];

	for (int i = 0; i < c->n; i++) {
		cell_describe(&c->cell[i], text, sizeof text);
		printf("%s  %3ld rounds  %s\n", c->cell[i].id, c->cell[i].rounds, text);
	}
}

static void
print_plan(const struct setup *s, const struct past *p, bool cells)
{
	long total = past_total(p), todo = past_count(p, REP_TODO), failed = past_count(p, REP_FAILED);
	char left[64];

	print_blocks(p);
	if (cells)
		print_cells(&s->cells);
	estimate_text(estimate_left_ns(p, false), left, sizeof left);
	printf("\n%ld combinations: %ld excluded, %ld without an effect of their own (they share a cell's rows).\n",
	       s->cells.asked, s->cells.excluded, s->cells.collapsed);
	printf("%d cells in %d blocks, %ld repetitions; %ld done, %ld failed, %ld to run, about %s.\n", s->cells.n,
	       s->cells.nblocks, total, past_count(p, REP_OK) + past_count(p, REP_TAINTED), failed, todo, left);
	printf("This machine: %d processors, %d cores. Results go to %s.\n", s->machine.pus, s->machine.cores, s->dir);
}

int
cmd_plan(int argc, char **argv)
{
	static const struct argp argp = {
		options, take, "FILE", "Shows the cells, repetitions and expected duration of a matrix. Runs nothing.",
		NULL,    NULL, NULL
	};
	struct plan plan = { .cells = false };
	struct setup s;
	struct past past;

	argp_err_exit_status = MNLAB_USAGE;
	if (argp_parse(&argp, argc, argv, 0, NULL, &plan))
		return MNLAB_USAGE;
	int code = setup_open(&s, &plan.q);
	if (code)
		return code;
	if (past_init(&past, &s.cells)) {
		fprintf(stderr, "mnlab plan: out of memory\n");
		code = MNLAB_FAILED;
	} else {
		take_stored(&past, &s);
		print_plan(&s, &past, plan.cells);
		past_free(&past);
	}
	setup_close(&s);
	return code;
}
