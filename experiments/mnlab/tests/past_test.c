// SPDX-License-Identifier: MIT
// past_test.c: what stored rows tell of repetitions, and how long the rest takes.
#include "experiments/mnlab/past.h"
#include "experiments/mnlab/estimate.h"
#include "experiments/mnlab/tests/check.h"
#include "experiments/mnlab/tests/sample.h"

#include <math.h>

static json_t *
stored(int cell, int round, const char *status, long wall, long cpu, double elapsed)
{
	return json_pack("{s:s, s:s, s:i, s:s, s:I, s:I, s:f}", "cell", sample.cell[cell].id, "block",
	                 sample.block[sample.cell[cell].block].name, "round", round, "status", status, "wall_ns",
	                 (json_int_t)wall, "cpu_ns", (json_int_t)cpu, "elapsed_ns", elapsed);
}

static void
take(struct past *p, json_t *row)
{
	past_take(p, row);
	json_decref(row);
}

static void
test_past(void)
{
	struct past p;
	int a = sample_find(RUNTIME_MN, 2), b = sample_find(RUNTIME_MN, 4);

	check_number(past_init(&p, &sample), 0);
	check_number(past_total(&p), sample.n * 2);
	check_number(past_count(&p, REP_TODO), sample.n * 2);
	take(&p, stored(a, 0, "TIMEOUT", 0, 0, 5e9));
	check_number(past_state(&p, a, 0), REP_FAILED);
	take(&p, stored(a, 0, "TAINTED", 70, 60, 1e9));
	check_number(past_state(&p, a, 0), REP_TAINTED);
	take(&p, stored(a, 0, "OK", 50, 90, 1e9));
	take(&p, stored(a, 0, "FAILED", 10, 10, 1e9)); // does not take an answer back
	check_number(past_state(&p, a, 0), REP_OK);
	check_number(past_wall_ns(&p, a, 0), 50);
	check_number(p.best_cpu_ns[a], 60);
	check_number(past_least_cpu_ns(&p, b), 60);
	check_number(past_least_cpu_ns(&p, a), 0); // its own does not count
	take(&p, stored(sample.cell[a].serial, 1, "OK", 50, 80, 1e9));
	check_number(past_least_cpu_ns(&p, a), 80);
	check_number(past_least_cpu_ns(&p, b), 60);
	check_number(past_state(&p, a, 1), REP_TODO);
	check_number(past_state(&p, b, 0), REP_TODO);
	take(&p, stored(a, 7, "OK", 1, 1, 1e9)); // a round that nobody asks for now
	json_t *strange = json_pack("{s:s, s:i}", "cell", "0000000000000000", "round", 0);
	take(&p, strange);
	check_number(past_count(&p, REP_TODO), sample.n * 2 - 2);
	check_number(past_wall_ns(&p, a, 99), 0);
	past_free(&p);
}

static void
test_estimate(void)
{
	struct past p;
	int a = sample_find(RUNTIME_MN, 2), b = sample_find(RUNTIME_MN, 4), block_a = sample.cell[a].block,
	    block_b = sample.cell[b].block;
	char text[64];

	check_number(past_init(&p, &sample), 0);
	// 1000 tasks of 100 us by default: 50 ms on two processors, and on four Ps too, as there are but two processors.
	double nominal = estimate_block_ns(&p, block_a);
	check(nominal > 50e6 && nominal < 80e6);
	check(fabs(estimate_block_ns(&p, block_b) - nominal) < 1);
	take(&p, stored(a, 0, "OK", 1, 1, 2 * nominal));
	check(fabs(estimate_block_ns(&p, block_a) - 2 * nominal) < 1);
	check(fabs(estimate_block_ns(&p, block_b) - 2 * nominal) < 1); // corrected by its neighbour
	take(&p, stored(a, 1, "FAILED", 1, 1, 4 * nominal));
	check(fabs(estimate_block_ns(&p, block_a) - 3 * nominal) < 1);
	double left = estimate_left_ns(&p, false);
	check(estimate_left_ns(&p, true) - left > 2.9 * nominal); // the failed one once more
	past_free(&p);
	estimate_text(44.6e9, text, sizeof text);
	check_text(text, "45 s");
	estimate_text(200e9, text, sizeof text);
	check_text(text, "3 min 20 s");
	estimate_text(3900e9, text, sizeof text);
	check_text(text, "1 h 5 min");
}

int
main(void)
{
	sample_make();
	test_past();
	test_estimate();
	sample_free();
	return 0;
}
