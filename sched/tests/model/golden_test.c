// SPDX-License-Identifier: MIT
// The golden files: all cases pass; a line that is changed, missing or too many is found, by its number, with both texts;
// and what is not in the format is refused where it stands, with what is allowed there.
#include "sched/base/check.h"
#include "sched/model/golden.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// What one check said: lines joined by newlines.
struct verdict {
	char said[1024];
	struct mn_golden_tally tally;
	int err;
};

static void
hear(void *arg, const char *line)
{
	struct verdict *v = arg;
	size_t n = strlen(v->said);

	snprintf(v->said + n, sizeof(v->said) - n, "%s%s", n > 0 ? "\n" : "", line);
}

static struct verdict
check_text(const char *text, size_t size)
{
	struct verdict v = { .said = "" };
	FILE *in = size > 0 ? fmemopen((void *)(uintptr_t)text, size, "r") : fopen("/dev/null", "r");

	CHECK(in);
	v.err = mn_golden_check_stream(in, "F", &v.tally, hear, &v);
	fclose(in);
	return v;
}

static void
expect(const struct verdict *v, int err, long passed, long failed, const char *said)
{
	if (strcmp(v->said, said) != 0)
		mn_throw("expected \"%s\", got \"%s\"", said, v->said);
	CHECK(v->err == err && v->tally.passed == passed && v->tally.failed == failed);
}

// ---- The file in the tree ------------------------------------------------------------------------------------------

static void
test_all_golden_cases_pass(void)
{
	struct verdict v = { .said = "" };

	v.err = mn_golden_check(GOLDEN, &v.tally, hear, &v);
	expect(&v, 0, 122, 0, "");
}

static void
test_files_that_cannot_be_read(void)
{
	struct verdict v = { .said = "" };

	v.err = mn_golden_check("/nonexistent/golden.txt", &v.tally, hear, &v);
	expect(&v, -ENOENT, 0, 0, "/nonexistent/golden.txt: cannot be opened: No such file or directory");
	v = (struct verdict){ .said = "" };
	v.err = mn_golden_check("/", &v.tally, hear, &v);
	expect(&v, -EISDIR, 0, 0, "/: cannot be read: Is a directory");
}

// ---- A small case, and what can be wrong with it -------------------------------------------------------------------

// The lines of a case, one a row, so that a test can name the one it changes. It has lines of every kind but steal.
static const char *const small[] = {
	"# a comment, and a blank line", // 1
	"",                              // 2
	"case small",                    // 3
	"procs 2",                       // 4
	"quantum 2",                     // 5
	"cap 2",                         // 6
	"spawn 0 0 A 3",                 // 7
	"spawn 0 0 B 1",                 // 8
	"spawn 0 -1 C 0",                // 9
	"trace 0 0 spawn A 0",           // 10
	"trace 0 0 spawn B 0",           // 11
	"trace 0 0 spill - 1",           // 12
	"trace 0 0 spawn C 0",           // 13
	"trace 0 0 run B 1",             // 14
	"trace 0 0 done B 0",            // 15
	"trace 0 1 global - 1",          // 16
	"trace 0 1 run A 2",             // 17
	"trace 2 0 run C 1",             // 18
	"trace 2 0 done C 0",            // 19
	"trace 2 1 run A 1",             // 20
	"trace 2 1 done A 0",            // 21
	"queue 0 2 0 1",                 // 22
	"queue 2 1 1 0",                 // 23
	"queue 4 0 0 0",                 // 24
	"ran 0 2 0",                     // 25
	"ran 1 3 0",                     // 26
	"clock 4",                       // 27
	"end",                           // 28
};
enum { SMALL = sizeof(small) / sizeof(*small) };

enum edit { AS_IT_IS, REPLACE, REMOVE, INSERT, CUT }; // INSERT: before the line; CUT: the file ends before it

// Checks the small case after an edit of the line with that number.
static struct verdict
check_edited(enum edit edit, int number, const char *text)
{
	char *file = NULL;
	size_t size;
	FILE *out = open_memstream(&file, &size);
	struct verdict v;

	CHECK(out);
	for (int i = 1; i <= SMALL && !(edit == CUT && i == number); i++) {
		if (i == number && (edit == INSERT || edit == REPLACE))
			fprintf(out, "%s\n", text);
		if (i != number || (edit != REMOVE && edit != REPLACE))
			fprintf(out, "%s\n", small[i - 1]);
	}
	CHECK(fclose(out) == 0);
	v = check_text(file, size);
	free(file);
	return v;
}

// clang-format off
static const struct row {
	enum edit edit;
	int number;
	const char *text;
	int err;
	const char *said;
} rows[] = {
	{ AS_IT_IS, 0, NULL, 0, "" },

	// Differences: the case is in the format, and the model does something else.
	{ REPLACE, 4, "procs 1", 0, "F:16: expected \"trace 0 1 global - 1\", got \"trace 2 0 run C 1\"" },
	{ REPLACE, 5, "quantum 3", 0, "F:17: expected \"trace 0 1 run A 2\", got \"trace 0 1 run A 3\"" },
	{ REPLACE, 6, "cap 3", 0, "F:12: expected \"trace 0 0 spill - 1\", got \"trace 0 0 spawn C 0\"" },
	{ REPLACE, 7, "spawn 0 1 A 3", 0, "F:10: expected \"trace 0 0 spawn A 0\", got \"trace 0 1 spawn A 0\"" },
	{ REMOVE, 9, NULL, 0, "F:11: expected \"trace 0 0 spill - 1\", got \"trace 0 0 run A 2\"" },
	{ REPLACE, 10, "trace 1 0 spawn A 0", 0, "F:10: expected \"trace 1 0 spawn A 0\", got \"trace 0 0 spawn A 0\"" },
	{ REPLACE, 14, "trace 0 0 done B 1", 0, "F:14: expected \"trace 0 0 done B 1\", got \"trace 0 0 run B 1\"" },
	{ REPLACE, 21, "trace 2 1 done B 0", 0, "F:21: expected \"trace 2 1 done B 0\", got \"trace 2 1 done A 0\"" },
	{ REMOVE, 10, NULL, 0, "F:10: expected \"trace 0 0 spawn B 0\", got \"trace 0 0 spawn A 0\"" },
	{ REMOVE, 21, NULL, 0, "F:21: expected \"queue 0 2 0 1\", got \"trace 2 1 done A 0\"" },
	{ INSERT, 21, "trace 2 1 run A 1", 0, "F:21: expected \"trace 2 1 run A 1\", got \"trace 2 1 done A 0\"" },
	{ INSERT, 22, "trace 4 0 idle - 0", 0, "F:22: expected \"trace 4 0 idle - 0\", got \"queue 0 2 0 1\"" },
	{ REPLACE, 22, "queue 0 2 0 2", 0, "F:22: expected \"queue 0 2 0 2\", got \"queue 0 2 0 1\"" },
	{ REPLACE, 23, "queue 2 1 1", 0, "F:23: expected \"queue 2 1 1\", got \"queue 2 1 1 0\"" },
	{ REPLACE, 24, "queue 4 0 0 0 0", 0, "F:24: expected \"queue 4 0 0 0 0\", got \"queue 4 0 0 0\"" },
	{ REMOVE, 24, NULL, 0, "F:24: expected \"ran 0 2 0\", got \"queue 4 0 0 0\"" },
	{ INSERT, 25, "queue 4 0 0 0", 0, "F:25: expected \"queue 4 0 0 0\", got \"ran 0 2 0\"" },
	{ REPLACE, 25, "ran 0 3 0", 0, "F:25: expected \"ran 0 3 0\", got \"ran 0 2 0\"" },
	{ REPLACE, 26, "ran 1 3 1", 0, "F:26: expected \"ran 1 3 1\", got \"ran 1 3 0\"" },
	{ REMOVE, 26, NULL, 0, "F:26: expected \"clock 4\", got \"ran 1 3 0\"" },
	{ INSERT, 27, "ran 2 0 0", 0, "F:27: expected \"ran 2 0 0\", got \"clock 4\"" },
	{ REPLACE, 27, "clock 5", 0, "F:27: expected \"clock 5\", got \"clock 4\"" },
	{ REMOVE, 27, NULL, 0, "F:27: expected \"end\", got \"clock 4\"" },
	{ INSERT, 28, "clock 4", 0, "F:28: expected \"clock 4\", got \"end\"" },

	// Lines out of place.
	{ INSERT, 3, "hello", -EBADMSG, "F:3: expected case, got \"hello\"" },
	{ REMOVE, 3, NULL, -EBADMSG, "F:3: expected case, got \"procs\"" },
	{ REMOVE, 4, NULL, -EBADMSG, "F:4: expected procs, got \"quantum\"" },
	{ INSERT, 5, "procs 2", -EBADMSG, "F:5: expected quantum, got \"procs\"" },
	{ REMOVE, 6, NULL, -EBADMSG, "F:6: expected cap, got \"spawn\"" },
	{ INSERT, 7, "Spawn 0 0 A 3", -EBADMSG,
	  "F:7: expected spawn, trace, queue, ran, clock or end, got \"Spawn\"" },
	{ INSERT, 11, "spawn 0 0 D 3", -EBADMSG, "F:11: expected trace, queue, ran, clock or end, got \"spawn\"" },
	{ INSERT, 23, "trace 0 0 run A 2", -EBADMSG, "F:23: expected queue, ran, clock or end, got \"trace\"" },
	{ INSERT, 26, "queue 0 0 0 0", -EBADMSG, "F:26: expected ran, clock or end, got \"queue\"" },
	{ INSERT, 28, "ran 2 0 0", -EBADMSG, "F:28: expected clock or end, got \"ran\"" },
	{ INSERT, 28, "", -EBADMSG, "F:28: expected clock or end, got \"\"" },
	{ INSERT, 11, "# between lines", -EBADMSG, "F:11: expected trace, queue, ran, clock or end, got \"#\"" },
	{ REMOVE, 28, NULL, -EBADMSG, "F:28: expected clock or end, got the end of the file" },
	{ CUT, 4, NULL, -EBADMSG, "F:4: expected procs, got the end of the file" },
	{ CUT, 12, NULL, -EBADMSG, "F:12: expected trace, queue, ran, clock or end, got the end of the file" },
	{ CUT, 3, NULL, -EBADMSG, "F:3: expected case, got the end of the file" },
	{ CUT, 1, NULL, -EBADMSG, "F:1: expected case, got the end of the file" },

	// Fields.
	{ REPLACE, 3, "case", -EBADMSG, "F:3:5: expected a word without control characters, got the end of the line" },
	{ REPLACE, 3, "case a b", -EBADMSG, "F:3:8: expected the end of the line, got \"b\"" },
	{ REPLACE, 3, "case a\tb", -EBADMSG, "F:3:6: expected a word without control characters, got \"a?b\"" },
	{ REPLACE, 3, "case  a", -EBADMSG, "F:3:6: expected a word without control characters, got \"\"" },
	{ REPLACE, 4, "procs 1025", -EBADMSG, "F:4:7: expected a whole number up to 1024, got \"1025\"" },
	{ REPLACE, 4, "procs -2147483649", -EBADMSG,
	  "F:4:7: expected a whole number up to 1024, got \"-2147483649\"" },
	{ REPLACE, 5, "quantum 2147483648", -EBADMSG,
	  "F:5:9: expected a whole number from -2147483648 to 2147483647, got \"2147483648\"" },
	{ REPLACE, 5, "quantum 99999999999999999999", -EBADMSG,
	  "F:5:9: expected a whole number from -2147483648 to 2147483647, got \"99999999999999999999\"" },
	{ REPLACE, 6, "cap +2", -EBADMSG,
	  "F:6:5: expected a whole number from -2147483648 to 2147483647, got \"+2\"" },
	{ REPLACE, 6, "cap 2 ", -EBADMSG, "F:6:7: expected the end of the line, got \"\"" },
	{ REPLACE, 7, "spawn 0 0 A 03", -EBADMSG,
	  "F:7:13: expected a whole number from -2147483648 to 2147483647, got \"03\"" },
	{ REPLACE, 7, "spawn -1 0 A 3", -EBADMSG,
	  "F:7:7: expected a whole number from 0 to 2147483647, got \"-1\"" },
	{ REPLACE, 7, "spawn 2147483648 0 A 3", -EBADMSG,
	  "F:7:7: expected a whole number from 0 to 2147483647, got \"2147483648\"" },
	{ REPLACE, 7, "spawn 0 0 A", -EBADMSG,
	  "F:7:12: expected a whole number from -2147483648 to 2147483647, got the end of the line" },
	{ REPLACE, 10, "trace 0 0 spawned A 0", -EBADMSG,
	  "F:10:11: expected spawn, run, done, steal, global, idle or spill, got \"spawned\"" },
	{ REPLACE, 10, "trace 0 0 spawn A 0x0", -EBADMSG,
	  "F:10:19: expected a whole number from 0 to 9223372036854775807, got \"0x0\"" },
	{ REPLACE, 10, "trace 0 0 spawn A -0", -EBADMSG,
	  "F:10:19: expected a whole number from 0 to 9223372036854775807, got \"-0\"" },
	{ REPLACE, 10, "trace 0 0 spawn A 0\r", -EBADMSG,
	  "F:10:19: expected a whole number from 0 to 9223372036854775807, got \"0?\"" },
	{ REPLACE, 22, "queue 0", -EBADMSG,
	  "F:22:8: expected a whole number from 0 to 9223372036854775807, got the end of the line" },
	{ REPLACE, 22, "queue 0 2 0 x", -EBADMSG,
	  "F:22:13: expected a whole number from 0 to 9223372036854775807, got \"x\"" },
	{ REPLACE, 22, "queue 0 2 0 9223372036854775808", -EBADMSG,
	  "F:22:13: expected a whole number from 0 to 9223372036854775807, got \"9223372036854775808\"" },
	{ REPLACE, 25, "ran 0 2 0 0", -EBADMSG, "F:25:11: expected the end of the line, got \"0\"" },
	{ REPLACE, 28, "end of it", -EBADMSG, "F:28:5: expected the end of the line, got \"of\"" },
	{ REPLACE, 28, "end-of-what-is-longer-than-anybody-would-want-to-read-in-a-message", -EBADMSG,
	  "F:28: expected clock or end, got \"end-of-what-is-longer-than-anybody-would..\"" },
};
// clang-format on

static void
test_every_wrong_line_is_found(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct row *row = &rows[i];
		struct verdict v = check_edited(row->edit, row->number, row->text);
		bool passed = row->err == 0 && *row->said == '\0';

		expect(&v, row->err, passed, row->err == 0 && !passed, row->said);
	}
}

// ---- Several cases in a file ---------------------------------------------------------------------------------------

#define EMPTY_CASE(procs, results) "case c\nprocs " procs "\nquantum 1\ncap 1\n" results "end"
#define GOOD                       EMPTY_CASE("1", "queue 0 0 0\nran 0 0 0\nclock 0\n")
#define WRONG                      EMPTY_CASE("1", "queue 0 0 0\nran 0 0 0\nclock 1\n")

static void
test_one_difference_a_case_and_on_to_the_next(void)
{
	static const char text[] = GOOD "\n" WRONG "\n\n# and\n" WRONG "\n" GOOD;
	struct verdict v = check_text(text, strlen(text));

	expect(&v, 0, 2, 2, "F:15: expected \"clock 1\", got \"clock 0\"\nF:25: expected \"clock 1\", got \"clock 0\"");
}

static void
test_cases_before_an_error_count(void)
{
	static const char text[] = GOOD "\n" WRONG "\nend\n" GOOD "\n";
	struct verdict v = check_text(text, strlen(text));

	expect(&v, -EBADMSG, 1, 1, "F:15: expected \"clock 1\", got \"clock 0\"\nF:17: expected case, got \"end\"");
}

static void
test_nothing_but_text(void)
{
	static const char text[] = GOOD "\ncase c\nprocs \0001\n";
	struct verdict v = check_text(text, sizeof(text) - 1);

	expect(&v, -EBADMSG, 1, 0, "F:10:7: expected text, got a NUL byte");
	v = check_text("", 0);
	expect(&v, -EBADMSG, 0, 0, "F:1: expected case, got the end of the file");
}

// A case that would run for two thousand million rounds ends where it has more events than the file has trace lines.
static void
test_a_wrong_case_does_not_run_on(void)
{
	static const char text[] = "case c\nprocs 1024\nquantum 1\ncap 1\nspawn 0 0 A 2147483647\n"
	                           "spawn 2147483647 0 B 1\ntrace 0 0 spawn A 0\nend\n";
	struct verdict v = check_text(text, strlen(text));

	expect(&v, 0, 0, 1, "F:8: expected \"end\", got \"trace 0 0 run A 1\"");
}

static void
test_a_jump_to_the_last_round(void)
{
	static const char text[] = "case c\nprocs 1\nquantum 1\ncap 1\nspawn 2147483647 0 A 2\ntrace 0 0 spawn A 0\n"
	                           "trace 0 0 run A 1\ntrace 1 0 run A 1\ntrace 1 0 done A 0\nqueue 0 0 0\n"
	                           "queue 0 1 0\nqueue 1 1 0\nqueue 2 0 0\nran 0 2 0\nclock 2\nend\n";
	struct verdict v = check_text(text, strlen(text));

	expect(&v, 0, 1, 0, "");
}

int
main(void)
{
	test_all_golden_cases_pass();
	test_files_that_cannot_be_read();
	test_every_wrong_line_is_found();
	test_one_difference_a_case_and_on_to_the_next();
	test_cases_before_an_error_count();
	test_nothing_but_text();
	test_a_wrong_case_does_not_run_on();
	test_a_jump_to_the_last_round();
	return 0;
}
