// SPDX-License-Identifier: MIT
// gbench_test_benches.c: benchmarks that do by turns what a benchmark may do, and what it had better not.
#include "experiments/gbench_test.h"
#include "experiments/gbench.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static int64_t turns;

static void
counted(struct gbench_state *s, void *arg)
{
	turns = 0;
	while (gbench_next(s)) {
		turns++;
		gbench_use(&turns);
	}
	expect(!gbench_next(s));
	expect(turns == gbench_iterations(s));
	gbench_counter(s, "turns", (double)turns, GBENCH_PLAIN);
	gbench_counter(s, "sum", (double)(gbench_arg(s, 0) + gbench_arg(s, 1) + gbench_arg(s, 2)), GBENCH_PLAIN);
	gbench_label(s, arg);
}

// Four turns of a quarter of a second each, by hand.
static void
manual(struct gbench_state *s, void *arg)
{
	int64_t n;

	(void)arg;
	while ((n = gbench_all(s)))
		expect(!gbench_seconds(s, 0.25 * (double)n));
	expect(!gbench_counter(s, "rate", 8, GBENCH_RATE));
	expect(!gbench_counter(s, "period", 8, GBENCH_RATE | GBENCH_INVERT));
	expect(!gbench_counter(s, "each", 8, GBENCH_AVG_ITERATIONS));
	expect(!gbench_counter(s, "all", 8, GBENCH_PER_ITERATION));
	expect(!gbench_counter(s, "zero", 0, GBENCH_PLAIN));
	expect(!gbench_bytes(s, 1 << 20));
	expect(!gbench_items(s, 500));
}

static void
timeless(struct gbench_state *s, void *arg)
{
	(void)arg;
	while (gbench_all(s))
		gbench_seconds(s, 0);
	expect(!gbench_counter(s, "endless", 8, GBENCH_RATE));
	expect(!gbench_counter(s, "kept", 8, GBENCH_PLAIN));
}

static void
refused(struct gbench_state *s, void *arg)
{
	(void)arg;
	while (gbench_next(s)) {
		expect(gbench_seconds(s, NAN) == -EINVAL);
		expect(gbench_seconds(s, INFINITY) == -EINVAL);
		expect(gbench_seconds(s, -1) == -EINVAL);
	}
	expect(gbench_counter(s, "nan", NAN, GBENCH_PLAIN) == -EINVAL);
	expect(gbench_counter(s, "inf", INFINITY, GBENCH_PLAIN) == -EINVAL);
	expect(gbench_counter(s, "minus", -INFINITY, GBENCH_RATE) == -EINVAL);
	expect(gbench_counter(s, "inverse", 0, GBENCH_INVERT) == -EINVAL);
	expect(gbench_counter(s, "flag", 1, 32) == -EINVAL);
	expect(gbench_counter(s, "real_time", 1, GBENCH_PLAIN) == -EINVAL);
	expect(gbench_counter(s, "", 1, GBENCH_PLAIN) == -EINVAL);
	expect(gbench_counter(s, NULL, 1, GBENCH_PLAIN) == -EINVAL);
}

static void
skipped(struct gbench_state *s, void *arg)
{
	while (gbench_next(s)) {
		gbench_pause(s);
		expect(!gbench_skip(s, arg));
		gbench_resume(s);
	}
	expect(!gbench_skip(s, "a second reason"));
}

static void
early(struct gbench_state *s, void *arg)
{
	(void)arg;
	if (gbench_next(s))
		return;
}

// Stopping twice, starting twice and ending while stopped are all harmless.
static void
paused(struct gbench_state *s, void *arg)
{
	(void)arg;
	gbench_pause(s);
	while (gbench_next(s)) {
		gbench_resume(s);
		gbench_pause(s);
		gbench_pause(s);
	}
	gbench_resume(s);
}

static void
threaded(struct gbench_state *s, void *arg)
{
	(void)arg;
	while (gbench_next(s))
		gbench_use(s);
	expect(gbench_threads(s) == 2 && gbench_thread(s) >= 0 && gbench_thread(s) < 2);
	gbench_counter(s, "ones", 1, GBENCH_PLAIN);
	gbench_counter(s, "mean", (double)gbench_thread(s), GBENCH_AVG_THREADS);
}

void
register_all(void)
{
	static const int64_t args[] = { 1, 2, 30, 40 };
	static const char *const names[] = { "low", "high" };
	struct gbench_options rows = {
		.iterations = 100, .args = args, .arg_rows = 2, .arg_count = 2, .arg_names = names
	};
	struct gbench_options by_hand = { .iterations = 4, .manual_time = true, .unit = GBENCH_MS };
	struct gbench_options one = { .iterations = 1 }, two = { .iterations = 10, .threads = 2, .real_time = true };
	struct gbench_options timed = { .min_time = 1e-6, .process_cpu = true, .unit = GBENCH_US };

	expect(!gbench_register("counted", counted, "tab\there \"and\" \\there", &rows));
	expect(!gbench_register("manual", manual, NULL, &by_hand));
	expect(!gbench_register("timeless", timeless, NULL, &by_hand));
	expect(!gbench_register("refused", refused, NULL, &one));
	expect(!gbench_register("skipped", skipped, "a \x01 reason", &one));
	expect(!gbench_register("early", early, NULL, &rows));
	expect(!gbench_register("paused", paused, NULL, &one));
	expect(!gbench_register("threaded", threaded, NULL, &two));
	expect(!gbench_register("free", counted, "", &timed));
}
