// SPDX-License-Identifier: MIT
// golden_read.c: the cases of a golden file.
//
// The one idea: the format is a table. A row is a kind of line, the rows stand in the order in which lines may come, and a
// string says what fields a line has; order, fields and messages all come from it.
#include "sched/model/golden_read.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sched/model/golden_line.h"

struct rule {
	const char *word;
	const char *fields; // see mn_golden_fields
	bool any_number;    // of such lines may follow each other, none included
	int (*accept)(struct mn_golden_reader *, struct mn_golden_case *, const struct mn_golden_fields *);
};

static int
no_memory(struct mn_golden_reader *r)
{
	return mn_golden_fail(r, -ENOMEM, "%s:%ld: out of memory", r->name, r->number);
}

static int
accept_case(struct mn_golden_reader *r, struct mn_golden_case *c, const struct mn_golden_fields *f)
{
	(void)r, (void)c, (void)f;
	return 0;
}

static int
accept_procs(struct mn_golden_reader *r, struct mn_golden_case *c, const struct mn_golden_fields *f)
{
	(void)r;
	c->procs = (int)f->number[0];
	return 0;
}

static int
accept_quantum(struct mn_golden_reader *r, struct mn_golden_case *c, const struct mn_golden_fields *f)
{
	(void)r;
	c->quantum = (int)f->number[0];
	return 0;
}

static int
accept_cap(struct mn_golden_reader *r, struct mn_golden_case *c, const struct mn_golden_fields *f)
{
	(void)r;
	c->cap = (int)f->number[0];
	return 0;
}

static int
accept_spawn(struct mn_golden_reader *r, struct mn_golden_case *c, const struct mn_golden_fields *f)
{
	int err = mn_arrivals_add(&c->spawns, (int)f->number[0], (int)f->number[1], f->word[2], (int)f->number[3]);

	return err ? no_memory(r) : 0;
}

static int
accept_expected(struct mn_golden_reader *r, struct mn_golden_case *c, const struct mn_golden_fields *f)
{
	char *text;

	(void)f;
	if (c->count == c->room) {
		size_t room = c->room ? 2 * c->room : 64;
		struct mn_golden_expected *line = reallocarray(c->line, room, sizeof(*line));

		if (!line)
			return no_memory(r);
		c->line = line;
		c->room = room;
	}
	mn_golden_join(r);
	text = strdup(r->line);
	if (!text)
		return no_memory(r);
	c->line[c->count++] = (struct mn_golden_expected){ text, r->number };
	return 0;
}

static int
accept_trace(struct mn_golden_reader *r, struct mn_golden_case *c, const struct mn_golden_fields *f)
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
	return mn_golden_fail(r, -EBADMSG, "%s:%ld: expected %s, got %s", r->name, r->number, allowed, got);
}

// Reads the next line, leaving out the blank lines and comments that may stand between cases.
static int
next_line_between_cases(struct mn_golden_reader *r)
{
	int got;

	do
		got = mn_golden_next_line(r);
	while (got > 0 && (r->line[0] == '\0' || r->line[0] == '#'));
	return got;
}

// Takes the line last read into *c. *row, where the case stands, moves on.
static int
accept_line(struct mn_golden_reader *r, struct mn_golden_case *c, const struct rule **row)
{
	char quoted[MN_GOLDEN_QUOTE_MAX];
	const struct rule *found;
	struct mn_golden_fields f;
	int err;

	mn_golden_cut(r);
	found = find_rule(r, *row);
	if (!found)
		return out_of_order(r, *row, mn_golden_quote(r->line, quoted));
	err = mn_golden_fields(r, found->fields, &f);
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

	if (got <= 0)
		return got;
	for (;;) {
		int err = accept_line(r, c, &row);

		if (err)
			return err;
		if (row == rules + RULES)
			return 1;
		got = mn_golden_next_line(r);
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
