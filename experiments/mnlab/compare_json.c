// SPDX-License-Identifier: MIT
// compare_json.c: the comparison as one JSON object. JSON knows no NaN: a figure that does not exist has no key.
#include "experiments/mnlab/compare_out.h"

#include <jansson.h>
#include <math.h>

static void
set_number(json_t *object, const char *key, double x)
{
	if (isfinite(x))
		json_object_set_new(object, key, json_real(x));
}

static void
set_count(json_t *object, const char *key, size_t n)
{
	json_object_set_new(object, key, json_integer((json_int_t)n));
}

static void
set_text(json_t *object, const char *key, const char *text)
{
	json_object_set_new(object, key, json_string(text));
}

static void
set_interval(json_t *object, const char *key, const struct stats_interval *i)
{
	json_t *interval;

	if (i->rank == 0)
		return;
	interval = json_object();
	set_number(interval, "low", i->low);
	set_number(interval, "high", i->high);
	set_number(interval, "coverage", i->coverage);
	json_object_set_new(object, key, interval);
}

static void
set_ratio(json_t *line, const struct cmp_line *l)
{
	if (!l->ratio.n)
		return;
	set_count(line, "pairs", l->ratio.n);
	set_number(line, "ratio", l->ratio.ratio);
	set_interval(line, "ratio_interval", &l->ratio.interval);
	set_count(line, "rounds_slower", l->ratio.above);
	set_count(line, "rounds_faster", l->ratio.below);
	set_number(line, "p", l->ratio.p);
	set_number(line, "p_holm", l->p_holm);
}

static void
set_evidence(json_t *line, const struct cmp_evidence *e)
{
	json_t *evidence = json_object();

	set_number(evidence, "steals_per_task", e->steals_per_task);
	set_number(evidence, "raced_share", e->raced);
	set_number(evidence, "spills", e->spills);
	set_number(evidence, "idle_share", e->idle);
	json_object_set_new(line, "evidence", evidence);
}

static json_t *
line_object(const struct cmp *c, const struct cmp_line *l)
{
	json_t *line = json_object();

	set_text(line, "value", c->value[l->value]);
	set_count(line, "n", l->config->n);
	set_number(line, "median_ns", l->median);
	set_interval(line, "median_interval", &l->interval);
	set_ratio(line, l);
	set_text(line, "verdict", cmp_verdict_word(l->verdict));
	json_object_set_new(line, "reused", json_boolean(l->reused));
	set_evidence(line, &l->evidence);
	return line;
}

static json_t *
block_keys(const struct cmp *c, const struct cmp_block *b)
{
	json_t *keys = json_object(), *params = json_object();

	for (size_t k = 0; k < c->data->keys; k++) {
		const char *v = cmp_value(c->data, b->config, k);

		if (k != c->data->factor && v)
			set_text(c->data->key[k].param ? params : keys, c->data->key[k].name, v);
	}
	json_object_set_new(keys, "params", params);
	return keys;
}

static json_t *
blocks(const struct cmp *c)
{
	json_t *list = json_array();

	for (size_t b = 0; b < c->blocks; b++) {
		json_t *block = json_object(), *lines = json_array();

		for (size_t i = 0; i < c->block[b].lines; i++)
			json_array_append_new(lines, line_object(c, &c->block[b].line[i]));
		json_object_set_new(block, "keys", block_keys(c, &c->block[b]));
		json_object_set_new(block, "lines", lines);
		json_array_append_new(list, block);
	}
	return list;
}

static json_t *
tally_object(const struct cmp *c, size_t value, const char *workload)
{
	json_t *object = json_object();
	struct cmp_tally t;

	cmp_tally(c, value, workload, &t);
	set_text(object, "value", c->value[value]);
	if (workload)
		set_text(object, "workload", workload);
	set_count(object, "better", t.verdict[CMP_BETTER]);
	set_count(object, "worse", t.verdict[CMP_WORSE]);
	set_count(object, "no_difference", t.verdict[CMP_NO_DIFFERENCE]);
	set_count(object, "cannot_tell", t.verdict[CMP_CANNOT_TELL]);
	set_count(object, "same", t.verdict[CMP_SAME]);
	set_count(object, "holm", t.holm);
	set_number(object, "median_ratio", t.median);
	set_number(object, "min_ratio", t.min);
	set_number(object, "max_ratio", t.max);
	return object;
}

// For each value: every workload, then all of them, without the key "workload".
static json_t *
summary(const struct cmp *c)
{
	const char *workload[CMP_WORKLOADS_MAX];
	size_t workloads = cmp_values(c->data, 0, workload, CMP_WORKLOADS_MAX);
	json_t *list = json_array();

	for (size_t v = 0; v < c->values; v++) {
		if (v == c->base)
			continue;
		for (size_t w = 0; w < workloads; w++)
			json_array_append_new(list, tally_object(c, v, workload[w]));
		json_array_append_new(list, tally_object(c, v, NULL));
	}
	return list;
}

int
cmp_print_json(FILE *f, const struct cmp *c, const struct cmp_request *q)
{
	json_t *all = json_object();
	int rc;

	set_count(all, "schema", 1);
	set_text(all, "dir", q->dir);
	set_text(all, "factor", c->data->key[c->data->factor].name);
	set_text(all, "base", c->value[c->base]);
	set_text(all, "metric", q->metric);
	set_number(all, "level", c->level);
	set_count(all, "repetitions", c->data->n);
	set_count(all, "tainted", c->data->tainted);
	set_count(all, "failed", c->data->failed);
	set_count(all, "blocks_left_out", c->alone);
	json_object_set_new(all, "summary", summary(c));
	json_object_set_new(all, "blocks", blocks(c));
	rc = json_dumpf(all, f, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
	fputc('\n', f);
	json_decref(all);
	return rc;
}
