// SPDX-License-Identifier: MIT
// compare_data.c: from rows to sorted configurations. See compare_data.h.
#include "experiments/mnlab/compare_data.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/mnlab/compare_alias.h"
#include "experiments/mnlab/compare_keys.h"
#include "experiments/mnlab/mnlab.h"
#include "experiments/mnlab/rows.h"

void *
cmp_alloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size);

	if (!p) {
		fprintf(stderr, "mnlab compare: out of memory\n");
		exit(MNLAB_FAILED);
	}
	return p;
}

// ---- What counts ---------------------------------------------------------------------------------------------------

static bool
has_status(const json_t *row, const char *status)
{
	const char *s = json_string_value(json_object_get(row, "status"));

	return s && !strcmp(s, status);
}

static bool
finished(const json_t *row)
{
	return has_status(row, "OK") || has_status(row, "TAINTED");
}

static int
bad_row(const struct cmp_request *q, size_t line, const char *what, char *err, size_t size)
{
	snprintf(err, size, "%s/rows.jsonl:%zu:1: a finished repetition %s", q->dir, line, what);
	return -EBADMSG;
}

static int
check_row(const json_t *row, const struct cmp_request *q, size_t line, char *err, size_t size)
{
	char what[96];

	if (!json_is_string(json_object_get(row, "workload")))
		return bad_row(q, line, "without a workload", err, size);
	if (!json_is_string(json_object_get(row, "cell")))
		return bad_row(q, line, "without a cell", err, size);
	if (!json_is_integer(json_object_get(row, "round")))
		return bad_row(q, line, "without a round", err, size);
	if (!(json_number_value(json_object_get(row, q->metric)) > 0)) {
		snprintf(what, sizeof(what), "whose %s is missing or not above 0", q->metric);
		return bad_row(q, line, what, err, size);
	}
	return 0;
}

static int
check_rows(const json_t *rows, const struct cmp_request *q, char *err, size_t size)
{
	size_t i;
	json_t *row;

	json_array_foreach(rows, i, row)
	{
		int rc = finished(row) ? check_row(row, q, i + 1, err, size) : 0;

		if (rc)
			return rc;
	}
	return 0;
}

static void
repetition_name(const json_t *row, char *name, size_t size)
{
	const char *cell = json_string_value(json_object_get(row, "cell"));

	snprintf(name, size, "%s/%lld", cell ? cell : "?",
	         (long long)json_integer_value(json_object_get(row, "round")));
}

// Repetitions that never ended well, however often they were tried.
static size_t
count_failed(const json_t *rows, const json_t *final)
{
	json_t *well = json_object(), *failed = json_object();
	char name[128];
	size_t i, n;
	json_t *row;

	json_array_foreach(final, i, row)
	{
		repetition_name(row, name, sizeof(name));
		json_object_set_new(well, name, json_true());
	}
	json_array_foreach(rows, i, row)
	{
		repetition_name(row, name, sizeof(name));
		if (!finished(row) && !json_object_get(well, name))
			json_object_set_new(failed, name, json_true());
	}
	n = json_object_size(failed);
	json_decref(well);
	json_decref(failed);
	return n;
}

// ---- Repetitions ---------------------------------------------------------------------------------------------------

static void
read_obs(struct cmp_data *d, struct cmp_obs *o, const json_t *row, const char *metric)
{
	const char *machine = json_string_value(json_object_get(row, "machine"));
	const char *binary = json_string_value(json_object_get(row, "binary"));

	*o = (struct cmp_obs){ .row = row, .machine = machine ? machine : "", .binary = binary ? binary : "" };
	o->round = (long)json_integer_value(json_object_get(row, "round"));
	o->time = json_number_value(json_object_get(row, metric));
	o->value = cmp_alloc(d->keys, sizeof(*o->value));
	for (size_t k = 0; k < d->keys; k++)
		o->value[k] = cmp_key_text(&d->key[k], row);
}

static int
read_all(struct cmp_data *d, const json_t *rows, const struct cmp_request *q, char *err, size_t size)
{
	size_t i;
	json_t *row;

	d->obs = cmp_alloc(json_array_size(d->final), sizeof(*d->obs));
	json_array_foreach(d->final, i, row)
	{
		d->tainted += has_status(row, "TAINTED");
		if (q->tainted || has_status(row, "OK"))
			read_obs(d, &d->obs[d->n++], row, q->metric);
	}
	d->failed = count_failed(rows, d->final);
	if (d->n)
		return 0;
	snprintf(err, size, "%s: nothing to compare: no repetition is OK (%zu TAINTED%s, %zu failed)", q->dir,
	         d->tainted, d->tainted ? "; --tainted lets them in" : "", d->failed);
	return -EINVAL;
}

static int
one_origin(const struct cmp_data *d, const struct cmp_request *q, char *err, size_t size)
{
	for (size_t i = 1; i < d->n && !q->force; i++) {
		bool machines = !cmp_same_text(d->obs[i].machine, d->obs[0].machine);

		if (!machines && cmp_same_text(d->obs[i].binary, d->obs[0].binary))
			continue;
		snprintf(err, size, "%s: rows of several %s (\"%s\", \"%s\"); --force compares within each of them",
		         q->dir, machines ? "machines" : "binaries", machines ? d->obs[0].machine : d->obs[0].binary,
		         machines ? d->obs[i].machine : d->obs[i].binary);
		return -EXDEV;
	}
	return 0;
}

// ---- Order ---------------------------------------------------------------------------------------------------------

static int
key_order(const struct cmp_data *d, const struct cmp_obs *a, const struct cmp_obs *b, size_t k)
{
	return cmp_value_order(&d->key[k], a->value[k], b->value[k]);
}

static int
config_order(const struct cmp_data *d, const struct cmp_obs *a, const struct cmp_obs *b)
{
	for (size_t k = 0; k < d->keys; k++) {
		int order = k == d->factor ? 0 : key_order(d, a, b, k);

		if (order)
			return order;
	}
	return key_order(d, a, b, d->factor);
}

static int
obs_order(const void *x, const void *y, void *data)
{
	const struct cmp_obs *a = x, *b = y;
	int order = config_order(data, a, b);

	if (!order)
		order = strcmp(a->machine, b->machine);
	if (!order)
		order = strcmp(a->binary, b->binary);
	return order ? order : (a->round > b->round) - (a->round < b->round);
}

static void
find_configs(struct cmp_data *d)
{
	qsort_r(d->obs, d->n, sizeof(*d->obs), obs_order, d);
	d->config = cmp_alloc(d->n, sizeof(*d->config));
	for (size_t i = 0; i < d->n; i++) {
		if (i == 0 || config_order(d, &d->obs[i - 1], &d->obs[i]))
			d->config[d->configs++].first = i;
		d->config[d->configs - 1].n++;
	}
	for (size_t c = 0; c < d->configs; c++) {
		d->config[c].idle_key = cmp_alloc(d->keys, sizeof(bool));
		cmp_idle_keys(d, &d->config[c], NULL, d->config[c].idle_key);
	}
}

// ---- All of it -----------------------------------------------------------------------------------------------------

int
cmp_data_load(struct cmp_data *d, const json_t *rows, const struct cmp_request *q, char *err, size_t size)
{
	int rc = check_rows(rows, q, err, size);

	*d = (struct cmp_data){ .final = NULL };
	if (rc)
		return rc;
	d->final = rows_final(rows);
	cmp_keys_find(d);
	rc = read_all(d, rows, q, err, size);
	if (!rc)
		rc = one_origin(d, q, err, size);
	if (!rc)
		rc = cmp_factor_find(d, q, err, size);
	if (!rc)
		find_configs(d);
	return rc;
}

void
cmp_data_free(struct cmp_data *d)
{
	for (size_t i = 0; i < d->n; i++) {
		for (size_t k = 0; k < d->keys; k++)
			free(d->obs[i].value[k]);
		free(d->obs[i].value);
	}
	for (size_t c = 0; c < d->configs; c++)
		free(d->config[c].idle_key);
	free(d->config);
	free(d->obs);
	free(d->key);
	json_decref(d->final);
	*d = (struct cmp_data){ .final = NULL };
}

const char *
cmp_value(const struct cmp_data *d, const struct cmp_config *c, size_t key)
{
	return d->obs[c->first].value[key];
}
