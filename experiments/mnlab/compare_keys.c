// SPDX-License-Identifier: MIT
// compare_keys.c: see compare_keys.h and compare_data.h.
#include "experiments/mnlab/compare_keys.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/mn.h"

enum { VALUES_SHOWN = 8 };

// ---- Which keys there are ------------------------------------------------------------------------------------------

// Options that tell one repetition from the next, not one configuration from another.
static bool
of_repetition(const char *option)
{
	return !strcmp(option, "seed") || !strcmp(option, "sample_file");
}

static void
add_key(struct cmp_data *d, struct cmp_key key)
{
	for (size_t k = 0; k < d->keys; k++)
		if (d->key[k].param == key.param && !strcmp(d->key[k].name, key.name))
			return;
	d->key[d->keys++] = key;
}

static json_t *
params_of(const json_t *row)
{
	return json_object_get(row, "params");
}

static size_t
options(void)
{
	size_t n = 0;

	while (mn_option_at((int)n))
		n++;
	return n;
}

static void
add_params(struct cmp_data *d, const json_t *params)
{
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)params, name, value) add_key(d, (struct cmp_key){ .name = name, .param = true });
}

void
cmp_keys_find(struct cmp_data *d)
{
	static const char *const plain[] = { "sim", "version", "runtime" };
	size_t most = 4 + options(), i;
	json_t *row;

	json_array_foreach(d->final, i, row) most += json_object_size(params_of(row));
	d->key = cmp_alloc(most, sizeof(*d->key));
	add_key(d, (struct cmp_key){ .name = "workload" });
	json_array_foreach(d->final, i, row) add_params(d, params_of(row));
	for (i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		add_key(d, (struct cmp_key){ .name = plain[i] });
	for (i = 0; i < options(); i++)
		if (!of_repetition(mn_option_at((int)i)->name))
			add_key(d,
			        (struct cmp_key){ .name = mn_option_at((int)i)->name, .option = mn_option_at((int)i) });
}

// ---- Values --------------------------------------------------------------------------------------------------------

char *
cmp_key_text(const struct cmp_key *key, const json_t *row)
{
	const json_t *v = json_object_get(key->param ? params_of(row) : row, key->name);
	char number[40];

	if (json_is_string(v))
		return strdup(json_string_value(v));
	if (json_is_integer(v))
		snprintf(number, sizeof(number), "%lld", (long long)json_integer_value(v));
	else if (json_is_real(v))
		snprintf(number, sizeof(number), "%.10g", json_real_value(v));
	else if (json_is_boolean(v))
		snprintf(number, sizeof(number), "%s", json_is_true(v) ? "true" : "false");
	else
		return NULL;
	return strdup(number);
}

bool
cmp_same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static int
position(const struct cmp_key *key, const char *word)
{
	int i = 0;

	if (!key->option || !key->option->values)
		return -1;
	while (key->option->values[i] && !cmp_same_text(key->option->values[i], word))
		i++;
	return i;
}

static bool
as_number(const char *text, double *number)
{
	char *end;

	*number = strtod(text, &end);
	return end != text && !*end;
}

int
cmp_value_order(const struct cmp_key *key, const char *a, const char *b)
{
	double x, y;

	if (!a || !b)
		return (a != NULL) - (b != NULL);
	if (position(key, a) != position(key, b))
		return position(key, a) - position(key, b);
	if (as_number(a, &x) && as_number(b, &y) && (x < y || x > y))
		return x < y ? -1 : 1;
	return strcmp(a, b);
}

size_t
cmp_values(const struct cmp_data *d, size_t key, const char **out, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n; i++) {
		const char *v = d->obs[i].value[key];
		size_t at = 0;

		while (v && at < n && cmp_value_order(&d->key[key], out[at], v) < 0)
			at++;
		if (!v || n == size || (at < n && !strcmp(out[at], v)))
			continue;
		memmove(out + at + 1, out + at, (n - at) * sizeof(*out));
		out[at] = v;
		n++;
	}
	return n;
}

// ---- The factor ----------------------------------------------------------------------------------------------------

struct text {
	char *at;
	size_t left;
};

__attribute__((format(printf, 2, 3))) static void
append(struct text *t, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(t->at, t->left, format, args);
	va_end(args);
	if (n < 0)
		return;
	n = (size_t)n < t->left ? n : (int)t->left - 1;
	t->at += n;
	t->left -= (size_t)n;
}

static bool
varies_within(const struct cmp_data *d, size_t key, const char *workload)
{
	const char *first = NULL;

	for (size_t i = 0; i < d->n; i++) {
		const char *v = d->obs[i].value[key];

		if (!v || !cmp_same_text(d->obs[i].value[0], workload))
			continue;
		if (first && !cmp_same_text(first, v))
			return true;
		first = v;
	}
	return false;
}

// Within one workload: that two workloads have different numbers of tasks is no choice that could be compared.
static bool
varies(const struct cmp_data *d, size_t key)
{
	const char *workload[CMP_WORKLOADS_MAX];
	size_t n = cmp_values(d, 0, workload, CMP_WORKLOADS_MAX);

	for (size_t w = 0; w < n; w++)
		if (varies_within(d, key, workload[w]))
			return true;
	return false;
}

// " steal (half one all none)"; nothing for a key of one value. The workload is no factor: its values do different work.
static void
append_varying(struct text *t, const struct cmp_data *d, size_t key, bool *any)
{
	const char *value[VALUES_SHOWN + 1];
	size_t n = cmp_values(d, key, value, VALUES_SHOWN + 1);

	if (!varies(d, key))
		return;
	append(t, "%s %s (", *any ? "," : "", d->key[key].name);
	for (size_t i = 0; i < n && i < VALUES_SHOWN; i++)
		append(t, "%s%s", i ? " " : "", value[i]);
	append(t, "%s)", n > VALUES_SHOWN ? " .." : "");
	*any = true;
}

static int
not_a_factor(const struct cmp_data *d, const struct cmp_request *q, const char *why, char *err, size_t size)
{
	struct text t = { err, size };
	bool any = false;

	append(&t, "%s: %s%s; factors that vary:", q->dir, q->factor, why);
	for (size_t k = 0; k < d->keys; k++)
		append_varying(&t, d, k, &any);
	append(&t, "%s", any ? "" : " none");
	return -EINVAL;
}

int
cmp_factor_find(struct cmp_data *d, const struct cmp_request *q, char *err, size_t size)
{
	const char *value[2], *name = q->factor;
	bool param = !strncmp(name, "params.", 7);
	size_t k = 0, n;
	char why[160];

	name += param ? 7 : 0;
	while (k < d->keys && (!cmp_same_text(d->key[k].name, name) || (param && !d->key[k].param)))
		k++;
	if (k == d->keys)
		return not_a_factor(d, q, " is no factor of these rows", err, size);
	if (!strcmp(name, "workload"))
		return not_a_factor(d, q, " cannot be compared: its values do different work", err, size);
	d->factor = k;
	if (varies(d, k))
		return 0;
	n = cmp_values(d, k, value, 2);
	if (n == 1)
		snprintf(why, sizeof(why), " has one value only (%.100s)", value[0]);
	else
		snprintf(why, sizeof(why), n ? " does not vary within a workload" : " is in no row");
	return not_a_factor(d, q, why, err, size);
}
