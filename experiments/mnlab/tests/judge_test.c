// SPDX-License-Identifier: MIT
// judge_test.c: which status each end of a repetition gets, and the figures derived from it.
#include "experiments/mnlab/judge.h"
#include "experiments/mnlab/tests/check.h"
#include "experiments/mnlab/tests/sample.h"

#include <math.h>
#include <unistd.h>

static const char path[] = "judge_test.tmp";

struct given {
	enum runtime runtime;
	int procs;
	struct exec_result end;
	const char *stderr_text;
	const char *evidence; // JSON with ' for ", or NULL
	const char *taint;    // or NULL
	int64_t serial_ns, least_cpu_ns;
};

static json_t *
judge(const struct given *g)
{
	char text[4096];
	struct judge_facts f = {
		.cells = &sample,
		.cell = sample_find(g->runtime, g->procs),
		.attempt = 1,
		.pus = 2,
		.serial_ns = g->serial_ns,
		.least_cpu_ns = g->least_cpu_ns,
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

// Work of 100 ms on 2 processors: not below 50 ms, with 5 % for the clocks. On 1: not below 100. On 4 Ps: 2 processors.
// When the repetition itself needed less CPU time the machine was faster, but more than 30 % faster it never is.
static void
test_law_of_speedup(void)
{
	static const struct {
		enum runtime runtime;
		int procs;
		long wall_us, own_cpu_us;
		const char *status;
	} all[] = {
		{ RUNTIME_MN, 2, 50000, 100000, "OK" },
		{ RUNTIME_MN, 2, 48000, 100000, "OK" },
		{ RUNTIME_MN, 2, 47000, 100000, "INVALID" },
		{ RUNTIME_MN, 2, 47000, 200000, "INVALID" },
		{ RUNTIME_MN, 4, 48000, 100000, "OK" },
		{ RUNTIME_MN, 4, 47000, 100000, "INVALID" },
		{ RUNTIME_MN, 1, 96000, 100000, "OK" },
		{ RUNTIME_MN, 1, 95000, 100000, "INVALID" },
		{ RUNTIME_MN, 1, 95000, 95000, "OK" },
		{ RUNTIME_MN, 1, 85000, 90000, "INVALID" },
		{ RUNTIME_MN, 1, 67000, 50000, "OK" },
		{ RUNTIME_MN, 1, 66000, 50000, "INVALID" },
		{ RUNTIME_MN, 1, 66000, 0, "INVALID" },
		{ RUNTIME_THREADS, 2, 48000, 100000, "OK" },
		{ RUNTIME_THREADS, 2, 47000, 100000, "INVALID" },
		{ RUNTIME_SERIAL, 1, 50000, 100000, "OK" }, // it is the reference
	};

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
		char evidence[128];
		snprintf(evidence, sizeof evidence, "{'wall_ns': %ld, 'cpu_ns': %ld}", 1000 * all[i].wall_us,
		         1000 * all[i].own_cpu_us);
		check_status((struct given){ .runtime = all[i].runtime,
		                             .procs = all[i].procs,
		                             .evidence = evidence,
		                             .serial_ns = 900000000,
		                             .least_cpu_ns = 100000000 },
		             all[i].status, strcmp(all[i].status, "OK") ? "law of speed-up" : "(none)");
	}
	// Without anything to hold it against.
	check_status((struct given){ .procs = 2, .evidence = "{'wall_ns': 1000}" }, "OK", "(none)");
}

static void
test_figures(void)
{
	json_t *row = judge(&(struct given){ .procs = 4, .evidence = FINE, .serial_ns = 150000000, .least_cpu_ns = 1 });

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

int
main(void)
{
	sample_make();
	test_status();
	test_law_of_speedup();
	test_figures();
	test_stderr();
	test_read_evidence();
	sample_free();
	return 0;
}
