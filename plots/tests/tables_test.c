// SPDX-License-Identifier: MIT
// tables_test.c: mnlab plot without a real gnuplot: the tables it writes and their numbers, and every way it refuses or
// fails. Where a gnuplot is needed, a script stands in for it.
#include "plots/tests/rig.h"
#include "plots/tests/synth.h"

#include "experiments/stats/expect.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct expect_count expected;
static struct said said;

static int
by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

// Median of six rounds of the formula, straight from its definition.
static double
median_of(double (*f)(const char *, const char *, int, int, int, int), const char *workload, const char *policy,
          int procs, int cap, double *low, double *high)
{
	double x[6];

	for (int r = 0; r < 6; r++)
		x[r] = f(workload, policy, procs, cap, 2, r);
	qsort(x, 6, sizeof(x[0]), by_size);
	*low = x[0];
	*high = x[5];
	return (x[2] + x[3]) / 2;
}

static int
lines(const char *path)
{
	size_t n;
	char *text = rig_read(path, &n);
	int count = 0;

	for (size_t i = 0; i < n; i++)
		count += text[i] == '\n';
	free(text);
	return count;
}

static void
test_no_gnuplot(void)
{
	struct synth s = { .rounds = 6, .cpus = 2, .sampled_procs = 4 };

	expect(synth_results(rig_dir("six"), &s) == 0);
	rig_plot(&said, rig_dir("empty"), "six", NULL);
	expect(said.code == 2);
	expect(strstr(said.err, "gnuplot is not installed") && strstr(said.err, "gnuplot-nox"));
	expect(rig_length("six/plots/speedup.tsv") > 0 && rig_length("six/plots/heatmap.tsv") > 0);
	expect(rig_length("six/plots/queues-ours.tsv") > 0 && rig_length("six/plots/queues-go.tsv") > 0);
	expect(rig_count("six/plots", ".svg") == 0 && rig_count("six/plots", ".png") == 0);
	expect(rig_count("six/plots", ".new") == 0);
}

static void
check_speedup(const char *workload, const char *policy, const char *runs_as, int procs)
{
	double low, high, median = median_of(synth_speedup, workload, runs_as, procs, 256, &low, &high);
	char key[96];

	snprintf(key, sizeof(key), "%s %s %d", workload, policy, procs);
	expect_near(rig_number("six/plots/speedup.tsv", key, 3), 6, 0);
	expect_near(rig_number("six/plots/speedup.tsv", key, 4), median, 1e-5);
	expect_near(rig_number("six/plots/speedup.tsv", key, 5), low, 1e-5);
	expect_near(rig_number("six/plots/speedup.tsv", key, 6), high, 1e-5);
}

static void
test_speedup_numbers(void)
{
	check_speedup("uniform", "half/random", "half/random", 2);
	check_speedup("skewed", "one/most-loaded", "one/most-loaded", 4);
	check_speedup("skewed", "none", "none", 2);
	check_speedup("tight", "global", "global", 4);
	check_speedup("syscall", "all/most-loaded", "half/random", 1); // run once for all who steal
	expect(lines("six/plots/speedup.tsv") == 1 + 4 * 8 * 3);
	expect(lines("six/plots/speedup-raw.tsv") == 1 + 4 * 8 * 3 * 6);
}

static void
test_heatmap_numbers(void)
{
	double low, high, base = median_of(synth_wall_ns, "skewed", "half/random", 2, 256, &low, &high),
	                  one = median_of(synth_wall_ns, "skewed", "one/random", 2, 16, &low, &high);
	const char *key = "skewed one/random 16 2";
	size_t n;
	char *text;

	expect_near(rig_number("six/plots/heatmap.tsv", key, 7), one, 1);
	expect_near(rig_number("six/plots/heatmap.tsv", key, 8), one / base, 1e-5);
	expect_near(rig_number("six/plots/heatmap.tsv", "skewed half/random 256 2", 8), 1, 0);
	expect(rig_number("six/plots/heatmap.tsv", key, 9) < one / base);
	expect(rig_number("six/plots/heatmap.tsv", key, 10) > one / base);
	expect(lines("six/plots/heatmap.tsv") == 1 + 4 * (7 * 3 + 1)); // one global queue has no local cap
	text = rig_read("six/plots/heatmap.tsv", &n);
	expect(strstr(text, "skewed\thalf/random\t256\t2\t2\t0\t6") && strstr(text, "\tbase\n") &&
	       strstr(text, "\tyes\n"));
	free(text);
}

static void
test_queue_tables(void)
{
	size_t n;
	char *text = rig_read("six/plots/queues.vars", &n);

	expect(strstr(text, "panels=2\n") && strstr(text, "globq_max=774\n") && strstr(text, "go_global=517\n"));
	expect(strstr(text, "774 spilled to the global queue (spills: 6)"));
	expect(strstr(text, "stamp='MEASURED'\n") && strstr(text, "Synthetic CPU 3000, 2 CPUs; commit 0123456789ab'"));
	free(text);
	expect_near(rig_number("six/plots/queues-go.tsv", "0", 1), 517, 0);
	expect_near(rig_number("six/plots/queues-go.tsv", "48", 5), 126, 0);
	text = rig_read("six/plots/queues-events.tsv", &n);
	expect(strstr(text, "go\t48\tbatch\tglobal\t128\t389\tyes\n"));
	expect(strstr(text, "go\t48\trefill\tp3\t126\t126\tno\n"));
	free(text);
}

static void
test_bad_arguments(void)
{
	rig_plot(&said, "empty", "six", "--only", "pie", NULL);
	expect(said.code == 2 && strstr(said.err, "\"pie\"; allowed: speedup queues heatmap\n"));
	rig_plot(&said, "empty", NULL);
	expect(said.code == 2 && strstr(said.err, "which results folder"));
	rig_plot(&said, "empty", "six", "seven", NULL);
	expect(said.code == 2 && strstr(said.err, "\"seven\" is too many"));
	rig_plot(&said, "empty", "nowhere", NULL);
	expect(said.code == 2 && strstr(said.err, "nowhere"));
}

static void
test_bad_data(void)
{
	struct synth s = { .rounds = 6, .cpus = 2, .sampled_procs = 4 };

	expect(synth_results(rig_dir("bad"), &s) == 0);
	rig_write("bad/samples.tsv", "t_us\tglobal\tp0\n1\t2\n", false);
	rig_plot(&said, "empty", "bad", "--only", "queues", NULL);
	expect(said.code == 4 && strstr(said.err, "bad/samples.tsv:2:"));
	unlink("bad/samples.tsv");
	rig_plot(&said, "empty", "bad", "--only", "queues", NULL);
	expect(said.code == 2 && strstr(said.err, "bad/samples.tsv: No such file"));
	rig_write("bad/samples.tsv", "t_us\tglobal\tp0\n1\t0\t0\n", false);
	rig_plot(&said, "empty", "bad", "--only", "queues", NULL);
	expect(said.code == 0 && strstr(said.err, "queues left out: samples.tsv: no goroutine ever waited"));
	rig_write("bad/rows.jsonl", "{}\nnonsense\n", false);
	rig_plot(&said, "empty", "bad", NULL);
	expect(said.code == 4 && strstr(said.err, "rows.jsonl:2"));
}

static void
test_unwritable(void)
{
	struct synth s = { .rounds = 6, .cpus = 2 };

	expect(synth_results(rig_dir("full"), &s) == 0);
	rig_write("full/plots", "a file where the folder should be", false);
	rig_plot(&said, "empty", "full", NULL);
	expect(said.code == 2 && strstr(said.err, "full/plots"));
}

static void
test_nothing_to_draw(void)
{
	struct synth s = { .rounds = 0, .cpus = 2 };

	expect(synth_results(rig_dir("none"), &s) == 0);
	rig_plot(&said, "empty", "none", NULL);
	expect(said.code == 0);
	expect(strstr(said.err, "speedup left out: ") && strstr(said.err, "queues left out: no run was sampled") &&
	       strstr(said.err, "heatmap left out: needs half/random at local_cap 256"));
	expect(rig_count("none/plots", ".svg") == 0 && rig_count("none/plots", ".vars") == 0);
}

static void
test_few_rounds(void)
{
	struct synth s = { .rounds = 5, .cpus = 2 };
	size_t n;
	char *text;

	expect(synth_results(rig_dir("five"), &s) == 0);
	rig_plot(&said, "empty", "five", NULL);
	expect(isnan(rig_number("five/plots/speedup.tsv", "uniform none 2", 5)));
	text = rig_read("five/plots/speedup.vars", &n);
	expect(strstr(text, "n = 5 rounds (too few for an interval)"));
	free(text);
	text = rig_read("five/plots/heatmap.vars", &n);
	expect(strstr(text, "Too few rounds for 95 % intervals."));
	free(text);
}

static void
test_substrates_apart(void)
{
	struct synth real = { .rounds = 6, .cpus = 2 },
	             sim = { .rounds = 6, .cpus = 2, .sampled_procs = 32, .sim = true };
	size_t n;
	char *text, *more;
	FILE *f;

	expect(synth_results(rig_dir("simulated"), &sim) == 0 && synth_results(rig_dir("both"), &real) == 0);
	more = rig_read("simulated/rows.jsonl", &n);
	f = fopen("both/rows.jsonl", "a");
	fputs(more, f);
	fclose(f);
	free(more);
	rename("simulated/samples.tsv", "both/samples.tsv");
	rig_plot(&said, "empty", "both", NULL);
	expect(said.code == 2);
	expect(rig_same("both/plots/speedup.tsv", "both/plots/speedup-sim.tsv")); // from the same formula
	text = rig_read("both/plots/speedup-sim.vars", &n);
	expect(strstr(text, "stamp='SIM'\n"));
	free(text);
	expect(rig_length("both/plots/queues-sim-map.tsv") > 0 && rig_length("both/plots/queues-ours.tsv") < 0);
	expect(lines("both/plots/queues-sim-map.tsv") == 1 + 32 * 400);
}

// Stand-ins for gnuplot: one that fails and says why, one that leaves no picture, one that leaves an empty one.
static void
test_failing_gnuplot(void)
{
	rig_dir("fake");
	rig_write("fake/gnuplot", "#!/bin/sh\necho 'line 3: no such terminal' >&2\nexit 1\n", true);
	rig_plot(&said, "fake:/usr/bin:/bin", "six", "--only", "speedup", NULL);
	expect(said.code == 1 && strstr(said.err, "line 3: no such terminal") && strstr(said.err, "speedup.gp"));
	rig_write("fake/gnuplot", "#!/bin/sh\nexit 0\n", true);
	rig_plot(&said, "fake:/usr/bin:/bin", "six", "--only", "speedup", NULL);
	expect(said.code == 1 && strstr(said.err, "left no picture"));
	rig_write("fake/gnuplot", "#!/bin/sh\n: >.speedup.svg.new\n", true);
	rig_plot(&said, "fake:/usr/bin:/bin", "six", "--only", "speedup", NULL);
	expect(said.code == 1 && strstr(said.err, "left no picture"));
	expect(rig_count("six/plots", ".svg") == 0 && rig_count("six/plots", ".new") == 0);
}

int
main(void)
{
	rig_begin();
	test_no_gnuplot();
	test_speedup_numbers();
	test_heatmap_numbers();
	test_queue_tables();
	test_bad_arguments();
	test_bad_data();
	test_unwritable();
	test_nothing_to_draw();
	test_few_rounds();
	test_substrates_apart();
	test_failing_gnuplot();
	rig_done();
	return expect_done(&expected);
}
