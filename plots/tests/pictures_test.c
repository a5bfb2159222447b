// SPDX-License-Identifier: MIT
// pictures_test.c: mnlab plot with the real gnuplot: every chart is drawn, whole, and the same rows give the same SVG.
#include "plots/tests/rig.h"
#include "plots/tests/synth.h"

#include "experiments/stats/expect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct expect_count expected;
static struct said said;

static void
expect_svg(const char *path, const char *const *words)
{
	size_t n;
	char *text = rig_read(path, &n);

	expect(n > 1000 && !strncmp(text, "<?xml", 5) && strstr(text, "</svg>"));
	for (; *words; words++) {
		if (!strstr(text, *words))
			fprintf(stderr, "%s lacks \"%s\"\n", path, *words);
		expect(strstr(text, *words) != NULL);
	}
	free(text);
}

static void
expect_png(const char *path)
{
	size_t n;
	char *text = rig_read(path, &n);

	expect(n > 1000 && !memcmp(text, "\x89PNG\r\n", 6) && !memcmp(text + n - 8, "IEND", 4));
	free(text);
}

static void
test_all_charts(void)
{
	struct synth s = { .rounds = 6, .cpus = 2, .sampled_procs = 4 };

	expect(synth_results(rig_dir("a"), &s) == 0);
	rig_plot(&said, NULL, "a", NULL);
	expect(said.code == 0 && strstr(said.out, "a/plots/speedup.svg and .png\n"));
	expect_svg("a/plots/speedup.svg",
	           (const char *const[]){ "MEASURED", "oversubscribed", "half, random", "one global queue", "ideal",
	                                  "skewed: 200 tasks", "n = 6 rounds", "2 CPUs", NULL });
	expect_svg("a/plots/queues.svg", (const char *const[]){ "MEASURED", "Go 1.27.3", "local queue full: 256", "P3",
	                                                        "774 by the counter", "at most 517 sampled", NULL });
	expect_svg("a/plots/heatmap.svg",
	           (const char *const[]){ "MEASURED", "one, most-loaded", "local_cap", "slower", NULL });
	expect_png("a/plots/speedup.png");
	expect_png("a/plots/queues.png");
	expect_png("a/plots/heatmap.png");
	expect(rig_count("a/plots", ".new") == 0);
}

static void
test_same_rows_same_picture(void)
{
	struct synth s = { .rounds = 6, .cpus = 2, .sampled_procs = 4 };

	rename("a/plots/speedup.svg", "speedup.svg");
	rename("a/plots/queues.svg", "queues.svg");
	rename("a/plots/heatmap.svg", "heatmap.svg");
	rig_plot(&said, NULL, "a", NULL);
	expect(rig_same("a/plots/speedup.svg", "speedup.svg"));
	expect(rig_same("a/plots/queues.svg", "queues.svg"));
	expect(rig_same("a/plots/heatmap.svg", "heatmap.svg"));
	expect(synth_results(rig_dir("it's elsewhere"), &s) == 0); // nor does the folder's name matter
	rig_plot(&said, NULL, "it's elsewhere", NULL);
	expect(said.code == 0);
	expect(rig_same("it's elsewhere/plots/speedup.svg", "speedup.svg"));
	expect(rig_same("it's elsewhere/plots/queues.svg", "queues.svg"));
}

static void
test_only_one(void)
{
	struct synth s = { .rounds = 6, .cpus = 2, .sampled_procs = 4 };

	expect(synth_results(rig_dir("one"), &s) == 0);
	rig_plot(&said, NULL, "one", "--only", "heatmap", NULL);
	expect(said.code == 0 && rig_count("one/plots", ".svg") == 1 && rig_count("one/plots", ".png") == 1);
	expect(rig_length("one/plots/heatmap.svg") > 0);
}

static void
test_map_of_many(void)
{
	struct synth s = { .rounds = 5, .cpus = 4, .sampled_procs = 32, .sim = true };

	expect(synth_results(rig_dir("many"), &s) == 0);
	rig_plot(&said, NULL, "many", NULL);
	expect(said.code == 0 && strstr(said.out, "stands alone"));
	expect_svg("many/plots/queues-sim.svg", (const char *const[]){ "SIM", "longest local queue", "mean local queue",
	                                                               "procs 32", "image-rendering:pixelated", NULL });
	expect_png("many/plots/queues-sim.png");
	expect_svg("many/plots/speedup-sim.svg", (const char *const[]){ "SIM", "too few for an interval", NULL });
}

static void
test_ascii(void)
{
	struct synth s = { .rounds = 6, .cpus = 2, .sampled_procs = 4 };

	expect(synth_results(rig_dir("text"), &s) == 0);
	rig_plot(&said, NULL, "text", "--ascii", NULL);
	expect(said.code == 0);
	expect(strstr(said.out, "skewed: 200 tasks") && strstr(said.out, "Go 1.27.3") &&
	       strstr(said.out, "most-loaded"));
	expect(rig_count("text/plots", ".svg") == 0 && rig_count("text/plots", ".png") == 0);
}

int
main(void)
{
	rig_begin();
	if (!rig_gnuplot()) {
		rig_done();
		fprintf(stderr, "skipped: there is no gnuplot\n");
		return 77;
	}
	test_all_charts();
	test_same_rows_same_picture();
	test_only_one();
	test_map_of_many();
	test_ascii();
	rig_done();
	return expect_done(&expected);
}
