// SPDX-License-Identifier: MIT
// compare_evidence.c: figures for the reader's "why", and the tally of verdicts. Ratios of sums, not means of ratios: a
// repetition that stole twice in five attempts must not weigh as much as one that stole thousands of times.
#include "experiments/mnlab/compare_evidence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct sums {
	double tasks, steals, attempts, raced, spills, idle_ns, p_ns;
	size_t rows;
};

static double
number(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

static void
add_row(struct sums *s, const json_t *row)
{
	const json_t *counters = json_object_get(row, "counters");

	if (!json_object_size(counters))
		return;
	s->rows++;
	s->tasks += number(row, "tasks");
	s->steals += number(counters, "steal_ok");
	s->attempts += number(counters, "steal_attempts");
	s->raced += number(counters, "steal_raced");
	s->spills += number(counters, "spills");
	s->idle_ns += number(counters, "idle_ns");
	s->p_ns += number(row, "procs") * number(row, "wall_ns");
}

static double
share(double part, double whole)
{
	return whole > 0 ? part / whole : NAN;
}

void
cmp_evidence_sum(struct cmp_evidence *e, const struct cmp_data *d, const struct cmp_config *c)
{
	struct sums s = { .rows = 0 };

	for (size_t i = 0; i < c->n; i++)
		add_row(&s, d->obs[c->first + i].row);
	e->steals_per_task = share(s.steals, s.tasks);
	e->raced = share(s.raced, s.attempts);
	e->spills = share(s.spills, (double)s.rows);
	e->idle = share(s.idle_ns, s.p_ns);
}

const char *
cmp_workload(const struct cmp *c, const struct cmp_block *b)
{
	return cmp_value(c->data, b->config, 0);
}

static void
add_line(struct cmp_tally *t, const struct cmp_line *l, double level, double *ratios)
{
	t->verdict[l->verdict]++;
	t->holm += (l->verdict == CMP_BETTER || l->verdict == CMP_WORSE) && l->p_holm <= 1 - level;
	if (l->verdict != CMP_BASE && l->verdict != CMP_SAME && l->ratio.n)
		ratios[t->ratios++] = l->ratio.ratio;
}

void
cmp_tally(const struct cmp *c, size_t value, const char *workload, struct cmp_tally *t)
{
	double *ratios = cmp_alloc(c->blocks, sizeof(*ratios));

	*t = (struct cmp_tally){ .median = NAN, .min = NAN, .max = NAN };
	for (size_t b = 0; b < c->blocks; b++) {
		const struct cmp_block *block = &c->block[b];

		if (workload && !cmp_same_text(cmp_workload(c, block), workload))
			continue;
		for (size_t i = 0; i < block->lines; i++)
			if (block->line[i].value == value)
				add_line(t, &block->line[i], c->level, ratios);
	}
	stats_sort(ratios, t->ratios);
	t->median = stats_median(ratios, t->ratios);
	if (t->ratios) {
		t->min = ratios[0];
		t->max = ratios[t->ratios - 1];
	}
	free(ratios);
}
