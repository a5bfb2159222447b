// SPDX-License-Identifier: MIT
// compare_input_test.c: what `mnlab compare` refuses, with which words and exit code, and how its table looks.
#include "experiments/mnlab/compare_rig.h"

#include <pty.h>
#include <stdlib.h>
#include <unistd.h>

#include "experiments/mnlab/mnlab.h"

// ---- Bad input -----------------------------------------------------------------------------------------------------

static void
test_bad_factor(void)
{
	const struct rig_outcome *o;

	rig_begin();
	rig_rounds((struct rig_row){ .steal = "half" }, 6, 1);
	rig_rounds((struct rig_row){ .steal = "one" }, 6, 1);
	o = rig_compare(rig_folder, "--by", "stael");
	refused(o, MNLAB_USAGE);
	says(o->err, "stael is no factor of these rows; factors that vary: steal (half one)");
	o = rig_compare(rig_folder, "--by", "victim");
	refused(o, MNLAB_USAGE);
	says(o->err, "victim has one value only (random); factors that vary: steal (half one)");
	o = rig_compare(rig_folder, "--by", "pin");
	refused(o, MNLAB_USAGE);
	says(o->err, "pin is in no row");
	o = rig_compare(rig_folder, "--by", "workload");
	refused(o, MNLAB_USAGE);
	says(o->err, "its values do different work");
	o = rig_compare(rig_folder, "--by", "steal", "--base", "all");
	refused(o, MNLAB_USAGE);
	says(o->err, "no rows with steal=all; there are: half one");
	rig_end();
}

static void
test_nothing_varies(void)
{
	const struct rig_outcome *o;

	rig_begin();
	rig_rounds((struct rig_row){ .steal = "half" }, 6, 1);
	rig_rounds((struct rig_row){ .workload = "uniform", .tasks = 7 }, 6, 1);
	o = rig_compare(rig_folder, "--by", "steal");
	refused(o, MNLAB_USAGE);
	says(o->err, "factors that vary: none");
	o = rig_compare(rig_folder, "--by", "tasks");
	refused(o, MNLAB_USAGE);
	says(o->err, "tasks does not vary within a workload");
	rig_end();
}

static void
test_nothing_else_equal(void)
{
	const struct rig_outcome *o;

	rig_begin();
	rig_rounds((struct rig_row){ .steal = "half", .local_cap = 16 }, 6, 1);
	rig_rounds((struct rig_row){ .steal = "one", .local_cap = 64 }, 6, 1);
	o = rig_compare(rig_folder, "--by", "steal");
	refused(o, MNLAB_USAGE);
	says(o->err, "no two values of steal were run with all else equal (base half)");
	rig_end();
}

static void
test_bad_usage(void)
{
	const struct rig_outcome *o;

	rig_begin();
	rig_rounds((struct rig_row){ .steal = "half" }, 1, 1);
	o = rig_compare(rig_folder);
	refused(o, MNLAB_USAGE);
	says(o->err, "--by FACTOR");
	o = rig_compare("--by", "steal");
	refused(o, MNLAB_USAGE);
	says(o->err, "which results folder?");
	o = rig_compare(rig_folder, rig_folder, "--by", "steal");
	refused(o, MNLAB_USAGE);
	says(o->err, "one results folder at a time");
	o = rig_compare(rig_folder, "--by", "steal", "--metric", "speed");
	refused(o, MNLAB_USAGE);
	says(o->err, "unknown metric \"speed\"; allowed: wall_ns cpu_ns");
	expect(rig_compare(rig_folder, "--by", "steal", "--bogus")->status == MNLAB_USAGE);
	o = rig_compare("/nonexistent/results", "--by", "steal");
	refused(o, MNLAB_USAGE);
	says(o->err, "/nonexistent/results");
	o = rig_compare("--help");
	expect(o->status == 0);
	says(o->out, "Exit status:");
	rig_end();
}

static void
test_no_rows(void)
{
	const struct rig_outcome *o;

	rig_begin();
	o = rig_compare(rig_folder, "--by", "steal");
	refused(o, MNLAB_USAGE);
	says(o->err, "nothing to compare: no repetition is OK (0 TAINTED, 0 failed)");
	rig_end();
}

// A good row, then the same without a key, or with another value of it.
static void
expect_bad_row(const char *key, json_t *value, const char *metric, const char *what)
{
	struct rig_row r = { .wall_ns = 1e6 };
	const struct rig_outcome *o;
	json_t *bad;

	rig_begin();
	rig_rounds((struct rig_row){ .steal = "one" }, 1, 1);
	bad = rig_object(&r);
	if (value)
		json_object_set_new(bad, key, value);
	else
		json_object_del(bad, key);
	rig_put_object(bad);
	o = rig_compare(rig_folder, "--by", "steal", "--metric", metric);
	refused(o, MNLAB_BAD_DATA);
	expect_at(&expected, strstr(o->err, what) != NULL, what, __FILE__, __LINE__);
	rig_end();
}

static void
test_bad_rows(void)
{
	expect_bad_row("workload", NULL, "wall_ns", "rows.jsonl:2:1: a finished repetition without a workload");
	expect_bad_row("cell", NULL, "wall_ns", "rows.jsonl:2:1: a finished repetition without a cell");
	expect_bad_row("round", json_string("x"), "wall_ns", "rows.jsonl:2:1: a finished repetition without a round");
	expect_bad_row("wall_ns", NULL, "wall_ns", "rows.jsonl:2:1: a finished repetition whose wall_ns is missing");
	expect_bad_row("wall_ns", json_integer(0), "wall_ns", "rows.jsonl:2:1: a finished repetition whose wall_ns");
	expect_bad_row("wall_ns", json_integer(-5), "wall_ns", "rows.jsonl:2:1: a finished repetition whose wall_ns");
	expect_bad_row("sim", json_true(), "cpu_ns", "rows.jsonl:1:1: a finished repetition whose cpu_ns is missing");
}

static void
test_bad_line(void)
{
	const struct rig_outcome *o;

	rig_begin();
	rig_rounds((struct rig_row){ .steal = "half" }, 2, 1);
	fputs("not a row\n", rig_file);
	rig_rounds((struct rig_row){ .steal = "one" }, 2, 1);
	o = rig_compare(rig_folder, "--by", "steal");
	refused(o, MNLAB_BAD_DATA);
	says(o->err, "rows.jsonl:3:");
	rig_end();
}

// ---- How it looks --------------------------------------------------------------------------------------------------

static void
test_table_is_narrow(void)
{
	const char *line, *end;
	const struct rig_outcome *o;

	rig_begin();
	rig_rounds((struct rig_row){ .victim = "random" }, 12, 1234);
	rig_rounds((struct rig_row){ .victim = "most-loaded" }, 12, 1.1 * 1234);
	rig_rounds((struct rig_row){ .victim = "round-robin", .no_counters = true }, 12, 17.5 * 1234);
	o = rig_compare(rig_folder, "--by", "victim");
	for (line = strchr(o->out, '\n') + 1; (end = strchr(line, '\n')); line = end + 1)
		expect(end - line <= 120);
	lacks(o->out, "\033");
	lacks(o->out, "nan");
	says(o->out, "worse: 17.");
	says(o->out, "    -       -       -       -\n");
	rig_end();
}

// More comparisons than a screen holds: blocks without a difference are counted, not shown.
static void
test_long_table(void)
{
	const struct rig_outcome *o;

	rig_begin();
	for (int cap = 1; cap <= 61; cap++) {
		rig_rounds((struct rig_row){ .steal = "half", .local_cap = cap }, 6, 1);
		rig_rounds((struct rig_row){ .steal = "one", .local_cap = cap }, 6, cap == 17 ? 1.2 : 1);
	}
	o = rig_compare(rig_folder, "--by", "steal");
	expect(o->status == 0);
	says(o->out, "skewed local_cap=17\n");
	says(o->out, "Blocks without any difference, not shown: ");
	says(o->out, "to earn it in a table of this size takes at least 12 rounds.");
	expect(rig_lines(rig_compare(rig_folder, "--by", "steal", "--all")->out) > 240);
	rig_end();
}

// What the command writes to a terminal; empty when this system gives none.
static void
on_terminal(char *text)
{
	char *argv[] = { "mnlab compare", rig_folder, "--by", "steal", NULL };
	struct winsize size = { .ws_row = 24, .ws_col = 120 };
	int master, slave;
	size_t n = 0;
	ssize_t got;
	pid_t child;

	text[0] = 0;
	if (openpty(&master, &slave, NULL, NULL, &size))
		return;
	fflush(stdout);
	child = fork();
	rig_must(child >= 0, "fork");
	if (child == 0)
		rig_child(slave, STDERR_FILENO, argv);
	close(slave);
	while (n < RIG_TEXT_MAX - 1 && (got = read(master, text + n, RIG_TEXT_MAX - 1 - n)) > 0)
		n += (size_t)got;
	text[n] = 0;
	close(master);
	expect(rig_wait(child) == 0);
}

static void
test_colour(void)
{
	static char text[RIG_TEXT_MAX];

	rig_begin();
	rig_rounds((struct rig_row){ .steal = "half" }, 8, 1);
	rig_rounds((struct rig_row){ .steal = "one" }, 8, 1.1);
	fflush(rig_file);
	unsetenv("NO_COLOR");
	on_terminal(text);
	if (text[0]) {
		says(text, "\033[1;31m");
		setenv("NO_COLOR", "1", 1);
		on_terminal(text);
		says(text, "slower");
		lacks(text, "\033");
		unsetenv("NO_COLOR");
	}
	rig_end();
}

static void
test_unwritable_output(void)
{
	char *argv[] = { "mnlab compare", rig_folder, "--by", "steal", NULL };
	FILE *full = fopen("/dev/full", "w"), *err = tmpfile();
	static char text[RIG_TEXT_MAX];
	pid_t child;

	rig_begin();
	rig_rounds((struct rig_row){ .steal = "half" }, 8, 1);
	rig_rounds((struct rig_row){ .steal = "one" }, 8, 1.1);
	fflush(rig_file);
	rig_must(full && err, "/dev/full");
	child = fork();
	rig_must(child >= 0, "fork");
	if (child == 0)
		rig_child(fileno(full), fileno(err), argv);
	expect(rig_wait(child) == MNLAB_FAILED);
	fclose(full);
	rig_read(err, text);
	says(text, "mnlab compare: cannot write: ");
	rig_end();
}

int
main(void)
{
	test_bad_factor();
	test_nothing_varies();
	test_nothing_else_equal();
	test_bad_usage();
	test_no_rows();
	test_bad_rows();
	test_bad_line();
	test_table_is_narrow();
	test_long_table();
	test_colour();
	test_unwritable_output();
	return expect_done(&expected);
}
