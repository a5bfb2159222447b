// SPDX-License-Identifier: MIT
// golden_line.h: the lines of a golden file, one after the other, and the fields in them. Knows what a field looks like, but
// not which line has which fields: that is golden_read.c's.
//
// A number is good if printing it gives the same text again. So two lines that mean the same are equal as text, and
// golden.c can compare them as text.
#ifndef MN_MODEL_GOLDEN_LINE_H
#define MN_MODEL_GOLDEN_LINE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// Set in and name (for messages), zero the rest.
struct mn_golden_reader {
	FILE *in;
	const char *name;
	long number;   // of the line last read
	char *line;    // that line, without its newline
	size_t length; // of that line
	size_t room;
	char *error; // one line about what went wrong; NULL if nothing did, or if there was no memory to say it
};

// Reads a line. 1: there it is. 0: no more. -EBADMSG: it has a NUL in it. Another -errno: it cannot be read.
int mn_golden_next_line(struct mn_golden_reader *r);

// Cuts the line into words by putting NULs where the spaces are, the first word at r->line; and puts the spaces back.
void mn_golden_cut(struct mn_golden_reader *r);
void mn_golden_join(struct mn_golden_reader *r);

enum { MN_GOLDEN_FIELDS_KEPT = 4 }; // as many as anybody asks for; those that come later are checked and dropped

struct mn_golden_fields {
	int64_t number[MN_GOLDEN_FIELDS_KEPT]; // 0 for a word
	const char *word[MN_GOLDEN_FIELDS_KEPT];
};

// Takes the words behind the first one of a line that has been cut, and checks them: a letter for each says what it must
// be, see field_kinds in golden_line.c; a + at the end: the same as the one before it, any number of times more. Returns 0
// or -EBADMSG.
int mn_golden_fields(struct mn_golden_reader *r, const char *letters, struct mn_golden_fields *f);

// Sets r->error and returns err.
int mn_golden_fail(struct mn_golden_reader *r, int err, const char *format, ...) __attribute__((format(printf, 3, 4)));

// Copies the beginning of text in quotes, with what would spoil a terminal replaced. NULL stands for the end of a line.
enum { MN_GOLDEN_QUOTE_MAX = 64 };
const char *mn_golden_quote(const char *text, char quoted[MN_GOLDEN_QUOTE_MAX]);

// Frees what reading took; in stays open.
void mn_golden_reader_clear(struct mn_golden_reader *r);

#endif
