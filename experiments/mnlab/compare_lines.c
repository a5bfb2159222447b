// SPDX-License-Identifier: MIT
// compare_lines.c: the blocks of the table: a heading with the keys that tell a block from the others, a line a value.
//
// Columns are padded before attributes go around them, so that colour never moves a column.
#include "experiments/mnlab/compare_text.h"

#include <math.h>
#include <string.h>

enum { CELL_MAX = 64 };

struct unit {
	const char *name;
	double ns;
	int decimals;
};

// One unit and precision for a whole block, by its base: four figures.
static struct unit
unit_for(double ns)
{
	static const struct unit units[] = { { "s", 1e9, 0 }, { "ms", 1e6, 0 }, { "us", 1e3, 0 }, { "ns", 1, 0 } };
	struct unit u = units[3];

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (ns >= units[i].ns) {
			u = units[i];
			break;
		}
	u.decimals = ns / u.ns >= 100 ? 1 : ns / u.ns >= 10 ? 2 : 3;
	return u;
}

// "3.4 % slower", or from twice on "2.5 x slower".
static void
difference(char *text, size_t size, double ratio)
{
	const char *word = ratio < 1 ? "faster" : "slower";
	double times = ratio < 1 ? 1 / ratio : ratio, percent = 100 * fabs(ratio - 1);

	if (times >= 2)
		snprintf(text, size, "%.1f x %s", times, word);
	else
		snprintf(text, size, "%.*f %% %s", percent < 0.1 ? 2 : 1, percent, word);
}

static bool
outlives_holm(const struct out *o, const struct cmp_line *l)
{
	return l->p_holm <= 1 - o->c->level;
}

static enum style
verdict_style(const struct out *o, const struct cmp_line *l)
{
	if (l->verdict == CMP_BETTER)
		return outlives_holm(o, l) ? GREEN_BOLD : GREEN;
	if (l->verdict == CMP_WORSE)
		return outlives_holm(o, l) ? RED_BOLD : RED;
	return DIM;
}

static void
verdict_text(struct out *o, const struct cmp_line *l, char *text, size_t size)
{
	char much[32];

	switch (l->verdict) {
	case CMP_BETTER:
	case CMP_WORSE:
		difference(much, sizeof(much), l->ratio.ratio);
		o->star |= outlives_holm(o, l);
		o->doubtful += !outlives_holm(o, l);
		snprintf(text, size, "%s: %s%s", cmp_verdict_word(l->verdict), much, outlives_holm(o, l) ? " *" : "");
		break;
	case CMP_CANNOT_TELL:
		snprintf(text, size, "cannot tell (n < %zu)", stats_interval_min_n(o->c->level));
		break;
	default:
		snprintf(text, size, "%s", l->verdict == CMP_BASE ? "" : cmp_verdict_word(l->verdict));
	}
}

static void
put_ratio(const struct out *o, const struct cmp_line *l)
{
	char interval[CELL_MAX] = "";

	if (l->verdict == CMP_BASE || l->verdict == CMP_SAME || !l->ratio.n) {
		out_put(o, PLAIN, " %7s  %-16s", l->verdict == CMP_BASE ? "1" : "-", "");
		return;
	}
	if (l->ratio.interval.rank)
		snprintf(interval, sizeof(interval), "[%.3f, %.3f]", l->ratio.interval.low, l->ratio.interval.high);
	out_put(o, PLAIN, " %7.3f  %-16s", l->ratio.ratio, interval);
}

static void
put_figure(const struct out *o, int width, double x, int decimals, const char *unit)
{
	if (isnan(x))
		out_put(o, DIM, "%*s", width, "-");
	else
		out_put(o, PLAIN, "%*.*f%s", width - (int)strlen(unit), decimals, x, unit);
}

static void
put_evidence(const struct out *o, const struct cmp_evidence *e)
{
	put_figure(o, 11, e->steals_per_task, 4, "");
	put_figure(o, 8, 100 * e->raced, 1, " %");
	put_figure(o, 8, e->spills, 1, "");
	put_figure(o, 8, 100 * e->idle, 1, " %");
}

static void
put_line(struct out *o, const struct cmp_block *b, const struct cmp_line *l, struct unit unit)
{
	char verdict[CELL_MAX], name[CELL_MAX];
	size_t n = l->ratio.n ? l->ratio.n : l->config->n;

	o->reused |= l->reused && l->verdict != CMP_SAME;
	snprintf(name, sizeof(name), "%s%s", o->c->value[l->value], l->reused && l->verdict != CMP_SAME ? "'" : "");
	verdict_text(o, l, verdict, sizeof(verdict));
	out_put(o, l == &b->line[b->base] ? BOLD : PLAIN, "  %-*.*s", o->name_width, o->name_width, name);
	out_put(o, PLAIN, " %4zu %8.*f %-2s", n, unit.decimals, l->median / unit.ns, unit.name);
	put_ratio(o, l);
	out_put(o, verdict_style(o, l), "  %-26s", verdict);
	put_evidence(o, &l->evidence);
	fputc('\n', o->f);
}

static bool
all_equal(const struct cmp_block *b)
{
	for (size_t i = 0; i < b->lines; i++)
		if (b->line[i].verdict == CMP_BETTER || b->line[i].verdict == CMP_WORSE)
			return false;
	return true;
}

static void
put_block(struct out *o, const struct cmp_block *b)
{
	struct unit unit = unit_for(b->line[b->base].median);

	if (!out_may_show(o, b) || (!o->q->all && o->hide_equal && all_equal(b))) {
		*(b->differs ? &o->hidden : &o->same) += 1;
		return;
	}
	fputc('\n', o->f);
	out_put(o, BOLD, "%s", cmp_workload(o->c, b));
	out_keys(o, b, true, BOLD);
	fputc('\n', o->f);
	for (size_t i = 0; i < b->lines; i++)
		put_line(o, b, &b->line[i], unit);
}

void
out_blocks(struct out *o)
{
	out_put(o, BOLD, "\n  %-*s    n %11s %7s  %-16s  %-26s%11s%8s%8s%8s\n", o->name_width, out_factor(o), "median",
	        "ratio", "[interval]", "verdict", "steals/task", "raced", "spills", "idle");
	for (size_t b = 0; b < o->c->blocks; b++)
		put_block(o, &o->c->block[b]);
}
