// SPDX-License-Identifier: MIT
// golden_read.c: the reader of golden files.
//
// The one idea: the format is a table. A row is a kind of line, the rows stand in the order in which lines may come, and a
// string says what fields a line has; order, fields and messages all come from it. A number is good if printing it gives
// the same text again, so two lines that mean the same are equal as text, and golden.c can compare them as text.
#include "sched/model/golden_read.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sched/model/model.h"

enum { FIELDS_KEPT = 4 }; // as many as anybody asks for; those of a line that come later are checked and dropped

struct fields {
	int64_t number[FIELDS_KEPT];
	const char *word[FIELDS_KEPT];
};

struct rule {
	const char *word;
	const char *fields; // a letter each, see field_kinds; '+': the one before it, any number of times more
	bool any_number;    // of such lines may follow each other, none included
	int (*accept)(struct mn_golden_reader *, struct mn_golden_case *, const struct fields *);
};

// ---- Messages ------------------------------------------------------------------------------------------------------

// Sets r->error and returns err.
__attribute__((format(printf, 3, 4))) static int
fail(struct mn_golden_reader *r, int err, const char *format, ...)
{
	va_list args;

	free(r->error);
	va_start(args, format);
	if (vasprintf(&r->error, format, args) < 0)
		r->error = NULL;
	va_end(args);
	return err;
}

static int
no_memory(struct mn_golden_reader *r)
{
	return fail(r, -ENOMEM, "%s:%ld: out of memory", r->name, r->number);
}

enum { QUOTE_MAX = 64 };

// Copies the beginning of text in quotes, with what would spoil a terminal replaced. NULL stands for the end of a line.
static const char *
quote(const char *text, char quoted[QUOTE_MAX])
{
	int n;

	if (!text)
		return "the end of the line";
	n = snprintf(quoted, QUOTE_MAX, "\"%.40s%s\"", text, strlen(text) > 40 ? ".." : "");
	for (int i = 0; i < n; i++)
		if (!isascii(quoted[i]) || !isprint(quoted[i]))
			quoted[i] = '?';
	return quoted;
}

// ---- Lines ---------------------------------------------------------------------------------------------------------

// Reads a line. 1, 0 at the end of the file, or -errno.
static int
next_line(struct mn_golden_reader *r)
{
	ssize_t n;

	errno = 0;
	n = getline(&r->line, &r->room, r->in);
	if (n < 0 && feof(r->in))
		return 0;
	if (n < 0) {
		int err = errno ? errno : EIO;

		return fail(r, -err, "%s: cannot be read: %s", r->name, strerror(err));
	}
	r->number++;
	if (r->line[n - 1] == '\n')
		r->line[--n] = '\0';
	r->length = (size_t)n;
	if (strlen(r->line) < r->length)
		return fail(r, -EBADMSG, "%s:%ld:%zu: expected text, got a NUL byte", r->name, r->number,
		            strlen(r->line) + 1);
	return 1;
}

// The same, leaving out the blank lines and comments that may stand between cases.
static int
next_line_between_cases(struct mn_golden_reader *r)
{
	int got;

	do
		got = next_line(r);
	while (got > 0 && (r->line[0] == '\0' || r->line[0] == '#'));
	return got;
}

// next_line has refused NULs, so that from cut to join each NUL in the line is a space.
static void
cut(struct mn_golden_reader *r)
{
	for (size_t i = 0; i < r->length; i++)
		if (r->line[i] == ' ')
			r->line[i] = '\0';
}

static void
join(struct mn_golden_reader *r)
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
	char quoted[QUOTE_MAX];
	size_t column = (text ? (size_t)(text - r->line) : r->length) + 1;

	return fail(r, -EBADMSG, "%s:%ld:%zu: expected %s, got %s", r->name, r->number, column, allowed,
	            quote(text, quoted));
}

// Takes the words behind the first one of a line that has been cut.
static int
read_fields(struct mn_golden_reader *r, const char *letters, struct fields *f)
{
	const char *text = word_behind(r, r->line);

	for (size_t i = 0; *letters != '\0' && (text || *letters != '+'); i++, text = word_behind(r, text)) {
		const struct field_kind *kind = field_kind(*letters == '+' ? letters[-1] : *letters++);
		int64_t number;

		if (!text || !fits(kind, text, &number))
			return bad_field(r, text, kind->allowed);
		if (i < FIELDS_KEPT) {
			f->number[i] = number;
			f->word[i] = text;
		}
	}
	return text ? bad_field(r, text, "the end of the line") : 0;
}

// ---- The format ----------------------------------------------------------------------------------------------------

static int
accept_case(struct mn_golden_reader *r, struct mn_golden_case *c, const struct fields *f)
{
	(void)r, (void)c, (void)f;
	return 0;
}

static int
accept_procs(struct mn_golden_reader *r, struct mn_golden_case *c, const struct fields *f)
{
	(void)r;
	c->procs = (int)f->number[0];
	return 0;
}

static int
accept_quantum(struct mn_golden_reader *r, struct mn_golden_case *c, const struct fields *f)
{
	(void)r;
	c->quantum = (int)f->number[0];
	return 0;
}

static int
accept_cap(struct mn_golden_reader *r, struct mn_golden_case *c, const struct fields *f)
{
	(void)r;
	c->cap = (int)f->number[0];
	return 0;
}

static int
accept_spawn(struct mn_golden_reader *r, struct mn_golden_case *c, const struct fields *f)
{
	int err = mn_arrivals_add(&c->spawns, (int)f->number[0], (int)f->number[1], f->word[2], (int)f->number[3]);

	return err ? no_memory(r) : 0;
}

static int
accept_expected(struct mn_golden_reader *r, struct mn_golden_case *c, const struct fields *f)
{
	char *text;

	(void)f;
	if (c->count == c->room) {
		size_t room = c->room ? 2 * c->room : 64;
		struct mn_golden_line *line = reallocarray(c->line, room, sizeof(*line));

		if (!line)
			return no_memory(r);
		c->line = line;
		c->room = room;
	}
	join(r);
	text = strdup(r->line);
	if (!text)
		return no_memory(r);
	c->line[c->count++] = (struct mn_golden_line){ text, r->number };
	return 0;
}

static int
accept_trace(struct mn_golden_reader *r, struct mn_golden_case *c, const struct fields *f)
{
	c->traces++;
	return accept_expected(r, c, f);
}

// Lines come in the order of the rows. Whether there are as many trace, queue, ran and clock lines as there should be is
// for the comparison to find out: one that is missing is a difference, not an error in the file.
// clang-format off
static const struct rule rules[] = {
	{ "case",    "w",     false, accept_case },
	{ "procs",   "p",     false, accept_procs },
	{ "quantum", "i",     false, accept_quantum },
	{ "cap",     "i",     false, accept_cap },
	{ "spawn",   "riwi",  true,  accept_spawn },
	{ "trace",   "uuewu", true,  accept_trace },
	{ "queue",   "uu+",   true,  accept_expected },
	{ "ran",     "uuu",   true,  accept_expected },
	{ "clock",   "u",     true,  accept_expected },
	{ "end",     "",      false, accept_expected },
};
// clang-format on
enum { RULES = sizeof(rules) / sizeof(*rules) };

// The row of the line that has been cut, when rows before `from` are over. NULL: no such line may stand here.
static const struct rule *
find_rule(const struct mn_golden_reader *r, const struct rule *from)
{
	while (strcmp(from->word, r->line) != 0)
		if (!from++->any_number)
			return NULL;
	return from;
}

// "expected spawn, trace, queue, ran, clock or end, got .."
static int
out_of_order(struct mn_golden_reader *r, const struct rule *from, const char *got)
{
	char allowed[128];
	size_t n = 0;
	const struct rule *row = from;

	do {
		const char *joint = row == from ? "" : row->any_number ? ", " : " or ";

		n += (size_t)snprintf(allowed + n, sizeof(allowed) - n, "%s%s", joint, row->word);
	} while (row++->any_number);
	return fail(r, -EBADMSG, "%s:%ld: expected %s, got %s", r->name, r->number, allowed, got);
}

// Takes the line last read into *c. *row, where the case stands, moves on.
static int
accept_line(struct mn_golden_reader *r, struct mn_golden_case *c, const struct rule **row)
{
	char quoted[QUOTE_MAX];
	const struct rule *found;
	struct fields f;
	int err;

	cut(r);
	found = find_rule(r, *row);
	if (!found)
		return out_of_order(r, *row, quote(r->line, quoted));
	err = read_fields(r, found->fields, &f);
	if (err)
		return err;
	*row = found->any_number ? found : found + 1;
	return found->accept(r, c, &f);
}

int
mn_golden_read(struct mn_golden_reader *r, struct mn_golden_case *c)
{
	const struct rule *row = rules;
	int got = next_line_between_cases(r);

	if (got == 0 && r->cases == 0)
		return fail(r, -EBADMSG, "%s:%ld: expected case, got the end of the file", r->name, r->number + 1);
	if (got <= 0)
		return got;
	r->cases++;
	for (;;) {
		int err = accept_line(r, c, &row);

		if (err)
			return err;
		if (row == rules + RULES)
			return 1;
		got = next_line(r);
		if (got < 0)
			return got;
		if (got == 0) {
			r->number++;
			return out_of_order(r, row, "the end of the file");
		}
	}
}

void
mn_golden_case_clear(struct mn_golden_case *c)
{
	for (size_t i = 0; i < c->count; i++)
		free(c->line[i].text);
	free(c->line);
	mn_arrivals_clear(&c->spawns);
	*c = (struct mn_golden_case){ 0 };
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
