// SPDX-License-Identifier: MIT
// compare_blocks.c: see compare_blocks.h.
#include "experiments/mnlab/compare_blocks.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/mnlab/compare_alias.h"
#include "experiments/mnlab/compare_evidence.h"
#include "sched/mn.h"

const char *
cmp_verdict_word(enum cmp_verdict v)
{
	static const char *const words[] = { "base",        "better",
		                             "worse",       "no difference beyond noise",
		                             "cannot tell", "same by definition" };

	return words[v];
}

// ---- The base value ------------------------------------------------------------------------------------------------

static size_t
find_value(const struct cmp *c, const char *text)
{
	size_t i = 0;

	while (i < c->values && !cmp_same_text(c->value[i], text))
		i++;
	return i;
}

// What the scheduler does when it is not told otherwise.
static const char *
usual(const struct cmp_key *key)
{
	if (key->option)
		return key->option->initial;
	return strcmp(key->name, "runtime") ? "" : "mn";
}

static size_t
most_frequent(const struct cmp *c)
{
	size_t best = 0, best_count = 0;

	for (size_t i = 0; i < c->values; i++) {
		size_t count = 0;

		for (size_t o = 0; o < c->data->n; o++) {
			const char *v = c->data->obs[o].value[c->data->factor];

			count += v && !strcmp(v, c->value[i]);
		}
		if (count > best_count) {
			best = i;
			best_count = count;
		}
	}
	return best;
}

static int
choose_base(struct cmp *c, const struct cmp_request *q, char *err, size_t size)
{
	int used;

	c->base = find_value(c, q->base ? q->base : usual(&c->data->key[c->data->factor]));
	if (c->base < c->values)
		return 0;
	if (!q->base) {
		c->base = most_frequent(c);
		return 0;
	}
	used = snprintf(err, size, "%s: no rows with %s=%s; there are:", q->dir, q->factor, q->base);
	for (size_t i = 0; i < c->values && used > 0 && (size_t)used < size; i++)
		used += snprintf(err + used, size - (size_t)used, " %s", c->value[i]);
	return -EINVAL;
}

// ---- One line ------------------------------------------------------------------------------------------------------

static void
describe(struct cmp_line *l, const struct cmp_data *d, double level)
{
	double *time = cmp_alloc(l->config->n, sizeof(*time));

	for (size_t i = 0; i < l->config->n; i++)
		time[i] = d->obs[l->config->first + i].time;
	stats_sort(time, l->config->n);
	l->median = stats_median(time, l->config->n);
	stats_median_interval(time, l->config->n, level, &l->interval);
	cmp_evidence_sum(&l->evidence, d, l->config);
	free(time);
}

// Only rounds of the same machine and program are pairs. The order in which find_configs left the repetitions.
static int
round_order(const struct cmp_obs *a, const struct cmp_obs *b)
{
	int order = strcmp(a->machine, b->machine);

	if (!order)
		order = strcmp(a->binary, b->binary);
	return order ? order : (a->round > b->round) - (a->round < b->round);
}

// Times of the rounds that both have; returns how many.
static size_t
pair_up(const struct cmp_data *d, const struct cmp_config *x, const struct cmp_config *y, double *xs, double *ys)
{
	size_t i = 0, j = 0, n = 0;

	while (i < x->n && j < y->n) {
		const struct cmp_obs *a = &d->obs[x->first + i], *b = &d->obs[y->first + j];
		int order = round_order(a, b);

		if (order == 0) {
			xs[n] = a->time;
			ys[n++] = b->time;
		}
		i += order <= 0;
		j += order >= 0;
	}
	return n;
}

static enum cmp_verdict
judge(const struct stats_ratio *r)
{
	if (r->n == 0 || r->interval.rank == 0)
		return CMP_CANNOT_TELL;
	if (r->interval.high < 1)
		return CMP_BETTER;
	return r->interval.low > 1 ? CMP_WORSE : CMP_NO_DIFFERENCE;
}

static void
against_base(struct cmp_line *l, const struct cmp_line *base, const struct cmp_data *d, double level)
{
	size_t most = l->config->n;
	double *pairs = cmp_alloc(3 * most, sizeof(*pairs));
	size_t n = pair_up(d, l->config, base->config, pairs, pairs + most);

	// Rows without a positive time were refused when they were read: only "no pair at all" is left to fail.
	stats_paired_ratio(pairs, pairs + most, n, level, pairs + 2 * most, &l->ratio);
	l->verdict = judge(&l->ratio);
	free(pairs);
}

static void
set_verdict(struct cmp_line *l, const struct cmp_line *base, const struct cmp *c)
{
	if (l == base)
		l->verdict = CMP_BASE;
	else if (l->config == base->config)
		l->verdict = CMP_SAME;
	else
		against_base(l, base, c->data, c->level);
}

// ---- One block -----------------------------------------------------------------------------------------------------

static bool
same_block(const struct cmp_data *d, const struct cmp_config *a, const struct cmp_config *b)
{
	for (size_t k = 0; k < d->keys; k++)
		if (k != d->factor && cmp_value_order(&d->key[k], cmp_value(d, a, k), cmp_value(d, b, k)))
			return false;
	return true;
}

static bool
run_as_named(const struct cmp *c, const struct cmp_block *b, const struct cmp_line *l)
{
	const char *v = cmp_value(c->data, l->config, c->data->factor);

	return same_block(c->data, b->config, l->config) && v && !strcmp(v, c->value[l->value]);
}

// Returns false when there is nothing to compare: no base, or nothing else.
static bool
fill_block(const struct cmp *c, struct cmp_block *b)
{
	bool has_base = false;

	b->line = cmp_alloc(c->values, sizeof(*b->line));
	for (size_t v = 0; v < c->values; v++) {
		struct cmp_line *l = &b->line[b->lines];

		*l = (struct cmp_line){ .value = v,
			                .config = cmp_stand_in(c->data, b->config, c->value[v]),
			                .p_holm = NAN };
		if (!l->config)
			continue;
		l->reused = !run_as_named(c, b, l);
		if (v == c->base) {
			has_base = true;
			b->base = b->lines;
		}
		b->lines++;
	}
	return has_base && b->lines > 1;
}

static void
judge_block(const struct cmp *c, struct cmp_block *b)
{
	for (size_t i = 0; i < b->lines; i++) {
		describe(&b->line[i], c->data, c->level);
		set_verdict(&b->line[i], &b->line[b->base], c);
		b->differs |= b->line[i].verdict != CMP_BASE && b->line[i].verdict != CMP_SAME;
	}
}

static void
find_blocks(struct cmp *c)
{
	c->block = cmp_alloc(c->data->configs, sizeof(*c->block));
	for (size_t i = 0; i < c->data->configs; i++) {
		struct cmp_block *b = &c->block[c->blocks];

		if (i > 0 && same_block(c->data, &c->data->config[i - 1], &c->data->config[i]))
			continue;
		*b = (struct cmp_block){ .config = &c->data->config[i] };
		if (fill_block(c, b)) {
			judge_block(c, b);
			c->blocks++;
		} else {
			free(b->line);
			c->alone++;
		}
	}
}

// ---- The table as a whole ------------------------------------------------------------------------------------------

static bool
has_interval(const struct cmp_line *l)
{
	return l->verdict == CMP_BETTER || l->verdict == CMP_WORSE || l->verdict == CMP_NO_DIFFERENCE;
}

// Visits the lines with an interval in order; p_holm of each goes out to p, or comes back from it.
static size_t
exchange(struct cmp *c, double *p, bool back)
{
	size_t n = 0;

	for (size_t b = 0; b < c->blocks; b++)
		for (size_t i = 0; i < c->block[b].lines; i++) {
			struct cmp_line *l = &c->block[b].line[i];

			if (!has_interval(l))
				continue;
			if (back)
				l->p_holm = p[n];
			else
				p[n] = l->ratio.p;
			n++;
		}
	return n;
}

static void
correct(struct cmp *c)
{
	double *p = cmp_alloc(c->blocks * c->values, sizeof(*p));

	c->comparisons = exchange(c, p, false);
	if (c->comparisons && stats_holm(p, c->comparisons, p) == 0)
		exchange(c, p, true);
	for (size_t b = 0; b < c->blocks; b++)
		for (size_t i = 0; i < c->block[b].lines; i++)
			c->hopeless += c->block[b].line[i].verdict == CMP_CANNOT_TELL;
	free(p);
}

int
cmp_compare(struct cmp *c, const struct cmp_data *d, const struct cmp_request *q, char *err, size_t size)
{
	int rc;

	*c = (struct cmp){ .data = d, .level = 0.95 };
	c->value = cmp_alloc(d->n + 1, sizeof(*c->value));
	c->values = cmp_values(d, d->factor, c->value, d->n);
	rc = choose_base(c, q, err, size);
	if (rc)
		return rc;
	find_blocks(c);
	correct(c);
	if (c->blocks)
		return 0;
	snprintf(err, size, "%s: no two values of %s were run with all else equal (base %s)", q->dir, q->factor,
	         c->value[c->base]);
	return -EINVAL;
}

void
cmp_free(struct cmp *c)
{
	for (size_t b = 0; b < c->blocks; b++)
		free(c->block[b].line);
	free(c->block);
	free(c->value);
	*c = (struct cmp){ .data = NULL };
}
