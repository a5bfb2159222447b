// SPDX-License-Identifier: MIT
// golden_line.c: a line of a golden file, taken apart.
#include "sched/model/golden_line.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sched/model/model.h"

// ---- Messages ------------------------------------------------------------------------------------------------------

int
mn_golden_fail(struct mn_golden_reader *r, int err, const char *format, ...)
{
	va_list args;

	free(r->error);
	va_start(args, format);
	if (vasprintf(&r->error, format, args) < 0)
		r->error = NULL;
	va_end(args);
	return err;
}

const char *
mn_golden_quote(const char *text, char quoted[MN_GOLDEN_QUOTE_MAX])
{
	int n;

	if (!text)
		return "the end of the line";
	n = snprintf(quoted, MN_GOLDEN_QUOTE_MAX, "\"%.40s%s\"", text, strlen(text) > 40 ? ".." : "");
	for (int i = 0; i < n; i++)
		if (!isascii(quoted[i]) || !isprint(quoted[i]))
			quoted[i] = '?';
	return quoted;
}

// ---- Lines ---------------------------------------------------------------------------------------------------------

int
mn_golden_next_line(struct mn_golden_reader *r)
{
	ssize_t n;

	errno = 0;
	n = getline(&r->line, &r->room, r->in);
	if (n < 0 && feof(r->in))
		return 0;
	if (n < 0) {
		int err = errno ? errno : EIO;

		return mn_golden_fail(r, -err, "%s: cannot be read: %s", r->name, strerror(err));
	}
	r->number++;
	if (r->line[n - 1] == '\n')
		r->line[--n] = '\0';
	r->length = (size_t)n;
	if (strlen(r->line) < r->length)
		return mn_golden_fail(r, -EBADMSG, "%s:%ld:%zu: expected text, got a NUL byte", r->name, r->number,
		                      strlen(r->line) + 1);
	return 1;
}

void
mn_golden_cut(struct mn_golden_reader *r)
{
	for (size_t i = 0; i < r->length; i++)
		if (r->line[i] == ' ')
			r->line[i] = '\0';
}

void
mn_golden_join(struct mn_golden_reader *r)
{
	for (size_t i = 0; i < r->length; i++)
		if (r->line[i] == '\0')
			r->line[i] = ' ';
}

// The word behind this one, NULL behind the last.
static const char *
word_behind(const struct mn_golden_reader *r, const char *word)
{
	const char *end = word + strlen(word);

	return end < r->line + r->length ? end + 1 : NULL;
}

// ---- Fields --------------------------------------------------------------------------------------------------------

static bool
is_whole(const char *text, int64_t min, int64_t max, int64_t *number)
{
	char again[24];

	errno = 0;
	*number = strtoll(text, NULL, 10);
	snprintf(again, sizeof(again), "%" PRId64, *number);
	return errno == 0 && strcmp(again, text) == 0 && *number >= min && *number <= max;
}

static bool
is_event(const char *text)
{
	for (int kind = 0; mn_model_kind_name(kind); kind++)
		if (strcmp(text, mn_model_kind_name(kind)) == 0)
			return true;
	return false;
}

// Not empty, and nothing in it that a terminal would obey.
static bool
is_word(const char *text)
{
	const char *at = text;

	while (*at != '\0' && !iscntrl((unsigned char)*at))
		at++;
	return at > text && *at == '\0';
}

static const struct field_kind {
	char letter;
	int64_t min, max; // of a number; min > max: not a number
	const char *allowed;
} field_kinds[] = {
	{ 'p', INT_MIN, MN_MODEL_PROCS_MAX, "a whole number up to 1024" },
	{ 'i', INT_MIN, INT_MAX, "a whole number from -2147483648 to 2147483647" },
	{ 'r', 0, INT_MAX, "a whole number from 0 to 2147483647" },
	{ 'u', 0, INT64_MAX, "a whole number from 0 to 9223372036854775807" },
	{ 'e', 1, 0, "spawn, run, done, steal, global, idle or spill" },
	{ 'w', 1, 0, "a word without control characters" },
};

static const struct field_kind *
field_kind(char letter)
{
	const struct field_kind *kind = field_kinds;

	while (kind->letter != letter)
		kind++;
	return kind;
}

static bool
fits(const struct field_kind *kind, const char *text, int64_t *number)
{
	*number = 0;
	if (kind->min <= kind->max)
		return is_whole(text, kind->min, kind->max, number);
	return kind->letter == 'e' ? is_event(text) : is_word(text);
}

static int
bad_field(struct mn_golden_reader *r, const char *text, const char *allowed)
{
	char quoted[MN_GOLDEN_QUOTE_MAX];
	size_t column = (text ? (size_t)(text - r->line) : r->length) + 1;

	return mn_golden_fail(r, -EBADMSG, "%s:%ld:%zu: expected %s, got %s", r->name, r->number, column, allowed,
	                      mn_golden_quote(text, quoted));
}

int
mn_golden_fields(struct mn_golden_reader *r, const char *letters, struct mn_golden_fields *f)
{
	const char *text = word_behind(r, r->line);

	for (size_t i = 0; *letters != '\0' && (text || *letters != '+'); i++, text = word_behind(r, text)) {
		const struct field_kind *kind = field_kind(*letters == '+' ? letters[-1] : *letters++);
		int64_t number;

		if (!text || !fits(kind, text, &number))
			return bad_field(r, text, kind->allowed);
		if (i < MN_GOLDEN_FIELDS_KEPT) {
			f->number[i] = number;
			f->word[i] = text;
		}
	}
	return text ? bad_field(r, text, "the end of the line") : 0;
}

void
mn_golden_reader_clear(struct mn_golden_reader *r)
{
	free(r->line);
	free(r->error);
	r->line = NULL;
	r->error = NULL;
	r->room = 0;
}
