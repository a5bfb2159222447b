// SPDX-License-Identifier: MIT
// values.c: parses lists, ranges and machine words. The grammar is in values.h.
//
// One pass over the text with a cursor; every failure knows its column, because a matrix is written by hand.
#include "experiments/mnlab/values.h"
#include "experiments/mnlab/machine.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cursor {
	const char *start, *p; // of the text; where we are
	int column;            // of start
	bool numeric;
	const struct machine *machine;
	struct values *out;
	int *at;
	char *err;
	size_t size;
};

static int __attribute__((format(printf, 3, 4))) refuse(struct cursor *c, const char *where, const char *format, ...)
{
	va_list args;

	*c->at = c->column + (int)(where - c->start);
	va_start(args, format);
	vsnprintf(c->err, c->size, format, args);
	va_end(args);
	return -EINVAL;
}

static void
blanks(struct cursor *c)
{
	while (isblank((unsigned char)*c->p))
		c->p++;
}

// Appends text[0..n). A literal that is there already is refused; anything else that is there already is dropped.
static int
add(struct cursor *c, const char *where, const char *text, size_t n, bool literal)
{
	struct values *out = c->out;

	if (n >= VALUE_TEXT_MAX)
		return refuse(c, where, "a value of %zu characters; allowed: up to %d", n, VALUE_TEXT_MAX - 1);
	for (int i = 0; i < out->n; i++) {
		if (strlen(out->v[i].text) != n || memcmp(out->v[i].text, text, n))
			continue;
		if (literal && out->v[i].literal)
			return refuse(c, where, "\"%.*s\" is listed twice", (int)n, text);
		return 0;
	}
	if (out->n == VALUES_MAX)
		return refuse(c, where, "too many values; allowed: up to %d", VALUES_MAX);
	struct value *v = realloc(out->v, (size_t)(out->n + 1) * sizeof *v);
	if (!v)
		return refuse(c, where, "out of memory");
	out->v = v;
	v += out->n++;
	*v = (struct value){ .column = c->column + (int)(where - c->start), .literal = literal };
	memcpy(v->text, text, n);
	return 0;
}

static int
add_number(struct cursor *c, const char *where, long n, bool literal)
{
	char text[32];
	int length = snprintf(text, sizeof text, "%ld", n);

	return add(c, where, text, (size_t)length, literal);
}

// A machine word at the cursor: its value in *n, the cursor behind it. False: none stands there.
static bool
machine_word(struct cursor *c, long *n)
{
	const struct machine *m = c->machine;
	const struct {
		const char *word;
		int n;
	} words[] = { { "pus", m->pus },
		      { "cores", m->cores },
		      { "llc", m->llcs },
		      { "numa", m->numas },
		      { "auto", m->usable } };

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		size_t length = strlen(words[i].word);
		if (strncmp(c->p, words[i].word, length) || isalnum((unsigned char)c->p[length]))
			continue;
		c->p += length;
		*n = words[i].n;
		return true;
	}
	return false;
}

// A number, percentage or machine word at the cursor. *fixed: it is the same on every machine.
static int
number(struct cursor *c, long *n, bool *fixed)
{
	char *end;

	*fixed = false;
	if (machine_word(c, n))
		return 0;
	const char *where = c->p;
	errno = 0;
	*n = strtol(where, &end, 10);
	if (end == where)
		return refuse(c, where,
		              "\"%.*s\" is not a number; allowed: numbers, ranges like 1..8 or 1..64 *2, pus, "
		              "cores, llc, numa, auto, percentages of pus like 50%%",
		              (int)strcspn(where, ", \t"), where);
	if (errno == ERANGE)
		return refuse(c, where, "\"%.*s\" is out of range", (int)(end - where), where);
	c->p = end;
	*fixed = *c->p != '%';
	if (*fixed)
		return 0;
	if (*n <= 0 || *n > 100000)
		return refuse(c, where, "%ld%% of the processors; allowed: 1%% to 100000%%", *n);
	c->p++;
	*n = (*n * c->machine->pus + 50) / 100;
	*n = *n < 1 ? 1 : *n;
	return 0;
}

// The step of a range: "*2", "+25", or nothing for +1.
static int
step(struct cursor *c, char *kind, long *by)
{
	const char *before = c->p;
	bool fixed;

	blanks(c);
	const char *where = c->p;
	*kind = '+';
	*by = 1;
	if (*c->p != '*' && *c->p != '+') {
		c->p = before;
		return 0;
	}
	*kind = *c->p++;
	int rc = number(c, by, &fixed);
	if (!rc && *by < (*kind == '*' ? 2 : 1))
		rc = refuse(c, where, "this step goes nowhere; allowed: *2 and more, +1 and more");
	return rc;
}

static int
range(struct cursor *c, const char *where, long from, bool from_fixed)
{
	bool to_fixed;
	long to, by;
	char kind;
	int rc;

	c->p += 2;
	if ((rc = number(c, &to, &to_fixed)) || (rc = step(c, &kind, &by)))
		return rc;
	if (to < from && from_fixed && to_fixed)
		return refuse(c, where, "the range %ld..%ld is empty", from, to);
	if (kind == '*' && from < 1)
		return refuse(c, where, "a range with * must begin at 1 or more");
	for (long n = from; n <= to;) {
		if ((rc = add_number(c, where, n, false)))
			return rc;
		if (kind == '*' ? n > LONG_MAX / by : n > LONG_MAX - by)
			break;
		n = kind == '*' ? n * by : n + by;
	}
	return 0;
}

static int
number_item(struct cursor *c)
{
	const char *where = c->p;
	bool fixed;
	long n;
	int rc = number(c, &n, &fixed);

	if (rc)
		return rc;
	if (!strncmp(c->p, "..", 2))
		return range(c, where, n, fixed);
	return add_number(c, where, n, fixed);
}

static int
quoted_item(struct cursor *c)
{
	const char *where = c->p++;
	const char *close = strchr(c->p, '"');

	if (!close)
		return refuse(c, where, "this quote is not closed");
	const char *text = c->p;
	c->p = close + 1;
	return add(c, where, text, (size_t)(close - text), true);
}

static int
word_item(struct cursor *c)
{
	size_t n = strcspn(c->p, ", \t");
	const char *where = c->p;

	c->p += n;
	return add(c, where, where, n, true);
}

static int
item(struct cursor *c)
{
	if (!*c->p || *c->p == ',')
		return refuse(c, c->p, "a value is missing here");
	if (c->numeric)
		return number_item(c);
	return *c->p == '"' ? quoted_item(c) : word_item(c);
}

static int
list(struct cursor *c)
{
	for (;;) {
		blanks(c);
		int rc = item(c);
		if (rc)
			return rc;
		blanks(c);
		if (!*c->p)
			return 0;
		if (*c->p != ',')
			return refuse(c, c->p, "\"%s\" does not belong here; allowed: a comma between values", c->p);
		c->p++;
	}
}

int
values_read(struct values *out, const char *text, int column, bool numeric, const struct machine *m, int *at, char *err,
            size_t size)
{
	struct cursor c = { text, text, column, numeric, m, out, at, err, size };

	*out = (struct values){ 0 };
	int rc = list(&c);
	if (rc)
		values_free(out);
	return rc;
}

void
values_free(struct values *v)
{
	free(v->v);
	*v = (struct values){ 0 };
}
