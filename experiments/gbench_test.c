// SPDX-License-Identifier: MIT
// gbench_test.c: the C face of Google Benchmark, driven as a program drives it, its JSON read back with a JSON library.
//
// The library keeps its flags and its context in globals, and reads the environment when it is loaded, so each case is this
// program started anew (CASE n flags ..), its output in a scratch folder. The parent reads status and files. Nothing here
// depends on how fast the machine is: times are given by hand.
#include "experiments/gbench_test.h"
#include "experiments/gbench.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/gbench_test.XXXXXX";
int failures;

// ---- Running a case in a child -------------------------------------------------------------------------------------

static const char *
in_folder(const char *name)
{
	static char path[4][256];
	static int next;
	char *p = path[next++ % 4];

	snprintf(p, sizeof(path[0]), "%s/%s", folder, name);
	return p;
}

// Runs the registered benchmarks. Exit 2: a flag was refused, the line is on stderr.
static int
program(int argc, char **argv, struct gbench_totals *t)
{
	char err[GBENCH_ERR_MAX];

	if (gbench_init(&argc, argv, err, sizeof(err)) || gbench_unknown(argc, argv, err, sizeof(err))) {
		fprintf(stderr, "%s\n", err);
		return 2;
	}
	expect(!gbench_context("who \"quoted\"", "tab\there"));
	expect(gbench_context("who \"quoted\"", "again") == -EEXIST);
	register_all();
	return gbench_run(t) ? 1 : 0;
}

// The cases, each given its flags as argv[1..].
static int
run_all(int argc, char **argv)
{
	struct gbench_totals t = { 0 };
	int rc = program(argc, argv, &t);

	expect(t.matched == 11 && t.errors == 3 && t.runs >= 12);
	return rc;
}

static int
run_manual(int argc, char **argv)
{
	struct gbench_totals t = { 0 };
	int rc = program(argc, argv, &t);

	expect(rc || (t.matched == 1 && t.runs == 3));
	return rc;
}

static int
run_none(int argc, char **argv)
{
	struct gbench_totals t = { 1, 1, 1 };
	int rc = program(argc, argv, &t);

	expect(rc || (t.matched == 0 && t.runs == 0 && t.errors == 0));
	return rc;
}

static int
run_list(int argc, char **argv)
{
	struct gbench_totals t = { 0 };
	int rc = program(argc, argv, &t);

	expect(t.matched == 11 && t.runs == 0);
	return rc;
}

enum { ALL, MANUAL, NONE, LIST };
static int (*const cases[])(int,
                            char **) = { [ALL] = run_all, [MANUAL] = run_manual, [NONE] = run_none, [LIST] = run_list };

static int
case_main(int argc, char **argv)
{
	int rc = cases[atoi(argv[0])](argc, argv);

	return failures ? 98 : rc;
}

// Starts a case in a child whose stdout and stderr go to files "out" and "err"; returns its exit status.
static int
in_child(int which, const char *a, const char *b, const char *c)
{
	char number_text[2] = { (char)('0' + which), '\0' };
	int status;
	pid_t child;

	fflush(NULL);
	child = fork();
	if (!child) {
		if (freopen(in_folder("out"), "w", stdout) && freopen(in_folder("err"), "w", stderr))
			execl("/proc/self/exe", "gbench_test", "CASE", number_text, a, b, c, (char *)NULL);
		_exit(99);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

static const char *
content(const char *name)
{
	static char text[1 << 16];
	FILE *f = fopen(in_folder(name), "r");
	size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;

	if (f)
		fclose(f);
	text[n] = '\0';
	return text;
}

static json_t *
load(const char *name)
{
	json_error_t error;
	json_t *root = json_load_file(in_folder(name), JSON_REJECT_DUPLICATES, &error);

	if (!root)
		fprintf(stderr, "%s:%d:%d: %s\n", name, error.line, error.column, error.text);
	return root;
}

static bool
text_is(const json_t *row, const char *key, const char *text)
{
	const char *value = json_string_value(json_object_get(row, key));

	return value && !strcmp(value, text);
}

// The n-th benchmark whose name is that; NULL past the last.
static const json_t *
find(const json_t *root, const char *name, int n)
{
	size_t i;
	const json_t *row;

	json_array_foreach(json_object_get(root, "benchmarks"), i,
	                   row) if (text_is(row, "name", name) && !n--) return row;
	return NULL;
}

static double
number(const json_t *row, const char *key)
{
	const json_t *value = json_object_get(row, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

// ---- Cases ---------------------------------------------------------------------------------------------------------

static void
check_rows(const json_t *root)
{
	const json_t *row = find(root, "counted/low:30/high:40/iterations:100", 0);

	expect(number(row, "turns") == 100 && number(row, "sum") == 70 && number(row, "iterations") == 100);
	expect(text_is(row, "label", "tab here \"and\" \\there"));
	row = find(root, "counted/low:1/high:2/iterations:100", 0);
	expect(number(row, "sum") == 3);
	row = find(root, "free/min_time:0.000/process_time", 0);
	expect(number(row, "turns") >= 1 && text_is(row, "time_unit", "us"));
	row = find(root, "threaded/iterations:10/real_time/threads:2", 0);
	expect(number(row, "threads") == 2 && number(row, "ones") == 2 && number(row, "mean") == 0.5);
	expect(find(root, "paused/iterations:1", 0) &&
	       !json_object_get(find(root, "paused/iterations:1", 0), "error_occurred"));
}

static void
check_manual(const json_t *root)
{
	const json_t *row = find(root, "manual/iterations:4/manual_time", 0);

	expect(number(row, "real_time") == 250 && text_is(row, "time_unit", "ms"));
	expect(number(row, "rate") == 8 && number(row, "period") == 0.125 && number(row, "each") == 2);
	expect(number(row, "all") == 32 && number(row, "zero") == 0);
	expect(number(row, "bytes_per_second") == 1 << 20 && number(row, "items_per_second") == 500);
	row = find(root, "timeless/iterations:4/manual_time", 0);
	expect(number(row, "kept") == 8 && !json_object_get(row, "endless"));
	row = find(root, "refused/iterations:1", 0);
	expect(row && !json_object_get(row, "nan") && !json_object_get(row, "inf") && !json_object_get(row, "minus"));
	expect(!json_object_get(row, "inverse") && !json_object_get(row, "flag"));
}

static void
check_errors(const json_t *root)
{
	const json_t *row = find(root, "skipped/iterations:1", 0);

	expect(json_is_true(json_object_get(row, "error_occurred")) && text_is(row, "error_message", "a   reason"));
	row = find(root, "early/low:1/high:2/iterations:100", 0);
	expect(json_is_true(json_object_get(row, "error_occurred")));
	expect(text_is(row, "error_message", "left before its loop was over"));
}

static void
test_json(const char *flag, const char *file)
{
	json_t *root;

	expect(in_child(ALL, flag, NULL, NULL) == 0);
	root = load(file);
	expect(root);
	expect(text_is(json_object_get(root, "context"), "who \"quoted\"", "tab here"));
	check_rows(root);
	check_manual(root);
	check_errors(root);
	json_decref(root);
}

// A counter that is always 0 has no coefficient of variation: the report must stay readable without it.
static void
test_filter_and_repetitions(void)
{
	char out[300];
	json_t *root;
	const json_t *row;

	snprintf(out, sizeof(out), "--benchmark_out=%s", in_folder("some.json"));
	expect(in_child(MANUAL, "--benchmark_filter=^manual", "--benchmark_repetitions=3", out) == 0);
	root = load("some.json");
	expect(json_array_size(json_object_get(root, "benchmarks")) == 7);
	expect(number(find(root, "manual/iterations:4/manual_time", 2), "repetition_index") == 2);
	row = find(root, "manual/iterations:4/manual_time_median", 0);
	expect(number(row, "real_time") == 250 && number(row, "zero") == 0);
	row = find(root, "manual/iterations:4/manual_time_cv", 0);
	expect(number(row, "rate") == 0 && !json_object_get(row, "zero"));
	json_decref(root);
}

static void
test_flags(void)
{
	static const char *const bad[][2] = {
		{ "--benchmark_format=xml", "--benchmark_format=xml: unknown value; allowed are console, json, csv\n" },
		{ "--benchmark_out_format=xml", "allowed are json, console, csv\n" },
		{ "--benchmark_time_unit=h", "allowed are ns, us, ms, s\n" },
		{ "--benchmark_repetitions=0", "--benchmark_repetitions=0: allowed is a number from 1\n" },
		{ "--benchmark_min_time=-1", "--benchmark_min_time=-1: allowed is a number from 0\n" },
		{ "--benchmark_min_time=nan", "allowed is a number from 0\n" },
		{ "--benchmark_repetitions=x", "--benchmark_repetitions=x: Google Benchmark has no such flag" },
		{ "--benchmark_fliter=x", "--benchmark_fliter=x: Google Benchmark has no such flag" },
		{ "stray", "stray: Google Benchmark has no such flag" },
		{ "--benchmark_out=/nonexistent/x", "--benchmark_out=/nonexistent/x: No such file or directory\n" },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		expect(in_child(NONE, bad[i][0], NULL, NULL) == 2);
		if (!strstr(content("err"), bad[i][1])) {
			fprintf(stderr, "%s: got %s", bad[i][0], content("err"));
			failures++;
		}
	}
	expect(in_child(NONE, "--benchmark_filter=nothing", NULL, NULL) == 0);
	expect(in_child(LIST, "--benchmark_list_tests", NULL, NULL) == 0);
	expect(strstr(content("out"), "manual/iterations:4/manual_time\n"));
	expect(in_child(NONE, "--help", NULL, NULL) == 0);
	expect(strstr(content("out"), "--benchmark_repetitions"));
}

// The same from the environment.
static void
test_environment(void)
{
	setenv("BENCHMARK_FORMAT", "xml", 1);
	expect(in_child(NONE, NULL, NULL, NULL) == 2);
	setenv("BENCHMARK_FORMAT", "json", 1);
	test_json(NULL, "out");
	unsetenv("BENCHMARK_FORMAT");
	setenv("BENCHMARK_REPETITIONS", "-1", 1);
	expect(in_child(NONE, NULL, NULL, NULL) == 2);
	unsetenv("BENCHMARK_REPETITIONS");
	setenv("BENCHMARK_OUT", "/nonexistent/x", 1);
	expect(in_child(NONE, NULL, NULL, NULL) == 2);
	unsetenv("BENCHMARK_OUT");
}

static void
idle(struct gbench_state *s, void *arg)
{
	(void)arg;
	while (gbench_next(s))
		;
}

static void
test_register(void)
{
	static const int64_t one;
	const struct gbench_options bad[] = {
		{ .iterations = -1 },
		{ .repetitions = -1 },
		{ .threads = -1 },
		{ .min_time = -1 },
		{ .min_time = NAN },
		{ .min_time = 1, .iterations = 1 },
		{ .manual_time = true, .real_time = true },
		{ .unit = 9 },
		{ .arg_rows = 1, .arg_count = 1 },
		{ .arg_rows = 1, .args = &one },
	};
	// More names than a vector can hold: the exception must end at the shim.
	const struct gbench_options huge = { .arg_names = (const char *const *)bad, .arg_count = SIZE_MAX / 32 };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		expect(gbench_register("x", idle, NULL, &bad[i]) == -EINVAL);
	expect(gbench_register("", idle, NULL, NULL) == -EINVAL);
	expect(gbench_register(NULL, idle, NULL, NULL) == -EINVAL);
	expect(gbench_register("x", NULL, NULL, NULL) == -EINVAL);
	expect(gbench_register("x", idle, NULL, &huge) == -EINVAL);
	expect(!gbench_register("x", idle, "", NULL));
	gbench_clear();
	expect(!strcmp(gbench_library(), "Google Benchmark " GBENCH_VERSION));
}

static void
test_unfit(void)
{
	unsetenv("MNCELL_ANY_BUILD");
	if (*GBENCH_SANITIZE)
		expect(gbench_unfit() && !strcmp(gbench_unfit(), "built with sanitizers"));
	setenv("MNCELL_ANY_BUILD", "0", 1);
	if (*GBENCH_SANITIZE)
		expect(gbench_unfit());
	setenv("MNCELL_ANY_BUILD", "1", 1);
	expect(!gbench_unfit());
}

int
main(int argc, char **argv)
{
	char out[300];

	if (argc > 2 && !strcmp(argv[1], "CASE"))
		return case_main(argc - 2, argv + 2);
	if (!mkdtemp(folder))
		return 1;
	snprintf(out, sizeof(out), "--benchmark_out=%s", in_folder("all.json"));
	test_register();
	test_json(out, "all.json");
	test_filter_and_repetitions();
	test_flags();
	test_environment();
	test_unfit();
	for (size_t i = 0; i < 4; i++)
		unlink(in_folder((const char *const[]){ "all.json", "some.json", "out", "err" }[i]));
	rmdir(folder);
	return failures != 0;
}
