// SPDX-License-Identifier: MIT
// compare_text.c: the table for people: what is compared, a summary, the blocks (compare_lines.c), and notes on how to
// read it. What all blocks of a workload share is said once, at the top.
#include "experiments/mnlab/compare_text.h"

#include <stdarg.h>
#include <string.h>

#include "sched/mn.h"

enum { MANY_COMPARISONS = 60 };

void
out_put(const struct out *o, enum style style, const char *format, ...)
{
	static const char *const on[] = { "", "1", "2", "32", "31", "1;32", "1;31" };
	bool attributes = o->colour && style != PLAIN;
	va_list args;

	if (attributes)
		fprintf(o->f, "\033[%sm", on[style]);
	va_start(args, format);
	vfprintf(o->f, format, args);
	va_end(args);
	if (attributes)
		fputs("\033[0m", o->f);
}

const char *
out_factor(const struct out *o)
{
	return o->c->data->key[o->c->data->factor].name;
}

bool
out_may_show(const struct out *o, const struct cmp_block *b)
{
	return b->differs || o->q->all;
}

static const char *
base_value(const struct out *o)
{
	return o->c->value[o->c->base];
}

// ---- Keys ----------------------------------------------------------------------------------------------------------

// Does the key vary among the shown blocks of this block's workload?
static bool
tells_apart(const struct out *o, const struct cmp_block *block, size_t key)
{
	const struct cmp *c = o->c;

	for (size_t b = 0; b < c->blocks; b++)
		if (out_may_show(o, &c->block[b]) &&
		    cmp_same_text(cmp_workload(c, &c->block[b]), cmp_workload(c, block)) &&
		    !cmp_same_text(cmp_value(c->data, c->block[b].config, key), cmp_value(c->data, block->config, key)))
			return true;
	return false;
}

// An option at its default, a real machine and the library itself need no mention.
static bool
goes_without_saying(const struct cmp_key *key, const char *value)
{
	if (!strcmp(key->name, "version"))
		return true;
	if (!strcmp(key->name, "sim"))
		return !strcmp(value, "false");
	if (!strcmp(key->name, "runtime"))
		return !strcmp(value, "mn");
	return key->option && key->option->initial && !strcmp(key->option->initial, value);
}

void
out_keys(const struct out *o, const struct cmp_block *block, bool apart, enum style style)
{
	const struct cmp_data *d = o->c->data;

	for (size_t k = 1; k < d->keys; k++) {
		const char *v = cmp_value(d, block->config, k);

		if (k == d->factor || !v || tells_apart(o, block, k) != apart)
			continue;
		if (apart || !goes_without_saying(&d->key[k], v))
			out_put(o, style, " %s=%s", d->key[k].name, v);
	}
}

// ---- Heading and summary -------------------------------------------------------------------------------------------

// Is it the first shown block of its workload? (Blocks stand together by workload.)
static bool
opens_workload(const struct out *o, size_t b)
{
	const struct cmp *c = o->c;

	if (!out_may_show(o, &c->block[b]))
		return false;
	while (b-- > 0 && cmp_same_text(cmp_workload(c, &c->block[b]), cmp_workload(c, &c->block[b + 1])))
		if (out_may_show(o, &c->block[b]))
			return false;
	return true;
}

static void
put_heading(const struct out *o)
{
	out_put(o, BOLD, "%s: %s against %s=%s by %s\n", o->q->dir, out_factor(o), out_factor(o), base_value(o),
	        o->q->metric);
	fprintf(o->f,
	        "ratio = time / time of %s in the same round, median over rounds: below 1 is faster; [%.0f %% "
	        "interval]\n",
	        base_value(o), 100 * o->c->level);
	for (size_t b = 0; b < o->c->blocks; b++) {
		if (!opens_workload(o, b))
			continue;
		out_put(o, PLAIN, "%s:", cmp_workload(o->c, &o->c->block[b]));
		out_keys(o, &o->c->block[b], false, PLAIN);
		fputs(" (other options: default)\n", o->f);
	}
}

static void
put_count(const struct out *o, int width, size_t n, enum style style)
{
	out_put(o, n ? style : DIM, "%*zu", width, n);
}

static void
put_tally(const struct out *o, const char *value, const char *workload, const struct cmp_tally *t)
{
	size_t told = t->verdict[CMP_BETTER] + t->verdict[CMP_WORSE] + t->verdict[CMP_NO_DIFFERENCE];

	out_put(o, BOLD, "  %-*s", o->name_width, value);
	out_put(o, PLAIN, "  %-10s %6zu", workload, told + t->verdict[CMP_CANNOT_TELL]);
	put_count(o, 8, t->verdict[CMP_BETTER], GREEN);
	put_count(o, 7, t->verdict[CMP_WORSE], RED);
	put_count(o, 15, t->verdict[CMP_NO_DIFFERENCE], PLAIN);
	put_count(o, 13, t->verdict[CMP_CANNOT_TELL], PLAIN);
	if (t->ratios)
		out_put(o, PLAIN, "  %12.3f  %.3f .. %.3f", t->median, t->min, t->max);
	fputc('\n', o->f);
}

static void
put_tallies(const struct out *o, size_t value)
{
	const struct cmp *c = o->c;
	struct cmp_tally t;
	size_t workloads = 0;

	for (size_t b = 0; b < c->blocks; b++) {
		if (!opens_workload(o, b))
			continue;
		cmp_tally(c, value, cmp_workload(c, &c->block[b]), &t);
		put_tally(o, workloads ? "" : c->value[value], cmp_workload(c, &c->block[b]), &t);
		workloads++;
	}
	if (workloads < 2)
		return;
	cmp_tally(c, value, NULL, &t);
	put_tally(o, "", "all", &t);
}

static void
put_summary(const struct out *o)
{
	out_put(o, BOLD, "\n  %-*s  %-10s blocks  better  worse  no difference  cannot tell  median ratio  range\n",
	        o->name_width, out_factor(o), "workload");
	for (size_t v = 0; v < o->c->values; v++)
		if (v != o->c->base)
			put_tallies(o, v);
}

// ---- Notes ---------------------------------------------------------------------------------------------------------

static void
put_correction(const struct out *o)
{
	const struct cmp *c = o->c;
	double alpha = 1 - c->level;

	if (c->comparisons)
		fprintf(o->f,
		        "Comparisons: %zu, each right with at least %.0f %%; without any true difference up to %.1f "
		        "would "
		        "look like one.\n",
		        c->comparisons, 100 * c->level, alpha * (double)c->comparisons);
	if (o->star)
		fputs("* holds for the table as a whole too (Holm's correction of the sign test).\n", o->f);
	if (o->doubtful)
		fprintf(o->f,
		        "Verdicts without *: %zu; to earn it in a table of this size takes at least %zu rounds.\n",
		        o->doubtful, stats_holm_min_n(c->comparisons, alpha));
	if (c->hopeless)
		fprintf(o->f, "Comparisons of fewer than %zu common rounds, too few for an interval: %zu.\n",
		        stats_interval_min_n(c->level), c->hopeless);
}

static void
put_notes(const struct out *o)
{
	const struct cmp *c = o->c;

	fputc('\n', o->f);
	put_correction(o);
	if (o->reused)
		fputs("' measured under another name of the same cell, which differs in a factor without effect "
		      "only.\n",
		      o->f);
	if (o->hidden)
		fprintf(o->f, "Blocks without any difference, not shown: %zu (--all shows them).\n", o->hidden);
	if (o->same)
		fprintf(o->f,
		        "Blocks in which %s has no effect, all its values being one cell: %zu (--all shows them).\n",
		        out_factor(o), o->same);
	if (c->alone)
		fprintf(o->f, "Blocks without rows of %s=%s, or with no others, left out: %zu.\n", out_factor(o),
		        base_value(o), c->alone);
	if (c->data->tainted)
		fprintf(o->f, "TAINTED repetitions (the machine was disturbed): %zu, %s.\n", c->data->tainted,
		        o->q->tainted ? "which count (--tainted)" : "left out (--tainted lets them in)");
	if (c->data->failed)
		fprintf(o->f, "Failed repetitions, left out: %zu.\n", c->data->failed);
}

static int
widest_value(const struct cmp *c, const char *heading)
{
	size_t width = strlen(heading);

	for (size_t v = 0; v < c->values; v++)
		if (strlen(c->value[v]) + 1 > width)
			width = strlen(c->value[v]) + 1;
	return width > 16 ? 16 : (int)width;
}

void
cmp_print(FILE *f, const struct cmp *c, const struct cmp_request *q, bool colour)
{
	struct out o = { .f = f, .colour = colour, .c = c, .q = q };

	o.name_width = widest_value(c, out_factor(&o));
	o.hide_equal = c->comparisons > MANY_COMPARISONS;
	put_heading(&o);
	put_summary(&o);
	out_blocks(&o);
	put_notes(&o);
}
