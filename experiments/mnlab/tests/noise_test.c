// SPDX-License-Identifier: MIT
// noise_test.c: which noise taints, and that the kernel's counters can be read.
#include "experiments/mnlab/noise.h"
#include "experiments/mnlab/probe.h"
#include "experiments/mnlab/tests/check.h"

enum { MS = 1000000 };

// Judges a repetition of `wall` ms on two processors, in which `own` ms of CPU time were its own.
static const char *
taint_of(long wall_ms, long busy_ms, long own_ms, long stolen_ms)
{
	static char text[256];
	struct noise n = { .pus = 2, .probe_a = -1, .probe_b = -1 };
	struct noise_look before = { 0 };
	struct noise_look after = { wall_ms * MS, busy_ms * MS, stolen_ms * MS, 7 };
	struct rusage child = { .ru_utime = { own_ms / 1000, own_ms % 1000 * 1000 }, .ru_nvcsw = 3, .ru_nivcsw = 4 };
	json_t *noise, *taint;

	noise_judge(&n, &before, &after, &child, &noise, &taint);
	snprintf(text, sizeof text, "%s", json_array_size(taint) ? json_string_value(json_array_get(taint, 0)) : "");
	check_number(json_integer_value(json_object_get(noise, "pressure_us")), 7);
	check_number(json_integer_value(json_object_get(noise, "switches")), 3);
	check_number(json_integer_value(json_object_get(noise, "preempted")), 4);
	check_number(json_integer_value(json_object_get(noise, "stolen_ns")), stolen_ms * MS);
	check(!json_object_get(noise, "c2c_ns")); // not to be had without two processors
	json_decref(noise);
	json_decref(taint);
	return text;
}

static void
test_thresholds(void)
{
	check_text(taint_of(100, 100, 100, 0), "");
	check_text(taint_of(100, 130, 100, 0), ""); // three ticks are within the error
	check_text(taint_of(100, 140, 100, 0), "others_ns: 40 ms of 200 ms");
	check_text(taint_of(10000, 10900, 10000, 0), ""); // 900 of 20000 ms are less than 5 %
	check_text(taint_of(10000, 11100, 10000, 0), "others_ns: 1100 ms of 20000 ms");
	check_text(taint_of(100, 90, 100, 0), ""); // ticks counted less than was used
	check_text(taint_of(100, 100, 100, 40), "stolen_ns: 40 ms of 200 ms");
	check_text(taint_of(100, 100, 100, 20), "");
}

// A kernel that does not tell: nothing is claimed, nothing is tainted.
static void
test_untold(void)
{
	struct noise n = { .pus = 2, .probe_a = -1, .probe_b = -1 };
	struct noise_look before = { 0, -1, -1, -1 }, after = { 100 * MS, -1, -1, -1 };
	struct rusage child = { .ru_nvcsw = 0 };
	json_t *noise, *taint;

	noise_judge(&n, &before, &after, &child, &noise, &taint);
	check_number(json_array_size(taint), 0);
	check(!json_object_get(noise, "others_ns") && !json_object_get(noise, "stolen_ns"));
	check(!json_object_get(noise, "pressure_us"));
	json_decref(noise);
	json_decref(taint);
}

static void
test_looks(void)
{
	struct noise_look a, b;
	struct noise n;

	check_number(noise_init(&n), 0);
	check(n.pus >= 1);
	noise_look(&n, &a);
	noise_look(&n, &b);
	check(b.time_ns >= a.time_ns && b.busy_ns >= a.busy_ns && b.stolen_ns >= a.stolen_ns);
	check(b.pressure_us >= a.pressure_us);
}

static void
test_probe(void)
{
	check(probe_core_to_core(0, 0) == 0); // one processor does not talk to itself
	check(probe_core_to_core(-1, 0) == 0);
	check(probe_core_to_core(0, 1 << 20) == 0);
	double ns = probe_core_to_core(0, 1); // 0 where there is no second one, or it is taken
	check(ns == 0 || (ns > 1 && ns < 3e6));
}

int
main(void)
{
	test_thresholds();
	test_untold();
	test_looks();
	test_probe();
	return 0;
}
