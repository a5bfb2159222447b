// SPDX-License-Identifier: MIT
// The reader of golden files against damaged ones: cases of the real file, changed at random from a fixed seed, thousands of
// times. Whatever the damage, the check ends soon, and with a verdict that is in order: each failed case has its line, a
// file that is not in the format has one more, at the end, and nothing else is said. All verdicts must have come up.
#include "sched/base/check.h"
#include "sched/base/rng.h"
#include "sched/model/golden.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DAMAGED = 20000, CASES_MAX = 200, CASE_SIZE_MAX = 6000, ROOM = 4 * CASE_SIZE_MAX, EDITS_MAX = 4 };

struct text {
	size_t size;
	char at[ROOM];
};

// ---- Damage --------------------------------------------------------------------------------------------------------

// Puts size bytes in place of the n at `from`. What does not fit is left as it is.
static void
replace(struct text *t, size_t from, size_t n, const char *with, size_t size)
{
	if (t->size - n + size > ROOM)
		return;
	memmove(t->at + from + size, t->at + from + n, t->size - from - n);
	memmove(t->at + from, with, size);
	t->size += size - n;
}

static size_t
anywhere(struct rng *r, const struct text *t)
{
	return rng_below(r, (uint32_t)t->size + 1);
}

static size_t
line_start(const struct text *t, size_t at)
{
	while (at > 0 && t->at[at - 1] != '\n')
		at--;
	return at;
}

static size_t
line_size(const struct text *t, size_t start)
{
	size_t end = start;

	while (end < t->size && t->at[end] != '\n')
		end++;
	return end < t->size ? end + 1 - start : end - start;
}

static void
change_byte(struct rng *r, struct text *t)
{
	char byte = (char)rng_below(r, 256);
	size_t at = anywhere(r, t);

	replace(t, at, at < t->size && rng_below(r, 2), &byte, 1);
}

static void
drop_some(struct rng *r, struct text *t)
{
	size_t at = anywhere(r, t), n = rng_below(r, 40);

	replace(t, at, n < t->size - at ? n : t->size - at, "", 0);
}

static void
drop_line(struct rng *r, struct text *t)
{
	size_t start = line_start(t, anywhere(r, t));

	replace(t, start, line_size(t, start), "", 0);
}

// Copies a line to another place.
static void
copy_line(struct rng *r, struct text *t)
{
	char line[ROOM];
	size_t from = line_start(t, anywhere(r, t)), n = line_size(t, from);

	memcpy(line, t->at + from, n);
	replace(t, line_start(t, anywhere(r, t)), 0, line, n);
}

static void
cut_end(struct rng *r, struct text *t)
{
	t->size = anywhere(r, t);
}

// Puts a hard word in the place of one.
static void
change_word(struct rng *r, struct text *t)
{
	static const char *const words[] = {
		"0",
		"1",
		"-1",
		"1024",
		"1025",
		"2147483647",
		"2147483648",
		"-2147483648",
		"-2147483649",
		"9223372036854775807",
		"18446744073709551616",
		"1e3",
		"",
		"-",
		"case",
		"end",
		"spawn",
		"spawn 0 0 X 2147483647",
		"P0",
		"%s%n",
	};
	const char *word = words[rng_below(r, sizeof(words) / sizeof(*words))];
	size_t from = anywhere(r, t), end;

	while (from > 0 && !isspace((unsigned char)t->at[from - 1]))
		from--;
	for (end = from; end < t->size && !isspace((unsigned char)t->at[end]);)
		end++;
	replace(t, from, end - from, word, strlen(word));
}

static void
damage(struct rng *r, struct text *t)
{
	static void (*const edits[])(struct rng *, struct text *) = {
		change_byte, drop_some, drop_line, copy_line, change_word, change_word, cut_end,
	};

	for (uint32_t n = 1 + rng_below(r, EDITS_MAX); n > 0; n--)
		edits[rng_below(r, sizeof(edits) / sizeof(*edits))](r, t);
}

// ---- Verdict -------------------------------------------------------------------------------------------------------

// A line is FILE:LINE[:COLUMN]: TEXT, and printable.
static void
hear(void *arg, const char *line)
{
	long *lines = arg;
	const char *at = line;

	CHECK(*at++ == 'F' && *at++ == ':' && isdigit((unsigned char)*at));
	at += strspn(at, "0123456789:");
	CHECK(strncmp(at, " expected ", 10) == 0 && strstr(at, ", got "));
	for (; *at; at++)
		CHECK(!iscntrl((unsigned char)*at));
	++*lines;
}

enum verdict { PASSED, FAILED, REFUSED, VERDICTS };

static enum verdict
check(const struct text *t)
{
	struct mn_golden_tally tally = { 0 };
	long lines = 0;
	FILE *in = t->size > 0 ? fmemopen((void *)(uintptr_t)t->at, t->size, "r") : fopen("/dev/null", "r");
	int err;

	CHECK(in);
	err = mn_golden_check_stream(in, "F", &tally, hear, &lines);
	fclose(in);
	CHECK(err == 0 || err == -EBADMSG);
	CHECK(lines == tally.failed + (err != 0));
	CHECK(err != 0 || tally.passed + tally.failed > 0);
	return err ? REFUSED : tally.failed ? FAILED : PASSED;
}

// ---- Cases ---------------------------------------------------------------------------------------------------------

static char *
read_all(const char *path, size_t *size)
{
	FILE *in = fopen(path, "re"), *out;
	char *all = NULL;
	int c;

	CHECK(in);
	out = open_memstream(&all, size);
	CHECK(out);
	while ((c = getc(in)) != EOF)
		putc(c, out);
	CHECK(!ferror(in) && fclose(out) == 0);
	fclose(in);
	return all;
}

// Finds the cases that are short enough to be replayed thousands of times.
static int
find_cases(char *all, char *cases[CASES_MAX])
{
	int n = 0;
	char *next = strstr(all, "case ");

	while (next && n < CASES_MAX) {
		char *begin = next;

		next = strstr(begin + 1, "\ncase ");
		if (next)
			*next++ = '\0';
		if (strlen(begin) < CASE_SIZE_MAX)
			cases[n++] = begin;
	}
	return n;
}

int
main(void)
{
	static struct text text;
	char *cases[CASES_MAX];
	size_t size;
	char *all = read_all(GOLDEN, &size);
	int n = find_cases(all, cases);
	long verdicts[VERDICTS] = { 0 };
	struct rng r;

	CHECK(n > 50);
	rng_seed(&r, 1, 0);
	for (int i = 0; i < DAMAGED; i++) {
		const char *one = cases[rng_below(&r, (uint32_t)n)];

		text.size = strlen(one);
		memcpy(text.at, one, text.size);
		if (i < n)
			CHECK(check(&text) == PASSED);
		damage(&r, &text);
		verdicts[check(&text)]++;
	}
	printf("%ld passed, %ld failed, %ld refused\n", verdicts[PASSED], verdicts[FAILED], verdicts[REFUSED]);
	for (int v = 0; v < VERDICTS; v++)
		CHECK(verdicts[v] > DAMAGED / 1000);
	free(all);
	return 0;
}
