// SPDX-License-Identifier: MIT
// values_test.c: lists, ranges, machine words; where each error is.
#include "experiments/mnlab/machine.h"
#include "experiments/mnlab/tests/check.h"
#include "experiments/mnlab/values.h"

static const struct machine machine = { .pus = 6, .cores = 3, .llcs = 2, .numas = 1, .usable = 5 };
enum { COLUMN = 10 };

// The values joined by blanks, or "COLUMN: error".
static const char *
read_as(const char *text, bool numeric)
{
	static char out[4096];
	struct values v;
	char err[1024];
	int at;

	if (values_read(&v, text, COLUMN, numeric, &machine, &at, err, sizeof err)) {
		snprintf(out, sizeof out, "%d: %s", at, err);
		return out;
	}
	out[0] = 0;
	for (int i = 0; i < v.n; i++)
		snprintf(out + strlen(out), sizeof out - strlen(out), "%s%s", i ? " " : "", v.v[i].text);
	values_free(&v);
	return out;
}

static void
test_lists(void)
{
	check_text(read_as("half", false), "half");
	check_text(read_as("half, one ,all", false), "half one all");
	check_text(read_as("close, \"0,2-5\"", false), "close 0,2-5");
	check_text(read_as("1, 2,4", true), "1 2 4");
	check_text(read_as("-3", true), "-3");
}

static void
test_ranges(void)
{
	check_text(read_as("1..5", true), "1 2 3 4 5");
	check_text(read_as("1..20 *2", true), "1 2 4 8 16");
	check_text(read_as("1..20*3", true), "1 3 9");
	check_text(read_as("0..10 +5", true), "0 5 10");
	check_text(read_as("3..3", true), "3");
	check_text(read_as("1, 2, 2..4", true), "1 2 3 4");
	check_text(read_as("9223372036854775806..9223372036854775807", true),
	           "9223372036854775806 9223372036854775807");
	check_text(read_as("4611686018427387904..9223372036854775807 *2", true), "4611686018427387904");
}

static void
test_machine_words(void)
{
	check_text(read_as("pus, cores, llc, numa, auto", true), "6 3 2 1 5");
	check_text(read_as("50%, 200%", true), "3 12");
	check_text(read_as("1%", true), "1");
	check_text(read_as("1, 2, 4, 4..200% *2", true), "1 2 4 8");
	check_text(read_as("1..pus *2", true), "1 2 4");
	check_text(read_as("6, pus", true), "6");    // equal here by chance: not a slip
	check_text(read_as("1, 7..pus", true), "1"); // empty here, not everywhere
	check_text(read_as("pus", false), "pus");    // a word where words are meant
}

static void
test_errors(void)
{
	check_text(read_as("", false), "10: a value is missing here");
	check_text(read_as("half,", false), "15: a value is missing here");
	check_text(read_as("half,,one", false), "15: a value is missing here");
	check_text(read_as("half one", false), "15: \"one\" does not belong here; allowed: a comma between values");
	check_text(read_as("half, half", false), "16: \"half\" is listed twice");
	check_text(read_as("1, 2, 1", true), "16: \"1\" is listed twice");
	check_text(read_as("\"0,1", false), "10: this quote is not closed");
	check_has(read_as("1, x", true), "13: \"x\" is not a number; allowed:");
	check_has(read_as("pusx", true), "10: \"pusx\" is not a number");
	check_has(read_as("99999999999999999999", true), "10: \"99999999999999999999\" is out of range");
	check_text(read_as("5..1", true), "10: the range 5..1 is empty");
	check_text(read_as("1..8 *1", true), "15: this step goes nowhere; allowed: *2 and more, +1 and more");
	check_text(read_as("1..8 +0", true), "15: this step goes nowhere; allowed: *2 and more, +1 and more");
	check_text(read_as("0..8 *2", true), "10: a range with * must begin at 1 or more");
	check_text(read_as("0%", true), "10: 0% of the processors; allowed: 1% to 100000%");
	check_text(read_as("1..100000", true), "10: too many values; allowed: up to 4096");
	check_has(read_as("1..", true), "13: \"\" is not a number");
}

static void
test_long_value(void)
{
	char text[VALUE_TEXT_MAX + 1];

	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = 0;
	check_text(read_as(text, false), "10: a value of 256 characters; allowed: up to 255");
	text[sizeof text - 2] = 0;
	check_text(read_as(text, false), text);
}

int
main(void)
{
	test_lists();
	test_ranges();
	test_machine_words();
	test_errors();
	test_long_value();
	return 0;
}
