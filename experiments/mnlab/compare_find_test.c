// SPDX-License-Identifier: MIT
// compare_find_test.c: does `mnlab compare` find what is there, and only that? Made-up rows in, its JSON and table out.
#include "experiments/mnlab/compare_rig.h"

#include "experiments/mnlab/mnlab.h"

// ---- Reading its JSON ----------------------------------------------------------------------------------------------

static json_t *report;

static const struct rig_outcome *
compare_json(const char *factor)
{
	const struct rig_outcome *o = rig_compare(rig_folder, "--by", factor, "--json");
	json_error_t error;

	json_decref(report);
	report = json_loads(o->out, 0, &error);
	expect(report != NULL);
	return o;
}

static const json_t *
block_at(size_t block)
{
	return json_array_get(json_object_get(report, "blocks"), block);
}

// The line of a value in a block, or NULL.
static const json_t *
line_at(size_t block, const char *value)
{
	size_t i;
	json_t *line;

	json_array_foreach(json_object_get(block_at(block), "lines"), i,
	                   line) if (!strcmp(json_string_value(json_object_get(line, "value")), value)) return line;
	return NULL;
}

static double
number(const json_t *object, const char *key)
{
	const json_t *v = json_object_get(object, key);

	return json_is_number(v) ? json_number_value(v) : (double)NAN;
}

static bool
verdict_is(const json_t *line, const char *verdict)
{
	const char *v = json_string_value(json_object_get(line, "verdict"));

	return v && !strcmp(v, verdict);
}

// ---- What it finds -------------------------------------------------------------------------------------------------

static void
test_planted_effect(void)
{
	const struct rig_outcome *o;
	const json_t *slow, *fast, *interval;

	rig_begin();
	rig_rounds((struct rig_row){ .steal = "half" }, 12, 1);
	rig_rounds((struct rig_row){ .steal = "one" }, 12, 1.1);
	rig_rounds((struct rig_row){ .steal = "all" }, 12, 0.9);
	o = compare_json("steal");
	expect(o->status == 0 && !o->err[0]);
	slow = line_at(0, "one");
	fast = line_at(0, "all");
	interval = json_object_get(slow, "ratio_interval");
	expect(verdict_is(line_at(0, "half"), "base") && verdict_is(slow, "worse") && verdict_is(fast, "better"));
	expect_near(number(slow, "ratio"), 1.1, 0.01);
	expect_near(number(fast, "ratio"), 0.9, 0.01);
	expect(number(interval, "low") > 1.08 && number(interval, "high") < 1.12);
	expect_near(number(interval, "coverage"), 0.96142578125, 1e-8);
	expect_near(number(slow, "p"), 2.0 / 4096, 1e-9);
	expect_near(number(slow, "p_holm"), 4.0 / 4096, 1e-9);
	expect_near(number(slow, "rounds_slower"), 12, 0);
	o = rig_compare(rig_folder, "--by=steal");
	expect(o->status == 0);
	says(o->out, "worse: 10.");
	says(o->out, "% slower *");
	says(o->out, "better: ");
	says(o->out, "% faster *");
	rig_end();
}

static void
test_same_under_two_names(void)
{
	const struct rig_outcome *o;

	rig_begin();
	rig_rounds((struct rig_row){ .victim = "random" }, 12, 1);
	rig_rounds((struct rig_row){ .victim = "most-loaded" }, 12, 1);
	o = compare_json("victim");
	expect(o->status == 0);
	expect(verdict_is(line_at(0, "most-loaded"), "no difference beyond noise"));
	o = rig_compare(rig_folder, "--by", "victim");
	says(o->out, "no difference beyond noise");
	lacks(o->out, "slower");
	lacks(o->out, "Verdicts without");
	rig_end();
}

// Rounds 0, 1 are missing on one side, 10, 11 on the other: paired by position, the weather would be taken for an effect.
static void
test_missing_rounds(void)
{
	struct rig_row r = { .steal = "half" };

	rig_begin();
	for (r.round = 2; r.round < 12; r.round++) {
		r.wall_ns = rig_weather(r.round);
		rig_put(r);
	}
	r.steal = "one";
	for (r.round = 9; r.round >= 0; r.round--) {
		r.wall_ns = rig_weather(r.round) * 1.1;
		rig_put(r);
	}
	compare_json("steal");
	expect_near(number(line_at(0, "one"), "pairs"), 8, 0);
	expect_near(number(line_at(0, "one"), "n"), 10, 0);
	expect_near(number(line_at(0, "one"), "ratio"), 1.1, 1e-6);
	expect(verdict_is(line_at(0, "one"), "worse"));
	rig_end();
}

static void
test_too_few_rounds(void)
{
	const struct rig_outcome *o;

	rig_begin();
	rig_rounds((struct rig_row){ .steal = "half" }, 5, 1);
	rig_rounds((struct rig_row){ .steal = "one" }, 5, 2);
	o = compare_json("steal");
	expect(o->status == MNLAB_CANNOT_TELL);
	expect(verdict_is(line_at(0, "one"), "cannot tell"));
	expect_near(number(line_at(0, "one"), "ratio"), 2, 0.05);
	expect(!json_object_get(line_at(0, "one"), "ratio_interval"));
	expect(!json_object_get(line_at(0, "one"), "p_holm"));
	o = rig_compare(rig_folder, "--by", "steal");
	expect(o->status == MNLAB_CANNOT_TELL);
	says(o->out, "cannot tell (n < 6)");
	says(o->out, "fewer than 6 common rounds, too few for an interval: 1.");
	rig_end();
}

// No round in common is "cannot tell" too, and one block that can tell makes the whole a success.
static void
test_no_common_round(void)
{
	struct rig_row r = { .steal = "one", .round = 99, .wall_ns = 5e6 };

	rig_begin();
	rig_rounds((struct rig_row){ .steal = "half" }, 8, 1);
	rig_put(r);
	expect(compare_json("steal")->status == MNLAB_CANNOT_TELL);
	expect(verdict_is(line_at(0, "one"), "cannot tell"));
	expect(!json_object_get(line_at(0, "one"), "ratio"));
	rig_rounds((struct rig_row){ .steal = "half", .local_cap = 16 }, 8, 1);
	rig_rounds((struct rig_row){ .steal = "one", .local_cap = 16 }, 8, 1.1);
	expect(compare_json("steal")->status == 0);
	expect(verdict_is(line_at(0, "one"), "worse")); // local_cap=16 sorts first
	expect(verdict_is(line_at(1, "one"), "cannot tell"));
	rig_end();
}

static void
test_evidence(void)
{
	const json_t *e;

	rig_begin();
	rig_rounds((struct rig_row){ .steal = "half" }, 6, 1);
	rig_rounds((struct rig_row){ .steal = "one", .no_counters = true }, 6, 1);
	compare_json("steal");
	e = json_object_get(line_at(0, "half"), "evidence");
	expect_near(number(e, "steals_per_task"), 0.1, 1e-9); // 20 thefts, 200 tasks
	expect_near(number(e, "raced_share"), 0.025, 1e-9);   // 2 of 80 attempts
	expect_near(number(e, "spills"), 3, 1e-9);
	expect_near(number(e, "idle_share"), 0.1, 1e-5); // a fifth of the time of one P in two
	expect(json_object_size(json_object_get(line_at(0, "one"), "evidence")) == 0);
	rig_end();
}

static void
test_summary(void)
{
	const struct rig_outcome *o;
	const json_t *all;

	rig_begin();
	rig_rounds((struct rig_row){ .steal = "half", .procs = 2 }, 12, 1);
	rig_rounds((struct rig_row){ .steal = "one", .procs = 2 }, 12, 1.1);
	rig_rounds((struct rig_row){ .steal = "half", .procs = 4 }, 12, 1);
	rig_rounds((struct rig_row){ .steal = "one", .procs = 4 }, 12, 1);
	rig_rounds((struct rig_row){ .steal = "half", .workload = "uniform" }, 12, 1);
	rig_rounds((struct rig_row){ .steal = "one", .workload = "uniform" }, 12, 0.8);
	o = compare_json("steal");
	all = json_array_get(json_object_get(report, "summary"), 2);
	expect(o->status == 0 && !json_object_get(all, "workload"));
	expect_near(number(all, "better"), 1, 0);
	expect_near(number(all, "worse"), 1, 0);
	expect_near(number(all, "no_difference"), 1, 0);
	expect_near(number(all, "median_ratio"), 1, 0.01);
	expect_near(number(all, "min_ratio"), 0.8, 0.01);
	expect_near(number(all, "max_ratio"), 1.1, 0.01);
	o = rig_compare(rig_folder, "--by", "steal");
	says(o->out, "skewed procs=4\n");
	says(o->out, "skewed: tasks=200 (other options: default)\n");
	rig_end();
}

// ---- Which rows count ----------------------------------------------------------------------------------------------

static void
test_statuses(void)
{
	const struct rig_outcome *o;
	struct rig_row bad = { .steal = "one", .wall_ns = 1 };

	rig_begin();
	rig_rounds((struct rig_row){ .steal = "half" }, 12, 1);
	rig_rounds((struct rig_row){ .steal = "one" }, 10, 1.1);
	bad.status = "TAINTED";
	bad.round = 3; // round 3 is OK already
	rig_put(bad);
	bad.round = 10;
	rig_put(bad);
	bad.status = "TIMEOUT";
	bad.round = 11;
	rig_put(bad);
	rig_put(bad);
	bad.status = "FAILED";
	bad.round = 4; // OK in another attempt
	rig_put(bad);
	o = compare_json("steal");
	expect(o->status == 0);
	expect_near(number(line_at(0, "one"), "n"), 10, 0);
	expect_near(number(report, "tainted"), 1, 0);
	expect_near(number(report, "failed"), 1, 0);
	o = rig_compare(rig_folder, "--by", "steal");
	says(o->out, "TAINTED repetitions (the machine was disturbed): 1, left out (--tainted lets them in).");
	says(o->out, "Failed repetitions, left out: 1.");
	o = rig_compare(rig_folder, "--by", "steal", "--tainted");
	says(o->out, "TAINTED repetitions (the machine was disturbed): 1, which count (--tainted).");
	rig_end();
}

static void
test_only_tainted(void)
{
	const struct rig_outcome *o;

	rig_begin();
	rig_rounds((struct rig_row){ .steal = "half", .status = "TAINTED" }, 6, 1);
	rig_rounds((struct rig_row){ .steal = "one", .status = "TAINTED" }, 6, 1.2);
	o = rig_compare(rig_folder, "--by", "steal");
	refused(o, MNLAB_USAGE);
	says(o->err, "no repetition is OK (12 TAINTED; --tainted lets them in, 0 failed)");
	expect(rig_compare(rig_folder, "--by", "steal", "--tainted")->status == 0);
	rig_end();
}

static void
test_torn_last_line(void)
{
	rig_begin();
	rig_rounds((struct rig_row){ .steal = "half" }, 6, 1);
	rig_rounds((struct rig_row){ .steal = "one" }, 6, 1.1);
	fputs("{\"cell\":\"half-writ", rig_file);
	expect(rig_compare(rig_folder, "--by", "steal")->status == 0);
	rig_end();
}

static void
test_origins(void)
{
	const struct rig_outcome *o;

	rig_begin();
	rig_rounds((struct rig_row){ .steal = "half", .binary = "old" }, 6, 1);
	rig_rounds((struct rig_row){ .steal = "one", .binary = "old" }, 6, 1.1);
	rig_rounds((struct rig_row){ .steal = "half", .binary = "new" }, 6, 5);
	rig_rounds((struct rig_row){ .steal = "one", .binary = "new" }, 6, 5.5);
	o = rig_compare(rig_folder, "--by", "steal");
	refused(o, MNLAB_BAD_DATA);
	says(o->err, "rows of several binaries (\"old\", \"new\")");
	says(o->err, "--force");
	o = rig_compare(rig_folder, "--by", "steal", "--force", "--json");
	expect(o->status == 0);
	json_decref(report);
	report = json_loads(o->out, 0, NULL);
	expect_near(number(line_at(0, "one"), "pairs"), 12, 0);
	expect_near(number(line_at(0, "one"), "ratio"), 1.1, 0.01);
	rig_end();

	rig_begin();
	rig_rounds((struct rig_row){ .steal = "half", .machine = "here" }, 6, 1);
	rig_rounds((struct rig_row){ .steal = "one", .machine = "there" }, 6, 1.1);
	o = rig_compare(rig_folder, "--by", "steal");
	refused(o, MNLAB_BAD_DATA);
	says(o->err, "rows of several machines (\"here\", \"there\")");
	// Forced: but rounds of two machines are no pairs.
	expect(rig_compare(rig_folder, "--by", "steal", "--force")->status == MNLAB_CANNOT_TELL);
	rig_end();
}

// ---- One cell, several names ---------------------------------------------------------------------------------------

static void
test_factor_without_effect(void)
{
	const struct rig_outcome *o;

	rig_begin();
	rig_rounds((struct rig_row){ .procs = 1 }, 8, 1);
	rig_rounds((struct rig_row){ .procs = 2 }, 8, 1);
	rig_rounds((struct rig_row){ .procs = 2, .steal = "one" }, 8, 1.1);
	rig_rounds((struct rig_row){ .runtime = "serial" }, 8, 2);
	o = compare_json("steal");
	expect(o->status == 0);
	expect(verdict_is(line_at(0, "one"), "same by definition"));
	expect(verdict_is(line_at(1, "one"), "worse"));
	o = rig_compare(rig_folder, "--by", "steal");
	lacks(o->out, "same by definition");
	says(o->out, "\nskewed\n"); // no key tells it from the blocks that are not shown
	says(o->out, "Blocks in which steal has no effect, all its values being one cell: 2 (--all shows them).");
	says(rig_compare(rig_folder, "--by", "steal", "--all")->out, "same by definition");
	rig_end();
}

// steal=none looks for no victim, so it is run under one of them only and stands in for the others.
static void
test_stand_in(void)
{
	size_t near = 0, far = 1; // victim=random, victim=most-loaded
	const struct rig_outcome *o;

	rig_begin();
	rig_rounds((struct rig_row){ .victim = "random" }, 8, 1);
	rig_rounds((struct rig_row){ .victim = "most-loaded" }, 8, 1);
	rig_rounds((struct rig_row){ .victim = "random", .steal = "none" }, 8, 1.5);
	o = compare_json("steal");
	expect(o->status == 0);
	expect(verdict_is(line_at(near, "none"), "worse") && verdict_is(line_at(far, "none"), "worse"));
	expect(json_is_false(json_object_get(line_at(near, "none"), "reused")));
	expect(json_is_true(json_object_get(line_at(far, "none"), "reused")));
	o = rig_compare(rig_folder, "--by", "steal");
	says(o->out, "  none' ");
	says(o->out, "' measured under another name of the same cell");
	rig_end();
}

static void
test_runtime_and_param(void)
{
	const struct rig_outcome *o;

	rig_begin();
	rig_rounds((struct rig_row){ .local_cap = 16 }, 8, 1);
	rig_rounds((struct rig_row){ .runtime = "threads" }, 8, 3);
	rig_rounds((struct rig_row){ .local_cap = 16, .tasks = 50 }, 8, 0.25);
	o = compare_json("runtime");
	expect(o->status == 0);
	expect(!strcmp(json_string_value(json_object_get(report, "base")), "mn"));
	expect(verdict_is(line_at(0, "threads"), "worse"));
	says(rig_compare(rig_folder, "--by", "runtime")->out, "worse: 3.0 x slower");
	o = rig_compare(rig_folder, "--by", "params.tasks", "--base", "50");
	expect(o->status == 0);
	says(o->out, "worse: 4.0 x slower");
	expect(rig_compare(rig_folder, "--by", "tasks")->status == 0);
	rig_end();
}

int
main(void)
{
	test_planted_effect();
	test_same_under_two_names();
	test_missing_rounds();
	test_too_few_rounds();
	test_no_common_round();
	test_evidence();
	test_summary();
	test_statuses();
	test_only_tainted();
	test_torn_last_line();
	test_origins();
	test_factor_without_effect();
	test_stand_in();
	test_runtime_and_param();
	json_decref(report);
	return expect_done(&expected);
}
