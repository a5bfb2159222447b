// SPDX-License-Identifier: MIT
// The pictures of the round model: exact text, plain and with colours and blocks; no line wider than the view; and the
// spelling of goroutines on the command line.
#include "experiments/mnlab/model_args.h"
#include "experiments/mnlab/model_view.h"
#include "sched/base/check.h" // internal: the check macro of the library's tests
#include "sched/model/model.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static struct model_view view;
static char *text;
static size_t size;

static void
begin(int width)
{
	view = (struct model_view){ .out = open_memstream(&text, &size), .width = width };
	CHECK(view.out);
}

static void
expect(const char *wanted)
{
	CHECK(fclose(view.out) == 0);
	if (strcmp(text, wanted) != 0)
		mn_throw("expected:\n%s\ngot:\n%s", wanted, text);
	free(text);
}

static struct mn_model *
model(int procs, int quantum, int cap, const char *letters, int work)
{
	struct mn_model *m = mn_model_new(procs, quantum, cap);

	CHECK(m);
	for (; *letters; letters++) {
		char name[] = { *letters, '\0' };

		CHECK(mn_model_spawn_on(m, 0, name, work) >= 0);
	}
	return m;
}

// ---- Queues and bars -----------------------------------------------------------------------------------------------

static void
test_queues(void)
{
	struct mn_model *m = model(2, 2, 4, "ABCDE", 4);

	CHECK(mn_model_step(m) == 1);
	begin(80);
	model_view_queues(&view, m, 1);
	expect("round 1, clock 2                       ran left queue\n"
	       "P0     ##..........                      2   10     3 D:4 E:4 C:2\n"
	       "P1     ##......                          2    6     2 B:4 A:2\n"
	       "global                                   0    0     0\n");
	mn_model_free(m);
}

static void
test_colors_and_blocks(void)
{
	struct mn_model *m = model(1, 1, 1, "AB", 2);

	CHECK(mn_model_step(m) == 1);
	begin(42);
	view.color = view.unicode = true;
	model_view_queues(&view, m, 1);
	expect("\033[1mround 1, clock 1\033[0m   \033[2m ran left queue\033[0m\n"
	       "P0     \033[32m█\033[0m\033[2m░░░\033[0m           1    3     2 B\033[2m:2\033[0m A\033[2m:1\033[0m\n"
	       "global                0    0     0\n");
	mn_model_free(m);
}

static void
test_long_bars_share_a_scale_and_long_queues_are_cut(void)
{
	struct mn_model *m = model(2, 100, 100, "ABCDEFGHIJKLMNOPQRSTUVWXYZ", 10);

	begin(50);
	model_view_queues(&view, m, 0);
	expect("round 0, clock 0, 18 ticks a cell\n"
	       "                        ran left queue\n"
	       "P0     ...............    0  260    26 A:10 +25\n"
	       "P1                        0    0     0\n"
	       "global                    0    0     0\n");
	mn_model_free(m);
}

// Everything that grows with the run: ticks of ten digits, four digits of P, a thousand in a queue.
static void
test_no_line_is_wider_than_the_view(void)
{
	struct mn_model *m = model(MN_MODEL_PROCS_MAX, INT_MAX / 2, INT_MAX, "ABCDEFGHIJKLMNOPQRSTUVWXYZ", INT_MAX);

	for (int i = 0; i < 5000; i++)
		CHECK(mn_model_spawn_on(m, i % 7, "goroutine", INT_MAX) >= 0);
	CHECK(mn_model_step(m) == 1);
	for (int width = 60; width <= 200; width += 35) {
		begin(width);
		model_view_queues(&view, m, 1);
		model_view_words(&view, m);
		fflush(view.out);
		for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
			CHECK(strcspn(line, "\n") <= (size_t)width);
		CHECK(fclose(view.out) == 0);
		free(text);
	}
	mn_model_free(m);
}

// ---- Words ---------------------------------------------------------------------------------------------------------

static void
test_words(void)
{
	struct mn_model *m = model(6, 2, 4, "ABCDE", 2);

	CHECK(mn_model_step(m) == 1);
	begin(80);
	model_view_words(&view, m);
	expect("P0     gets A B C D, spills 2 to the global queue, gets E, runs C for 2,\n"
	       "       C is done\n"
	       "P1     takes 1 from the global queue, runs A for 2, A is done\n"
	       "P2     takes 1 from the global queue, runs B for 2, B is done\n"
	       "P3     steals 1 from P0, runs D for 2, D is done\n"
	       "P4-P5  idle\n");
	mn_model_forget(m);
	begin(80);
	model_view_words(&view, m);
	expect("");
	mn_model_free(m);
}

static void
test_lines_break_between_phrases(void)
{
	struct mn_model *m = model(1, 9, 4, "ABCDE", 2);

	CHECK(mn_model_step(m) == 1);
	begin(40);
	model_view_words(&view, m);
	expect("P0     gets A B C D,\n"
	       "       spills 2 to the global queue,\n"
	       "       gets E, runs C for 2, C is done\n");
	mn_model_free(m);
}

static void
test_trace_and_sum(void)
{
	struct mn_model *m = model(2, 2, 4, "AB", 3);

	CHECK(mn_model_step(m) == 1);
	begin(80);
	CHECK(model_view_trace(&view, m) == 0);
	expect("trace 0 0 spawn A 0\ntrace 0 0 spawn B 0\ntrace 0 0 run A 2\ntrace 0 1 steal P0 1\n"
	       "trace 0 1 run B 2\n");
	CHECK(mn_model_run(m) == 1);
	begin(80);
	model_view_sum(&view, m);
	expect("2 goroutines done at clock 4, after 1 steal\n6 ticks run in 8 there were: 75 % busy\n");
	mn_model_free(m);
	m = model(2, 2, 4, "", 0);
	begin(80);
	model_view_sum(&view, m);
	expect("0 goroutines done at clock 0, after 0 steals\n0 ticks run in 0 there were: 0 % busy\n");
	mn_model_free(m);
}

// ---- No terminal ---------------------------------------------------------------------------------------------------

static void
test_a_file_gets_plain_text(void)
{
	FILE *out = tmpfile();
	struct model_view v;

	CHECK(out);
	v = model_view_for(out);
	CHECK(v.out == out && v.width == 80 && !v.color && !v.unicode);
	CHECK(strcmp(model_view_color(&v, MODEL_GREEN), "") == 0);
	fclose(out);
}

// ---- Goroutines on the command line --------------------------------------------------------------------------------

static void
test_spawn(void)
{
	static const char *const bad[] = {
		"",
		"A",
		":4",
		"A:",
		"A:0",
		"A:-1",
		"A:4@",
		"A:4+",
		"A:4@-1",
		"A:4 ",
		"A B:4",
		"A:4@1@2",
		"A:4+1@",
		"A-B:4",
		"A:0x4",
		"-:4",
		"A:4.5",
		"A:2147483648",
		"A:4@2147483648",
		"A:4+2147483648",
		"abcdefghijklmnopqrstuvwxyz_012345:1",
	};
	struct model_spawn s;

	CHECK(model_spawn_parse(&s, "A:4") && strcmp(s.name, "A") == 0 && s.work == 4 && s.p == 0 && s.round == 0);
	CHECK(model_spawn_parse(&s, "a_1:2147483647@3+5") && s.work == INT_MAX && s.p == 3 && s.round == 5);
	CHECK(model_spawn_parse(&s, "B:1+2147483647") && s.p == 0 && s.round == INT_MAX);
	CHECK(model_spawn_parse(&s, "abcdefghijklmnopqrstuvwxyz_01234:1") && strlen(s.name) == MODEL_NAME_MAX);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (model_spawn_parse(&s, bad[i]))
			mn_throw("taken for a goroutine: \"%s\"", bad[i]);
}

int
main(void)
{
	test_queues();
	test_colors_and_blocks();
	test_long_bars_share_a_scale_and_long_queues_are_cut();
	test_no_line_is_wider_than_the_view();
	test_words();
	test_lines_break_between_phrases();
	test_trace_and_sum();
	test_a_file_gets_plain_text();
	test_spawn();
	return 0;
}
