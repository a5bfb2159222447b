// SPDX-License-Identifier: MIT
// past.c: a table of cells x rounds, filled from rows.
//
// Rows are found by cell id, and the id contains the binary: what another binary measured is not known here. Only the
// durations of blocks, which serve the estimate of time alone, are taken from any row with that block's name.
#include "experiments/mnlab/past.h"

#include "experiments/mnlab/judge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int
compare_ids(const void *a, const void *b, void *cells)
{
	const struct cell *c = ((const struct cells *)cells)->cell;

	return strcmp(c[*(const int *)a].id, c[*(const int *)b].id);
}

int
past_init(struct past *p, const struct cells *c)
{
	size_t n = 0;

	*p = (struct past){ .cells = c };
	p->first = calloc((size_t)c->n + 1, sizeof *p->first);
	for (int i = 0; p->first && i < c->n; i++) {
		p->first[i] = n;
		n += (size_t)c->cell[i].rounds;
		p->first[i + 1] = n;
	}
	p->by_id = calloc((size_t)c->n + 1, sizeof *p->by_id);
	for (int i = 0; p->by_id && i < c->n; i++)
		p->by_id[i] = i;
	if (p->by_id)
		qsort_r(p->by_id, (size_t)c->n, sizeof *p->by_id, compare_ids, (void *)c);
	p->state = calloc(n + 1, sizeof *p->state);
	p->wall_ns = calloc(n + 1, sizeof *p->wall_ns);
	p->best_cpu_ns = calloc((size_t)c->n + 1, sizeof *p->best_cpu_ns);
	p->elapsed_ns = calloc((size_t)c->nblocks + 1, sizeof *p->elapsed_ns);
	p->timed = calloc((size_t)c->nblocks + 1, sizeof *p->timed);
	if (p->first && p->by_id && p->state && p->wall_ns && p->best_cpu_ns && p->elapsed_ns && p->timed)
		return 0;
	past_free(p);
	return -ENOMEM;
}

void
past_free(struct past *p)
{
	free(p->first);
	free(p->by_id);
	free(p->state);
	free(p->wall_ns);
	free(p->best_cpu_ns);
	free(p->elapsed_ns);
	free(p->timed);
	*p = (struct past){ 0 };
}

static int
find_cell(const struct past *p, const char *id)
{
	int low = 0, high = id ? p->cells->n : 0;

	while (low < high) {
		int middle = (low + high) / 2;
		int side = strcmp(id, p->cells->cell[p->by_id[middle]].id);
		if (side == 0)
			return p->by_id[middle];
		if (side < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return -1;
}

static int
find_block(const struct past *p, const char *name)
{
	for (int i = 0; name && i < p->cells->nblocks; i++)
		if (!strcmp(p->cells->block[i].name, name))
			return i;
	return -1;
}

static void
take_duration(struct past *p, const json_t *row)
{
	int block = find_block(p, json_string_value(json_object_get(row, "block")));
	double elapsed = json_number_value(json_object_get(row, "elapsed_ns"));

	if (block < 0 || elapsed <= 0)
		return;
	p->timed[block]++;
	p->elapsed_ns[block] += (elapsed - p->elapsed_ns[block]) / (double)p->timed[block];
}

// Too fast to be true, and to be repeated for that (judge.h): it settles nothing.
static bool
doubted(const json_t *row)
{
	const char *taint = json_string_value(json_array_get(json_object_get(row, "taint"), 0));

	return taint && !strcmp(taint, JUDGE_LAW_OF_SPEED);
}

static enum rep_state
state_of(const json_t *row)
{
	const char *status = json_string_value(json_object_get(row, "status"));

	if (status && !strcmp(status, "OK"))
		return REP_OK;
	if (doubted(row))
		return REP_TODO;
	return status && !strcmp(status, "TAINTED") ? REP_TAINTED : REP_FAILED;
}

void
past_take(struct past *p, const json_t *row)
{
	int cell = find_cell(p, json_string_value(json_object_get(row, "cell")));
	json_int_t round = json_integer_value(json_object_get(row, "round"));
	json_int_t cpu = json_integer_value(json_object_get(row, "cpu_ns"));
	enum rep_state state = state_of(row);

	take_duration(p, row);
	if (cell < 0 || round < 0 || round >= p->cells->cell[cell].rounds)
		return;
	size_t at = p->first[cell] + (size_t)round;
	if (state < p->state[at])
		return;
	p->state[at] = (unsigned char)state;
	if (state <= REP_FAILED)
		return;
	p->wall_ns[at] = json_integer_value(json_object_get(row, "wall_ns"));
	if (cpu > 0 && (!p->best_cpu_ns[cell] || cpu < p->best_cpu_ns[cell]))
		p->best_cpu_ns[cell] = cpu;
}

void
past_take_all(struct past *p, const json_t *rows)
{
	size_t i;
	json_t *row;

	json_array_foreach(rows, i, row) past_take(p, row);
}

enum rep_state
past_state(const struct past *p, int cell, long round)
{
	return (enum rep_state)p->state[p->first[cell] + (size_t)round];
}

int64_t
past_wall_ns(const struct past *p, int cell, long round)
{
	return round < p->cells->cell[cell].rounds ? p->wall_ns[p->first[cell] + (size_t)round] : 0;
}

int64_t
past_least_cpu_ns(const struct past *p, int cell)
{
	int64_t least = 0;

	for (int i = 0; i < p->cells->n; i++) {
		int64_t cpu = p->best_cpu_ns[i];
		bool same_work = p->cells->cell[i].serial == p->cells->cell[cell].serial;
		if (i != cell && same_work && cpu && (!least || cpu < least))
			least = cpu;
	}
	return least;
}

long
past_total(const struct past *p)
{
	return (long)p->first[p->cells->n];
}

long
past_count(const struct past *p, enum rep_state state)
{
	long n = 0;

	for (long i = 0; i < past_total(p); i++)
		n += p->state[i] == state;
	return n;
}
