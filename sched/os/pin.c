// SPDX-License-Identifier: MIT
// pin: reads the option pin item by item, so that a list of any length needs no memory and the error can name the column.
// Whether the PUs exist is topo.c's affair.
#include "sched/os/pin.h"

#include "sched/base/base.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const words[] = {
	[MN_TOPO_PIN_NONE] = "none",
	[MN_TOPO_PIN_CLOSE] = "close",
	[MN_TOPO_PIN_SPREAD] = "spread",
};

// What is being read, and where a complaint about it goes.
struct reader {
	const char *text;
	size_t at;
	char *err;
	size_t size;
};

__attribute__((format(printf, 2, 3))) static int
fail(const struct reader *r, const char *format, ...)
{
	char what[128];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	snprintf(r->err, r->size, "pin: column %zu: %s (allowed: none, close, spread, or a list of PUs like 0,2-5)",
	         r->at + 1, what);
	return -EINVAL;
}

// How much of a word to repeat: letters, digits and dashes, and not without end.
static int
word_length(const char *text)
{
	int n = 0;

	while (n < 32 && (isalnum((unsigned char)text[n]) || strchr("_-", text[n])) && text[n])
		n++;
	return n;
}

// A complaint about what stands here in place of what was expected; control characters by number, so that it stays a line.
static int
unexpected(const struct reader *r, const char *expected)
{
	unsigned char c = (unsigned char)r->text[r->at];

	if (r->at == 0 && isalpha(c))
		return fail(r, "unknown word '%.*s'", word_length(r->text), r->text);
	if (c == '\0')
		return fail(r, "expected %s, not the end", expected);
	if (isgraph(c))
		return fail(r, "expected %s, not '%c'", expected, c);
	return fail(r, "expected %s, not character %d", expected, c);
}

// The number that stands here, or -EINVAL.
static int
number(struct reader *r)
{
	size_t start = r->at;
	int n = 0;

	for (; isdigit((unsigned char)r->text[r->at]) && n <= MN_TOPO_PU_MAX; r->at++)
		n = n * 10 + (r->text[r->at] - '0');
	if (r->at == start)
		return unexpected(r, "a PU number");
	if (n > MN_TOPO_PU_MAX) {
		r->at = start;
		return fail(r, "no PU has a number above %d", MN_TOPO_PU_MAX);
	}
	return n;
}

static int
item(struct reader *r, struct mn_topo_range *range)
{
	size_t start = r->at;

	range->column = (int)start + 1;
	range->first = range->last = number(r);
	if (range->first >= 0 && r->text[r->at] == '-') {
		r->at++;
		range->last = number(r);
	}
	if (range->first < 0 || range->last < 0)
		return -EINVAL;
	if (range->last < range->first) {
		r->at = start;
		return fail(r, "the range %d-%d goes down", range->first, range->last);
	}
	return 0;
}

enum mn_topo_pin
mn_topo_pin_kind(const char *pin)
{
	for (int i = 0; i < (int)array_len(words); i++)
		if (strcmp(pin, words[i]) == 0)
			return (enum mn_topo_pin)i;
	return MN_TOPO_PIN_LIST;
}

int
mn_topo_pin_next(const char *pin, size_t *at, struct mn_topo_range *range, char *err, size_t size)
{
	struct reader r = { pin, *at, err, size };
	int rc;

	if (*at > 0 && pin[*at] == '\0')
		return 0;
	rc = item(&r, range);
	if (rc)
		return rc;
	if (pin[r.at] == ',') {
		r.at++;
		if (pin[r.at] == '\0')
			return unexpected(&r, "a PU number");
	} else if (pin[r.at] != '\0') {
		return unexpected(&r, "',' or '-'");
	}
	*at = r.at;
	return 1;
}

int
mn_topo_check_pin(const char *pin, char *err, size_t size)
{
	struct mn_topo_range range;
	size_t at = 0;
	int rc = 1;

	if (mn_topo_pin_kind(pin) != MN_TOPO_PIN_LIST)
		return 0;
	while (rc > 0)
		rc = mn_topo_pin_next(pin, &at, &range, err, size);
	return rc;
}
