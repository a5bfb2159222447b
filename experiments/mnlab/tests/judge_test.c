// SPDX-License-Identifier: MIT
// judge_test.c: which status each end of a repetition gets, and the figures derived from it.
#include "experiments/mnlab/judge.h"
#include "experiments/mnlab/command.h"
#include "experiments/mnlab/estimate.h"
#include "experiments/mnlab/machine.h"
#include "experiments/mnlab/matrix.h"
#include "experiments/mnlab/past.h"
#include "experiments/mnlab/tests/check.h"

#include <math.h>
#include <unistd.h>

static const struct machine machine = { .pus = 2, .cores = 2, .llcs = 1, .numas = 1, .usable = 2 };
static const char path[] = "judge_test.tmp";
static struct cells cells;

// The cell with that runtime and procs.
static int
find(enum runtime runtime, int procs)
{
	for (int i = 0; i < cells.n; i++)
		if (cells.cell[i].runtime == runtime && cells.cell[i].options.procs == procs)
			return i;
	exit(2);
}

static void
make_cells(void)
{
	FILE *f = fopen(path, "w");
	struct matrix m;
	char err[1024];

	check(f && fputs("[matrix]\nworkload = skewed\nprocs = 1, 2, 4\nruntime = mn, threads\nrounds = 2\n", f) >= 0 &&
	      !fclose(f));
	check_number(matrix_read(&m, path, &machine, err, sizeof err), 0);
	check_number(cells_make(&cells, &m, 1, &machine, err, sizeof err), 0);
	matrix_free(&m);
	unlink(path);
}

struct given {
	enum runtime runtime;
	int procs;
	struct exec_result end;
	const char *stderr_text;
	const char *evidence; // JSON with ' for ", or NULL
	const char *taint;    // or NULL
	int64_t serial_ns, serial_cpu_ns;
};

static json_t *
judge(const struct given *g)
{
	char text[4096];
	struct judge_facts f = {
		.cells = &cells,
		.cell = find(g->runtime, g->procs),
		.attempt = 1,
		.pus = 2,
		.serial_ns = g->serial_ns,
		.serial_cpu_ns = g->serial_cpu_ns,
		.machine = "m",
		.started = "now",
		.command = "x",
	};
	struct exec_result r = g->end;
	json_t *evidence = NULL, *taint = json_array(), *row = judge_row(&f);

	snprintf(text, sizeof text, "%s", g->evidence ? g->evidence : "");
	for (char *p = text; *p; p++)
		*p = *p == '\'' ? '"' : *p;
	if (g->evidence)
		evidence = json_loads(text, 0, NULL);
	check(!g->evidence || evidence);
	if (g->taint)
		json_array_append_new(taint, json_string(g->taint));
	char errors[1024];
	snprintf(errors, sizeof errors, "%s", g->stderr_text ? g->stderr_text : "");
	r.err = (struct exec_text){ errors, strlen(errors), false };
	judge_result(row, &f, &r, evidence, g->evidence ? "" : "no evidence was written: why", json_object(), taint);
	json_decref(evidence);
	return row;
}

static const char *
text_of(const json_t *row, const char *key)
{
	const char *text = json_string_value(json_object_get(row, key));

	return text ? text : "(none)";
}

#define FINE "{'wall_ns': 100000000, 'cpu_ns': 100000000, 'tasks': 3, 'checksum': '0123456789abcdef'}"

static void
check_status(struct given g, const char *status, const char *why)
{
	json_t *row = judge(&g);

	check_text(text_of(row, "status"), status);
	check_has(text_of(row, "why"), why);
	json_decref(row);
}

static void
test_status(void)
{
	static const char asleep[] =
	        "fatal error: all goroutines are asleep - deadlock!\n\ngoroutine 1 [chan receive]:\n";

	check_status((struct given){ .procs = 2, .evidence = FINE }, "OK", "(none)");
	check_status((struct given){ .procs = 2, .evidence = FINE, .taint = "others_ns: 1" }, "TAINTED", "(none)");
	check_status((struct given){ .procs = 2, .end.exit_code = 1, .evidence = FINE }, "FAILED", "exit status");
	check_status((struct given){ .procs = 2, .end.exit_code = 2, .stderr_text = "fatal error: stack overflow" },
	             "FAILED", "exit status");
	check_status((struct given){ .procs = 2, .end.exit_code = 2, .stderr_text = asleep }, "DEADLOCK", "asleep");
	check_status((struct given){ .procs = 2, .end.signal = 11 }, "FAILED", "Segmentation");
	check_status((struct given){ .procs = 2, .end = { .signal = 9, .timed_out = true } }, "TIMEOUT", "time limit");
	check_status((struct given){ .procs = 2, .end.timed_out = true, .evidence = FINE }, "TIMEOUT", "time limit");
	check_status((struct given){ .procs = 2 }, "INVALID", "no evidence was written: why");
	check_status((struct given){ .procs = 2, .end.exit_code = 4, .evidence = FINE }, "INVALID", "exit status");
	check_status((struct given){ .procs = 2,
	                             .evidence = "{'wall_ns': 1, 'invalid': 'spawned 3, finished 2'}",
	                             .taint = "x" },
	             "INVALID", "spawned 3, finished 2");
}

// 100 ms serially on 2 processors: not below 50 ms, with 5 % for the clocks. On 1: not below 100. On 4 Ps: 2 processors.
static void
test_law_of_speedup(void)
{
	static const struct {
		enum runtime runtime;
		int procs;
		long wall_us;
		const char *status;
	} all[] = {
		{ RUNTIME_MN, 2, 50000, "OK" },           { RUNTIME_MN, 2, 48000, "OK" },
		{ RUNTIME_MN, 2, 47000, "INVALID" },      { RUNTIME_MN, 4, 48000, "OK" },
		{ RUNTIME_MN, 4, 47000, "INVALID" },      { RUNTIME_MN, 1, 96000, "OK" },
		{ RUNTIME_MN, 1, 95000, "INVALID" },      { RUNTIME_THREADS, 2, 48000, "OK" },
		{ RUNTIME_THREADS, 2, 47000, "INVALID" }, { RUNTIME_SERIAL, 1, 50000, "OK" }, // it is the reference
	};

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
		char evidence[128];
		snprintf(evidence, sizeof evidence, "{'wall_ns': %ld000, 'cpu_ns': 1}", all[i].wall_us);
		check_status((struct given){ .runtime = all[i].runtime,
		                             .procs = all[i].procs,
		                             .evidence = evidence,
		                             .serial_ns = 900000000,
		                             .serial_cpu_ns = 100000000 },
		             all[i].status, strcmp(all[i].status, "OK") ? "law of speed-up" : "(none)");
	}
	// Without a reference there is nothing to hold it against.
	check_status((struct given){ .procs = 2, .evidence = "{'wall_ns': 1000}" }, "OK", "(none)");
}

static void
test_figures(void)
{
	json_t *row =
	        judge(&(struct given){ .procs = 4, .evidence = FINE, .serial_ns = 150000000, .serial_cpu_ns = 1 });

	check(fabs(json_number_value(json_object_get(row, "speedup")) - 1.5) < 1e-9);
	check(fabs(json_number_value(json_object_get(row, "efficiency")) - 0.75) < 1e-9); // of the 2 it could use
	check_number(json_integer_value(json_object_get(row, "serial_ns")), 150000000);
	check_number(json_integer_value(json_object_get(row, "wall_ns")), 100000000);
	check_number(json_integer_value(json_object_get(row, "procs")), 4);
	check_text(text_of(row, "steal"), "half");
	check_text(text_of(row, "workload"), "skewed");
	check_text(text_of(row, "checksum"), "0123456789abcdef");
	check(json_is_integer(json_object_get(json_object_get(row, "params"), "tasks")));
	json_decref(row);
	row = judge(&(struct given){ .runtime = RUNTIME_SERIAL, .procs = 1, .evidence = FINE, .serial_ns = 150000000 });
	check(!json_object_get(row, "speedup") && !json_object_get(row, "serial_ns"));
	json_decref(row);
}

static void
test_stderr(void)
{
	json_t *row = judge(
	        &(struct given){ .procs = 2, .end.exit_code = 1, .stderr_text = "1\n2\n3\n4\n5\n6\n7\n8\n9\n\xff\n" });
	json_t *lines = json_object_get(row, "stderr");

	check_number(json_array_size(lines), 8);
	check_text(json_string_value(json_array_get(lines, 0)), "3");
	check_text(json_string_value(json_array_get(lines, 7)), "(a line that is not text)");
	check_number(json_integer_value(json_object_get(row, "exit_code")), 1);
	json_decref(row);
}

static void
check_evidence(const char *text, const char *why_not)
{
	char why[512] = "";
	FILE *f = fopen(path, "w");

	check(f && fputs(text, f) >= 0 && !fclose(f));
	json_t *e = judge_read_evidence(path, why, sizeof why);
	check_has(why, why_not);
	check(!e == (*why_not != 0));
	json_decref(e);
	unlink(path);
}

static void
test_read_evidence(void)
{
	char why[512];

	check_evidence("{\"wall_ns\": 5}", "");
	check_evidence("{\"wall_ns\": 5", "the evidence is not JSON: 1:");
	check_evidence("", "the evidence is not JSON");
	check_evidence("{}", "no wall_ns above zero");
	check_evidence("[]", "no wall_ns above zero");
	check_evidence("{\"wall_ns\": 0}", "no wall_ns above zero");
	check_evidence("{\"wall_ns\": \"5\"}", "no wall_ns above zero");
	check(!judge_read_evidence("no/such", why, sizeof why));
	check_has(why, "no evidence was written: No such file");
}

// ---- What is known, and how long the rest takes ----------------------------------------------------------------------

static json_t *
stored(int cell, int round, const char *status, long wall, long cpu, double elapsed)
{
	return json_pack("{s:s, s:s, s:i, s:s, s:I, s:I, s:f}", "cell", cells.cell[cell].id, "block",
	                 cells.block[cells.cell[cell].block].name, "round", round, "status", status, "wall_ns",
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
	int a = find(RUNTIME_MN, 2), b = find(RUNTIME_MN, 4);

	check_number(past_init(&p, &cells), 0);
	check_number(past_total(&p), cells.n * 2);
	check_number(past_count(&p, REP_TODO), cells.n * 2);
	take(&p, stored(a, 0, "TIMEOUT", 0, 0, 5e9));
	check_number(past_state(&p, a, 0), REP_FAILED);
	take(&p, stored(a, 0, "TAINTED", 70, 60, 1e9));
	check_number(past_state(&p, a, 0), REP_TAINTED);
	take(&p, stored(a, 0, "OK", 50, 90, 1e9));
	take(&p, stored(a, 0, "FAILED", 10, 10, 1e9)); // does not take an answer back
	check_number(past_state(&p, a, 0), REP_OK);
	check_number(past_wall_ns(&p, a, 0), 50);
	check_number(p.best_cpu_ns[a], 60);
	check_number(past_state(&p, a, 1), REP_TODO);
	check_number(past_state(&p, b, 0), REP_TODO);
	take(&p, stored(a, 7, "OK", 1, 1, 1e9)); // a round that nobody asks for now
	json_t *strange = json_pack("{s:s, s:i}", "cell", "0000000000000000", "round", 0);
	take(&p, strange);
	check_number(past_count(&p, REP_TODO), cells.n * 2 - 1);
	check_number(past_wall_ns(&p, a, 99), 0);
	past_free(&p);
}

static void
test_estimate(void)
{
	struct past p;
	int a = find(RUNTIME_MN, 2), b = find(RUNTIME_MN, 4), block_a = cells.cell[a].block,
	    block_b = cells.cell[b].block;
	char text[64];

	check_number(past_init(&p, &cells), 0);
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

// ---- Commands --------------------------------------------------------------------------------------------------------

static void
test_command(void)
{
	struct command c;
	struct command_facts facts = { "/a b/mn'cell", 512.5, 77, "x/samples.0.tsv" };

	command_make(&c, &cells.cell[find(RUNTIME_MN, 2)], &facts);
	char *text = command_text(&c);
	check_text(text, "'/a b/mn'\\''cell' --workload=skewed --param tasks=1000 --param grain_ns=100000 --procs=2 "
	                 "--steal=half "
	                 "--victim=random --local_cap=256 --seed=77 --sample_file=x/samples.0.tsv --rate=512.5");
	free(text);
	command_free(&c);
	facts = (struct command_facts){ "mncell", 512.5, 0, NULL };
	command_make(&c, &cells.cell[find(RUNTIME_SERIAL, 1)], &facts);
	text = command_text(&c);
	check_text(text,
	           "mncell --workload=skewed --param tasks=1000 --param grain_ns=100000 --runtime=serial --rate=512.5");
	free(text);
	command_free(&c);
}

static void
test_environment(void)
{
	bool kept = false;

	setenv("MN_STEAL", "one", 1);
	setenv("GOMAXPROCS", "7", 1);
	setenv("BENCHMARK_FILTER", "x", 1);
	setenv("JUDGE_TEST_KEPT", "x", 1);
	char **e = command_environment();
	for (int i = 0; e[i]; i++) {
		check(strncmp(e[i], "MN_", 3) && strncmp(e[i], "GOMAXPROCS", 10) && strncmp(e[i], "BENCHMARK_", 10));
		kept |= !strcmp(e[i], "JUDGE_TEST_KEPT=x");
	}
	check(kept);
	free(e);
}

int
main(void)
{
	make_cells();
	test_status();
	test_law_of_speedup();
	test_figures();
	test_stderr();
	test_read_evidence();
	test_past();
	test_estimate();
	test_command();
	test_environment();
	cells_free(&cells);
	return 0;
}
