// SPDX-License-Identifier: MIT
// The round model's rules, each at its edges. A run is told as its trace, written the way golden files write it.
#include "sched/base/check.h"
#include "sched/model/arrivals.h"
#include "sched/model/golden.h"
#include "sched/model/model.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Helpers -------------------------------------------------------------------------------------------------------

// Checks all events since the last call: "AT P KIND WHO N" each, joined by "; ".
static void
expect(struct mn_model *m, const char *trace)
{
	char *got = NULL;
	size_t size;
	FILE *out = open_memstream(&got, &size);

	CHECK(out);
	for (size_t i = 0; i < mn_model_events(m); i++) {
		char *line = mn_golden_trace_line(m, mn_model_event(m, i));

		CHECK(line);
		fprintf(out, "%s%s", i > 0 ? "; " : "", line + strlen("trace "));
		free(line);
	}
	CHECK(fclose(out) == 0);
	if (strcmp(got, trace) != 0)
		mn_throw("expected \"%s\", got \"%s\"", trace, got);
	free(got);
	mn_model_forget(m);
}

static void
expect_queues(const struct mn_model *m, const char *queues)
{
	char *got = mn_golden_queue_line(m);

	CHECK(got);
	if (strcmp(got + strlen("queue "), queues) != 0)
		mn_throw("expected queues \"%s\", got \"%s\"", queues, got);
	free(got);
}

// Spawns a goroutine for each letter, all with the same work.
static void
spawn(struct mn_model *m, int p, const char *letters, int work)
{
	for (; *letters; letters++) {
		char name[] = { *letters, '\0' };

		CHECK(mn_model_spawn_on(m, p, name, work) == mn_model_count(m) - 1);
	}
}

static struct mn_model *
model(int procs, int quantum, int cap)
{
	struct mn_model *m = mn_model_new(procs, quantum, cap);

	CHECK(m);
	return m;
}

// ---- Parameters ----------------------------------------------------------------------------------------------------

static void
test_too_small_counts_as_1(void)
{
	struct mn_model *m = model(0, 0, 4);

	CHECK(mn_model_procs(m) == 1);
	spawn(m, 0, "A", 2);
	CHECK(mn_model_run(m) == 2);
	CHECK(mn_model_clock(m) == 2);
	expect(m, "0 0 spawn A 0; 0 0 run A 1; 1 0 run A 1; 1 0 done A 0");
	mn_model_free(m);

	m = model(INT_MIN, INT_MIN, 4);
	spawn(m, 0, "A", INT_MIN);
	CHECK(mn_model_run(m) == 1);
	expect(m, "0 0 spawn A 0; 0 0 run A 1; 0 0 done A 0");
	mn_model_free(m);
}

static void
test_number_of_processors_is_bounded(void)
{
	struct mn_model *m = model(MN_MODEL_PROCS_MAX, 1, 1);

	CHECK(mn_model_procs(m) == MN_MODEL_PROCS_MAX);
	mn_model_free(m);
	CHECK(!mn_model_new(MN_MODEL_PROCS_MAX + 1, 1, 1));
	CHECK(!mn_model_new(INT_MAX, 1, 1));
	mn_model_free(NULL);
}

static void
test_nothing_to_do(void)
{
	struct mn_model *m = model(2, 5, 4);

	CHECK(mn_model_drained(m));
	CHECK(mn_model_step(m) == 0);
	CHECK(mn_model_run(m) == 0);
	CHECK(mn_model_clock(m) == 0);
	CHECK(mn_model_queue_front(m, 1) == MN_MODEL_NONE);
	CHECK(mn_model_queue_front(m, MN_MODEL_GLOBAL) == MN_MODEL_NONE);
	expect(m, "");
	expect_queues(m, "0 0 0 0");
	mn_model_free(m);
}

// ---- Goroutines ----------------------------------------------------------------------------------------------------

static void
test_goroutine_from_spawn_to_done(void)
{
	char name[] = "first";
	struct mn_model *m = model(1, 3, 4);
	int g = mn_model_spawn_on(m, 0, name, 5);

	name[0] = '?'; // the model has its own copy
	CHECK(g == 0 && mn_model_spawn_on(m, 0, "", 1) == 1);
	CHECK(strcmp(mn_model_name(m, g), "first") == 0 && strcmp(mn_model_name(m, 1), "") == 0);
	CHECK(mn_model_executed(m, g) == 0 && mn_model_remaining(m, g) == 5);
	CHECK(mn_model_step(m) == 1);
	CHECK(mn_model_state(m, g) == MN_MODEL_RUNNABLE);
	CHECK(mn_model_executed(m, g) == 3 && mn_model_remaining(m, g) == 2);
	CHECK(mn_model_run(m) == 2);
	CHECK(mn_model_state(m, g) == MN_MODEL_FINISHED);
	CHECK(mn_model_executed(m, g) == 5 && mn_model_remaining(m, g) == 0);
	CHECK(mn_model_ran(m, 0) == 6 && mn_model_clock(m) == 9);
	mn_model_free(m);
}

static void
test_spawn_beyond_the_last_p_counts_as_0(void)
{
	struct mn_model *m = model(2, 1, 4);

	spawn(m, 2, "A", 1);
	spawn(m, -1, "B", 1);
	spawn(m, INT_MAX, "C", 1);
	spawn(m, 1, "D", 1);
	expect(m, "0 0 spawn A 0; 0 0 spawn B 0; 0 0 spawn C 0; 0 1 spawn D 0");
	expect_queues(m, "0 3 1 0");
	mn_model_free(m);
}

static void
test_a_queue_is_walked_front_first(void)
{
	struct mn_model *m = model(1, 1, 8);
	int g;

	spawn(m, 0, "ABC", 2);
	CHECK(mn_model_step(m) == 1); // A goes to the tail
	g = mn_model_queue_front(m, 0);
	CHECK(strcmp(mn_model_name(m, g), "B") == 0);
	g = mn_model_queue_behind(m, g);
	CHECK(strcmp(mn_model_name(m, g), "C") == 0);
	g = mn_model_queue_behind(m, g);
	CHECK(strcmp(mn_model_name(m, g), "A") == 0);
	CHECK(mn_model_queue_behind(m, g) == MN_MODEL_NONE);
	mn_model_free(m);
}

static void
test_largest_numbers(void)
{
	struct mn_model *m = model(2, INT_MAX, INT_MAX);

	spawn(m, 0, "AB", INT_MAX);
	spawn(m, 1, "C", INT_MAX);
	CHECK(mn_model_run(m) == 2);
	CHECK(mn_model_clock(m) == 2 * (int64_t)INT_MAX);
	CHECK(mn_model_ran(m, 0) == 2 * (int64_t)INT_MAX && mn_model_ran(m, 1) == INT_MAX);
	mn_model_free(m);
}

// ---- Spill ---------------------------------------------------------------------------------------------------------

static void
test_spill_moves_the_front_half_rounded_down(void)
{
	struct mn_model *m = model(1, 1, 3);

	spawn(m, 0, "ABC", 1);
	expect_queues(m, "0 3 0");
	mn_model_forget(m);
	spawn(m, 0, "D", 1);
	expect(m, "0 0 spill - 1; 0 0 spawn D 0");
	expect_queues(m, "0 3 1");
	CHECK(strcmp(mn_model_name(m, mn_model_queue_front(m, MN_MODEL_GLOBAL)), "A") == 0);
	CHECK(strcmp(mn_model_name(m, mn_model_queue_front(m, 0)), "B") == 0);
	mn_model_free(m);
}

static void
test_spill_at_cap_1_moves_nothing(void)
{
	struct mn_model *m = model(1, 1, 1);

	spawn(m, 0, "AB", 1);
	expect(m, "0 0 spawn A 0; 0 0 spill - 0; 0 0 spawn B 0");
	expect_queues(m, "0 2 0");
	spawn(m, 0, "C", 1);
	expect(m, "0 0 spill - 1; 0 0 spawn C 0");
	expect_queues(m, "0 2 1");
	mn_model_free(m);
}

static void
test_below_cap_1_an_empty_queue_is_full(void)
{
	static const int caps[] = { 0, -1, INT_MIN };

	for (size_t i = 0; i < sizeof(caps) / sizeof(*caps); i++) {
		struct mn_model *m = model(1, 1, caps[i]);

		spawn(m, 0, "A", 1);
		expect(m, "0 0 spill - 0; 0 0 spawn A 0");
		CHECK(mn_model_run(m) == 1);
		mn_model_free(m);
	}
}

static void
test_coming_back_from_running_never_spills(void)
{
	struct mn_model *m = model(1, 1, 2);

	spawn(m, 0, "AB", 2); // as many as cap: a third would spill
	mn_model_forget(m);
	CHECK(mn_model_step(m) == 1);
	expect(m, "0 0 run A 1");
	expect_queues(m, "1 2 0");
	mn_model_free(m);
}

// ---- Finding work --------------------------------------------------------------------------------------------------

// Three spills of two: A to F are in the global queue, and P1 takes 6 / 2 + 1 of them.
static void
test_global_share_is_a_fair_part_and_one(void)
{
	struct mn_model *m = model(2, 1, 4);

	spawn(m, 0, "ABCDEFGHI", 1);
	expect_queues(m, "0 3 0 6");
	mn_model_forget(m);
	CHECK(mn_model_step(m) == 1);
	expect(m, "0 0 run G 1; 0 0 done G 0; 0 1 global - 4; 0 1 run A 1; 0 1 done A 0");
	expect_queues(m, "1 2 3 2");
	mn_model_free(m);
}

static void
test_global_share_is_at_most_all(void)
{
	struct mn_model *m = model(1, 1, 2);

	spawn(m, 0, "ABC", 1); // A spills, and P0 runs out before it looks there
	mn_model_forget(m);
	CHECK(mn_model_run(m) == 3);
	expect(m, "0 0 run B 1; 0 0 done B 0; 1 0 run C 1; 1 0 done C 0; 2 0 global - 1; 2 0 run A 1; 2 0 done A 0");
	mn_model_free(m);
}

static void
test_global_queue_comes_before_stealing(void)
{
	struct mn_model *m = model(3, 1, 4);

	spawn(m, 0, "ABCDE", 9); // AB spill
	mn_model_forget(m);
	CHECK(mn_model_step(m) == 1);
	expect(m, "0 0 run C 1; 0 1 global - 1; 0 1 run A 1; 0 2 global - 1; 0 2 run B 1");
	CHECK(mn_model_steals(m, 1) == 0);
	mn_model_free(m);
}

static void
test_steal_takes_half_rounded_down_from_the_front(void)
{
	struct mn_model *m = model(2, 1, 8);

	spawn(m, 1, "ABCDE", 9);
	mn_model_forget(m);
	CHECK(mn_model_step(m) == 1);
	expect(m, "0 0 steal P1 2; 0 0 run A 1; 0 1 run C 1");
	expect_queues(m, "1 2 3 0");
	CHECK(mn_model_steals(m, 0) == 1 && mn_model_steals(m, 1) == 0);
	mn_model_free(m);
}

static void
test_steal_prefers_the_longest_and_then_the_lowest(void)
{
	struct mn_model *m = model(5, 1, 8);

	spawn(m, 1, "AB", 9);
	spawn(m, 2, "CDEF", 9);
	spawn(m, 4, "GHIJ", 9);
	mn_model_forget(m);
	CHECK(mn_model_step(m) == 1);
	expect(m, "0 0 steal P2 2; 0 0 run C 1; 0 1 run A 1; 0 2 run E 1; 0 3 steal P4 2; 0 3 run G 1; 0 4 run I 1");
	mn_model_free(m);
}

static void
test_nobody_steals_the_last_one(void)
{
	struct mn_model *m = model(3, 1, 8);

	spawn(m, 1, "A", 1);
	mn_model_forget(m);
	CHECK(mn_model_step(m) == 1);
	expect(m, "0 0 idle - 0; 0 1 run A 1; 0 1 done A 0; 0 2 idle - 0");
	CHECK(mn_model_step(m) == 0);
	mn_model_free(m);
}

// ---- Arrivals ------------------------------------------------------------------------------------------------------

static void
test_arrivals_come_in_order_and_gaps_cost_no_time(void)
{
	struct mn_arrivals a = { 0 };
	struct mn_model *m = model(1, 4, 8);
	int64_t round[4];
	int n = 0;

	CHECK(mn_arrivals_add(&a, 7, 0, "late", 1) == 0);
	CHECK(mn_arrivals_add(&a, 1, 0, "second", 1) == 0);
	CHECK(mn_arrivals_add(&a, 7, 0, "last", 1) == 0);
	CHECK(mn_arrivals_add(&a, 0, 0, "first", 5) == 0);
	do {
		CHECK(n < 8);
		if (n < 4)
			round[n] = a.round;
		n++;
		CHECK(mn_arrivals_spawn(&a, m) == 0);
	} while (mn_arrivals_step(&a, m) > 0);
	expect(m, "0 0 spawn first 0; 0 0 run first 4; 4 0 spawn second 0; 4 0 run first 1; 4 0 done first 0; "
	          "8 0 run second 1; 8 0 done second 0; 12 0 spawn late 0; 12 0 spawn last 0; 12 0 run late 1; "
	          "12 0 done late 0; 16 0 run last 1; 16 0 done last 0");
	CHECK(round[0] == 0 && round[1] == 1 && round[2] == 2 && round[3] == 3); // 3: drained, jumps to 7
	CHECK(n == 7 && a.round == 9 && mn_model_clock(m) == 20);
	mn_arrivals_clear(&a);
	CHECK(a.count == 0 && a.round == 0);
	mn_model_free(m);
}

static void
test_no_arrivals(void)
{
	struct mn_arrivals a = { 0 };
	struct mn_model *m = model(1, 1, 1);

	CHECK(mn_arrivals_spawn(&a, m) == 0);
	CHECK(mn_arrivals_step(&a, m) == 0);
	mn_arrivals_clear(&a);
	mn_model_free(m);
}

// ---- Size ----------------------------------------------------------------------------------------------------------

// A million goroutines on one P of 1,024: spills, batches and thefts of half a million. With a queue that shifts on each
// take, or Ps that look at all others whenever they are idle, this would not end while anybody waits.
static void
test_a_million_goroutines(int cap)
{
	enum { GOROUTINES = 1000000, TAIL = 20000 };
	struct mn_model *m = model(MN_MODEL_PROCS_MAX, 1, cap);
	int64_t ran = 0, rounds;

	for (int i = 0; i < GOROUTINES; i++)
		CHECK(mn_model_spawn_on(m, 0, "g", 1) == i);
	spawn(m, 0, "Z", TAIL); // for long the only one left
	mn_model_forget(m);
	for (rounds = 0; mn_model_step(m) > 0; rounds++)
		mn_model_forget(m);
	for (int p = 0; p < MN_MODEL_PROCS_MAX; p++) {
		ran += mn_model_ran(m, p);
		CHECK(mn_model_queue_len(m, p) == 0);
		CHECK(mn_model_ran(m, p) >= GOROUTINES / MN_MODEL_PROCS_MAX / 2);
	}
	CHECK(ran == GOROUTINES + TAIL);
	CHECK(rounds >= TAIL && rounds < TAIL + 2 * GOROUTINES / MN_MODEL_PROCS_MAX);
	mn_model_free(m);
}

int
main(void)
{
	test_too_small_counts_as_1();
	test_number_of_processors_is_bounded();
	test_nothing_to_do();
	test_goroutine_from_spawn_to_done();
	test_spawn_beyond_the_last_p_counts_as_0();
	test_a_queue_is_walked_front_first();
	test_largest_numbers();
	test_spill_moves_the_front_half_rounded_down();
	test_spill_at_cap_1_moves_nothing();
	test_below_cap_1_an_empty_queue_is_full();
	test_coming_back_from_running_never_spills();
	test_global_share_is_a_fair_part_and_one();
	test_global_share_is_at_most_all();
	test_global_queue_comes_before_stealing();
	test_steal_takes_half_rounded_down_from_the_front();
	test_steal_prefers_the_longest_and_then_the_lowest();
	test_nobody_steals_the_last_one();
	test_arrivals_come_in_order_and_gaps_cost_no_time();
	test_no_arrivals();
	test_a_million_goroutines(256);
	test_a_million_goroutines(INT_MAX);
	return 0;
}
