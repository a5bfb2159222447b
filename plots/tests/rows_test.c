// SPDX-License-Identifier: MIT
// rows_test.c: which stored rows belong to a point of a chart, and which are held back.
#include "experiments/mnlab/plot_chart.h"
#include "experiments/mnlab/plot_rows.h"
#include "experiments/stats/expect.h"

#include <stdlib.h>
#include <string.h>

static struct expect_count expected;

static json_t *
row(const char *text)
{
	json_t *r = json_loads(text, 0, NULL);

	expect(r != NULL);
	return r;
}

static void
add(json_t *rows, const char *cell, int round, const char *more)
{
	char text[512];

	snprintf(text, sizeof(text), "{\"cell\":\"%s\",\"round\":%d,\"status\":\"OK\",\"workload\":\"uniform\",%s}",
	         cell, round, more);
	json_array_append_new(rows, row(text));
}

static size_t
at(const struct obs_list *list, const char *policy, int procs, int cap, const struct obs **out)
{
	struct point_key k = { "uniform", policy, procs, cap };

	return obs_of_point(list, &k, out, 16);
}

static void
test_policies_and_stand_ins(void)
{
	json_t *rows = json_array();
	const struct obs *out[16];
	const char *names[16];
	struct obs_list l;

	add(rows, "a", 1, "\"procs\":1,\"steal\":\"half\",\"victim\":\"random\",\"local_cap\":256,\"wall_ns\":100");
	add(rows, "a", 0, "\"procs\":1,\"steal\":\"half\",\"victim\":\"random\",\"local_cap\":256,\"wall_ns\":101");
	add(rows, "b", 0, "\"procs\":2,\"steal\":\"all\",\"victim\":\"nearest\",\"local_cap\":64,\"wall_ns\":50");
	add(rows, "c", 0, "\"procs\":2,\"steal\":\"none\",\"victim\":\"random\",\"local_cap\":256,\"wall_ns\":99");
	add(rows, "d", 0, "\"procs\":2,\"queue\":\"global\",\"local_cap\":256,\"wall_ns\":60");
	add(rows, "e", 0, "\"procs\":2,\"runtime\":\"threads\",\"wall_ns\":70");
	add(rows, "f", 0, "\"procs\":1,\"runtime\":\"serial\",\"wall_ns\":90");
	expect(obs_load(rows, false, &l) == 0 && l.n == 7);
	expect(at(&l, "half/random", 1, 256, out) == 2 && out[0]->round == 0 && out[1]->round == 1);
	expect(at(&l, "all/nearest", 1, 256, out) == 2); // nobody to steal from: the same cell
	expect(at(&l, "none", 1, 256, out) == 2);
	expect(at(&l, "half/random", 1, 64, out) == 0); // but the cap still spills
	expect(at(&l, "all/nearest", 2, 64, out) == 1 && out[0]->wall_ns == 50);
	expect(at(&l, "half/random", 2, 64, out) == 0);
	expect(at(&l, "global", 2, 16, out) == 1 && out[0]->wall_ns == 60); // it has no local queue to cap
	expect(at(&l, "global", 1, 256, out) == 0);
	expect(at(&l, "threads", 8, 256, out) == 1);
	expect(obs_policies(&l, names, 16) == 5); // serial is what others are set against
	expect(!strcmp(names[0], "half/random") && !strcmp(names[1], "all/nearest") && !strcmp(names[2], "none") &&
	       !strcmp(names[3], "global") && !strcmp(names[4], "threads"));
	obs_free(&l);
	json_decref(rows);
}

static void
test_speedup_sources(void)
{
	json_t *rows = json_array();
	const struct obs *out[16];
	struct obs_list l;

	add(rows, "s", 0, "\"runtime\":\"serial\",\"wall_ns\":1000");
	add(rows, "s", 1, "\"runtime\":\"serial\",\"wall_ns\":1200");
	add(rows, "a", 0, "\"procs\":2,\"wall_ns\":500");
	add(rows, "a", 1, "\"procs\":2,\"wall_ns\":500");
	add(rows, "a", 2, "\"procs\":2,\"wall_ns\":500,\"serial_ns\":800");
	add(rows, "a", 3, "\"procs\":2,\"wall_ns\":500,\"serial_ns\":800,\"speedup\":1.5");
	add(rows, "a", 4, "\"procs\":2,\"wall_ns\":500");
	add(rows, "a", 5, "\"procs\":2");
	expect(obs_load(rows, false, &l) == 0 && l.n == 7); // a row without a time is none
	expect(at(&l, "half/random", 2, 256, out) == 5);
	expect_near(out[0]->speedup, 2.0, 0);
	expect_near(out[1]->speedup, 2.4, 1e-12); // each against its own round
	expect_near(out[2]->speedup, 1.6, 1e-12);
	expect_near(out[3]->speedup, 1.5, 0);
	expect(isnan(out[4]->speedup));
	obs_free(&l);
	json_decref(rows);
}

static void
test_hidden_factors(void)
{
	json_t *rows = json_array();
	struct obs_list all, some;

	add(rows, "a", 0, "\"procs\":2,\"wall_ns\":1,\"params\":{\"tasks\":10,\"grain_ns\":5}");
	add(rows, "b", 0, "\"procs\":2,\"wall_ns\":2,\"params\":{\"grain_ns\":5,\"tasks\":10},\"steal\":\"one\"");
	add(rows, "c", 0, "\"procs\":2,\"wall_ns\":3,\"params\":{\"tasks\":99,\"grain_ns\":5}");
	add(rows, "d", 0, "\"procs\":2,\"wall_ns\":4,\"params\":{\"tasks\":10,\"grain_ns\":5},\"spin\":\"none\"");
	add(rows, "e", 0,
	    "\"runtime\":\"serial\",\"wall_ns\":5,\"params\":{\"tasks\":10,\"grain_ns\":5},\"spin\":\"none\"");
	expect(obs_load(rows, false, &all) == 0 && all.n == 5);
	expect(!strcmp(all.obs[0].params, "grain_ns=5 tasks=10"));
	expect(obs_comparable(&all, &some) == 0 && some.n == 3 && some.held_back == 2);
	expect(some.obs[0].wall_ns == 1 && some.obs[1].wall_ns == 2 && some.obs[2].wall_ns == 5);
	expect(all.n == 5);
	obs_free(&some);
	obs_free(&all);
	json_decref(rows);
}

// Among equally frequent settings the default stays, wherever it stands in the file.
static void
test_default_preferred(void)
{
	json_t *rows = json_array();
	struct obs_list all, some;

	add(rows, "a", 0, "\"procs\":2,\"wall_ns\":1,\"global_tick\":0");
	add(rows, "b", 0, "\"procs\":2,\"wall_ns\":2,\"global_tick\":61");
	add(rows, "c", 0, "\"procs\":2,\"wall_ns\":3,\"global_tick\":7");
	expect(obs_load(rows, false, &all) == 0);
	expect(obs_comparable(&all, &some) == 0 && some.n == 1 && some.obs[0].wall_ns == 2);
	obs_free(&some);
	obs_free(&all);
	json_decref(rows);
}

static void
test_status_and_substrate(void)
{
	json_t *rows = json_array();
	struct obs_list l;

	json_array_append_new(rows,
	                      row("{\"cell\":\"a\",\"round\":0,\"status\":\"TAINTED\",\"wall_ns\":1,\"procs\":2}"));
	json_array_append_new(rows, row("{\"cell\":\"a\",\"round\":0,\"status\":\"OK\",\"wall_ns\":2,\"procs\":2}"));
	json_array_append_new(rows,
	                      row("{\"cell\":\"a\",\"round\":1,\"status\":\"TAINTED\",\"wall_ns\":3,\"procs\":2}"));
	json_array_append_new(rows,
	                      row("{\"cell\":\"a\",\"round\":2,\"status\":\"FAILED\",\"wall_ns\":4,\"procs\":2}"));
	json_array_append_new(rows, row("{\"cell\":\"b\",\"round\":0,\"status\":\"OK\",\"wall_ns\":5,\"sim\":true}"));
	expect(obs_load(rows, false, &l) == 0 && l.n == 2);
	expect(l.obs[0].wall_ns == 2 && !l.obs[0].tainted && l.obs[1].wall_ns == 3 && l.obs[1].tainted);
	obs_free(&l);
	expect(obs_load(rows, true, &l) == 0 && l.n == 1 && l.obs[0].wall_ns == 5 && l.obs[0].sim);
	obs_free(&l);
	json_decref(rows);
}

static void
test_titles(void)
{
	json_t *rows = json_array();
	char title[128];
	struct obs_list l;

	add(rows, "a", 0, "\"procs\":2,\"wall_ns\":1,\"params\":{\"grain_ns\":2500,\"depth\":3,\"tasks\":7}");
	expect(obs_load(rows, false, &l) == 0);
	chart_title(&l, "uniform", title, sizeof(title));
	expect(!strcmp(title, "uniform: 7 tasks, grain 2.5 µs"));
	chart_title(&l, "absent", title, sizeof(title));
	expect(!strcmp(title, "absent"));
	obs_free(&l);
	json_decref(rows);
}

static void
test_medians(void)
{
	double few[] = { 5, 1, 3, 2, 4 }, six[] = { 6, 1, 5, 2, 4, 3 };
	struct chart_median m = chart_median(few, 5);

	expect(m.n == 5 && m.median == 3 && isnan(m.lo) && isnan(m.hi));
	m = chart_median(six, 6);
	expect(m.median == 3.5 && m.lo == 1 && m.hi == 6);
	m = chart_median(six, 0);
	expect(m.n == 0 && isnan(m.median));
}

int
main(void)
{
	test_policies_and_stand_ins();
	test_speedup_sources();
	test_hidden_factors();
	test_default_preferred();
	test_status_and_substrate();
	test_titles();
	test_medians();
	return expect_done(&expected);
}
