// SPDX-License-Identifier: MIT
// mncell_test.c: mncell as the laboratory starts it: its exit status, its lines on stderr, and the evidence it leaves.
//
//	mncell_test MNCELL MNCELL_FAULTY
// The second is the same program with faults that MNCELL_FAULT turns on (mncell_faults.c). Cells are tiny; nothing here
// looks at how long anything took.
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sched/mn.h"

static char folder[] = "/tmp/mncell_test.XXXXXX";
static const char *mncell, *faulty;
static char evidence[64], report[64], out[64], err[64];
static int failures;

#define expect(what)                                                                       \
	do {                                                                               \
		if (!(what)) {                                                             \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #what); \
			failures++;                                                        \
		}                                                                          \
	} while (0)

static void
to_file(const char *file, int fd)
{
	int new_fd = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0666);

	if (new_fd < 0 || dup2(new_fd, fd) < 0)
		_exit(99);
	close(new_fd);
}

// Runs program with the words of args; its exit status.
static int
run(const char *program, const char *args)
{
	char copy[1024], *word[40], *rest = NULL;
	int n = 0, status;
	pid_t child;

	snprintf(copy, sizeof(copy), "mncell %s", args);
	for (char *w = strtok_r(copy, " ", &rest); w; w = strtok_r(NULL, " ", &rest))
		word[n++] = w;
	word[n] = NULL;
	child = fork();
	if (!child) {
		to_file(out, 1);
		to_file(err, 2);
		execv(program, word);
		_exit(99);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

static const char *
content(const char *file)
{
	static char text[1 << 16];
	FILE *f = fopen(file, "r");
	size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;

	if (f)
		fclose(f);
	text[n] = '\0';
	return text;
}

static bool
said(const char *text)
{
	if (strstr(content(err), text))
		return true;
	fprintf(stderr, "not on stderr: %s\n%s", text, content(err));
	return false;
}

static json_t *
load(const char *file)
{
	json_error_t error;
	json_t *root = json_load_file(file, JSON_REJECT_DUPLICATES, &error);

	if (!root)
		fprintf(stderr, "%s:%d:%d: %s\n", file, error.line, error.column, error.text);
	return root;
}

static json_int_t
number(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_integer(value) ? json_integer_value(value) : -1;
}

// "" for what is not a text.
static const char *
text_of(const json_t *object, const char *key)
{
	const char *value = json_string_value(json_object_get(object, key));

	return value ? value : "";
}

static bool
text_is(const json_t *object, const char *key, const char *text)
{
	return !strcmp(text_of(object, key), text);
}

static const char tiny[] = "--rate=1000 --param tasks=20 --param grain_ns=1000";

// Runs a tiny cell with more arguments and the evidence file; its exit status.
static int
cell(const char *program, const char *more)
{
	char args[512];

	unlink(evidence);
	snprintf(args, sizeof(args), "%s --evidence=%s %s", tiny, evidence, more);
	return run(program, args);
}

// ---- A good run ----------------------------------------------------------------------------------------------------

static void
check_options(const json_t *root)
{
	const struct mn_option_info *option;

	for (int i = 0; (option = mn_option_at(i)); i++)
		expect(json_is_string(json_object_get(root, option->name)) == (strcmp(option->name, "seed") != 0));
	expect(text_is(root, "procs", "2") && text_is(root, "steal", "one") && text_is(root, "local_cap", "16"));
	expect(number(root, "seed") == 7 && text_is(root, "victim", "random"));
}

static void
check_result(const json_t *root)
{
	const char *checksum = text_of(root, "checksum");

	expect(text_is(root, "workload", "skewed") && text_is(root, "runtime", "mn") && number(root, "version") >= 1);
	expect(number(json_object_get(root, "params"), "tasks") == 20);
	expect(number(json_object_get(root, "params"), "grain_ns") == 1000);
	expect(number(root, "tasks") == 20 && strlen(checksum) == 16);
	expect(strspn(checksum, "0123456789abcdef") == 16);
	expect(number(root, "wall_ns") > 0 && number(root, "cpu_ns") > 0);
	expect(number(root, "run_ns") >= number(root, "wall_ns"));
	expect(json_number_value(json_object_get(root, "rate")) == 1000.0);
	expect(!json_object_get(root, "invalid"));
}

static json_int_t
sum_per_p(const json_t *root, const char *counter)
{
	json_int_t sum = 0;
	size_t i;
	const json_t *p;

	json_array_foreach(json_object_get(root, "per_p"), i, p) sum += number(p, counter);
	return sum;
}

static void
check_counters(const json_t *root)
{
	const json_t *counters = json_object_get(root, "counters"), *row, *value;
	const char *name;
	json_int_t stolen = 0;
	size_t i, j;

	for (int k = 0; (name = mn_counter_name(k)); k++)
		expect(number(counters, name) >= 0);
	expect(number(counters, "spawned") >= 20 && number(counters, "spawned") == number(counters, "finished"));
	expect(json_array_size(json_object_get(root, "per_p")) == 2);
	expect(sum_per_p(root, "spawned") == number(counters, "spawned"));
	expect(json_array_size(json_object_get(root, "victims")) == 2);
	json_array_foreach(json_object_get(root, "victims"), i, row)
	{
		expect(json_array_size(row) == 2);
		json_array_foreach(row, j, value) stolen += json_integer_value(value);
	}
	expect(stolen == number(counters, "stolen_in"));
	expect(number(root, "threads") >= 1 && number(root, "runq_max") <= 16 && number(root, "globq_max") >= 0);
}

static void
check_report(void)
{
	json_t *root = load(report);
	const json_t *rows = json_object_get(root, "benchmarks"), *context = json_object_get(root, "context");
	static const char name[] =
	        "skewed/runtime:mn/procs:2/steal:one/victim:random/local_cap:16/tasks:20/grain_ns:1000";

	expect(json_array_size(rows) == 2 + 4);
	expect(!strncmp(text_of(json_array_get(rows, 0), "name"), name, strlen(name)));
	expect(json_number_value(json_object_get(json_array_get(rows, 0), "tasks")) == 20);
	expect(text_is(context, "workload", "skewed") && text_is(context, "steal", "one") &&
	       text_is(context, "seed", "7"));
	json_decref(root);
}

static void
test_good(void)
{
	char args[256];
	json_t *root;

	snprintf(args, sizeof(args),
	         "--workload skewed --procs=2 --steal one --local_cap=16 --seed=7 --benchmark_repetitions=2 "
	         "--benchmark_out=%s",
	         report);
	expect(cell(mncell, args) == 0);
	root = load(evidence);
	check_options(root);
	check_result(root);
	check_counters(root);
	json_decref(root);
	check_report();
}

// The three runtimes give one answer, and only one of them has a scheduler to tell of.
static void
test_runtimes(void)
{
	static const char *const args[] = { "--workload=skewed", "--workload=skewed --runtime=serial",
		                            "--workload=skewed --runtime=threads" };
	json_t *root[3];

	for (int i = 0; i < 3; i++) {
		expect(cell(mncell, args[i]) == 0);
		root[i] = load(evidence);
		expect(number(root[i], "tasks") == 20);
		expect(json_equal(json_object_get(root[0], "checksum"), json_object_get(root[i], "checksum")));
		expect(!json_object_get(root[i], "counters") == (i > 0));
	}
	expect(atoi(text_of(root[0], "procs")) >= 1);
	expect(number(root[0], "seed") > 0);
	for (int i = 0; i < 3; i++)
		json_decref(root[i]);
	expect(cell(mncell, "--workload=skewed --seed=18446744073709551615") == 0);
	root[0] = load(evidence);
	expect(text_is(root[0], "seed", "18446744073709551615"));
	json_decref(root[0]);
}

static int
echo_cell(const char *more)
{
	char args[512];

	unlink(evidence);
	snprintf(args, sizeof(args), "--workload=echo --rate=100 --evidence=%s %s", evidence, more);
	return run(mncell, args);
}

// The form that few workloads have.
static void
test_evloop(void)
{
	static const char *const args[] = { "--param rounds=20", "--param rounds=20 --runtime=evloop" };
	json_t *root[2];

	for (int i = 0; i < 2; i++) {
		expect(echo_cell(args[i]) == 0);
		root[i] = load(evidence);
		expect(number(root[i], "tasks") == 16 * 20);
	}
	expect(json_equal(json_object_get(root[0], "checksum"), json_object_get(root[1], "checksum")));
	expect(text_is(root[1], "runtime", "evloop") && !json_object_get(root[1], "counters"));
	for (int i = 0; i < 2; i++)
		json_decref(root[i]);
}

// ---- Runs that go wrong --------------------------------------------------------------------------------------------

static const struct fault {
	const char *name, *args;
	int status;
	const char *line;  // on stderr
	bool has_evidence; // and then it is marked as invalid
} faults[] = {
	{ "", "", 0, "", true },
	{ "checksum", "", 4, "mncell: invalid: workload skewed: checksum", true },
	{ "law", "", 4, "mncell: invalid: spawned 3, finished 2\n", true },
	{ "law", "--benchmark_repetitions=3", 4, "mncell: invalid: spawned 3, finished 2\n", true },
	{ "unclean", "", 4, "mncell: invalid: the scheduler's counters contradict each other\n", true },
	{ "no-threads", "", 1, "mncell: the scheduler did not run: Resource temporarily unavailable\n", false },
	{ "setup", "", 1, "mncell: workload skewed cannot be set up: Cannot allocate memory\n", false },
	{ "threads", "--runtime=threads", 1, "mncell: the threads did not run: Cannot allocate memory\n", false },
	{ "checksum", "--runtime=serial", 4, "mncell: invalid: workload skewed: checksum", true },
	{ "evloop", "--runtime=evloop", 1, "mncell: the event loop did not run: Cannot allocate memory\n", false },
	{ "no-threads-form", "--runtime=threads", 2, "workload skewed has no such form; allowed are mn, serial\n",
	  false },
	{ "", "--runtime=evloop", 2, "workload skewed has no such form; allowed are mn, serial, threads\n", false },
};

static void
test_fault(const struct fault *f)
{
	char args[128];
	json_t *root;

	snprintf(args, sizeof(args), "--workload=skewed --procs=2 %s", f->args);
	setenv("MNCELL_FAULT", f->name, 1);
	expect(cell(faulty, args) == f->status);
	expect(said(f->line));
	expect((access(evidence, F_OK) == 0) == f->has_evidence);
	if (!f->has_evidence)
		return;
	root = load(evidence);
	expect(json_is_string(json_object_get(root, "invalid")) == (f->status == 4));
	json_decref(root);
}

static void
test_evidence_file(void)
{
	char args[256];

	unlink(evidence);
	expect(mkdir(evidence, 0777) == 0);
	snprintf(args, sizeof(args), "--workload=skewed %s --evidence=%s", tiny, evidence);
	expect(run(mncell, args) == 1 && said("Is a directory\n"));
	expect(rmdir(evidence) == 0);
	// Nothing was left beside it: the folder can be removed at the end.
	expect(cell(mncell, "--workload=skewed --benchmark_list_tests") == 0);
	expect(access(evidence, F_OK) != 0 && strstr(content(out), "skewed/runtime:mn/"));
}

static void
test_calibrate(void)
{
	json_t *root;

	expect(run(mncell, "--calibrate") == 0);
	root = load(out);
	expect(json_number_value(json_object_get(root, "rate")) > 0);
	json_decref(root);
	expect(run(mncell, "--workload=skewed --param tasks=2 --param grain_ns=1000") == 0);
}

static void
test_help(void)
{
	const struct mn_option_info *option;
	char line[64];

	expect(run(mncell, "--version") == 0 && strstr(content(out), "Google Benchmark"));
	expect(run(mncell, "--help") == 0);
	for (int i = 0; (option = mn_option_at(i)); i++) {
		snprintf(line, sizeof(line), "\n  --%s=", option->name);
		expect(strstr(content(out), line));
	}
	expect(strstr(content(out), "--workload=tight") && strstr(content(out), "--benchmark_repetitions"));
}

static void
test_unfit(void)
{
	unsetenv("MNCELL_ANY_BUILD");
	if (*GBENCH_SANITIZE) {
		expect(cell(mncell, "--workload=skewed") == 2);
		expect(said("mncell: will not measure: built with sanitizers; set MNCELL_ANY_BUILD=1"));
		expect(run(mncell, "--calibrate") == 2);
	}
	setenv("MNCELL_ANY_BUILD", "1", 1);
}

int
main(int argc, char **argv)
{
	if (argc != 3 || !mkdtemp(folder))
		return 2;
	mncell = argv[1];
	faulty = argv[2];
	snprintf(evidence, sizeof(evidence), "%s/evidence", folder);
	snprintf(report, sizeof(report), "%s/report", folder);
	snprintf(out, sizeof(out), "%s/out", folder);
	snprintf(err, sizeof(err), "%s/err", folder);
	setenv("MNCELL_ANY_BUILD", "1", 1);
	test_good();
	test_runtimes();
	test_evloop();
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		test_fault(&faults[i]);
	test_evidence_file();
	test_calibrate();
	test_help();
	test_unfit();
	unlink(evidence);
	unlink(report);
	unlink(out);
	unlink(err);
	expect(rmdir(folder) == 0);
	return failures != 0;
}
