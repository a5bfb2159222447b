// SPDX-License-Identifier: MIT
// run_test.c MNLAB FAKE: mnlab run as a whole, with a mncell that does as it is told: resume, statuses, interruptions.
//
// The machine may be noisy, which taints repetitions and runs them again; so tests count (cell, round) pairs, never calls,
// wherever a repetition can be good.
#include "experiments/mnlab/factor.h"
#include "experiments/mnlab/rows.h"
#include "experiments/mnlab/tests/check.h"
#include "experiments/mnlab/tests/rig.h"

#include <math.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char small[] =
        "[matrix]\nworkload = skewed\nprocs = 1, 2\nsteal = half, none\nskewed.tasks = 5\nrounds = 3\nseed = 9\n";
enum { SMALL_REPS = 12 }; // serial; procs=1; procs=2 half, none

// ---- Running and running again ---------------------------------------------------------------------------------------

static void
test_plan(void)
{
	rig_write("small.matrix", small);
	const struct exec_result *r = rig_mnlab("plan", "small.matrix", "--cells", NULL);

	check_number(r->exit_code, 0);
	check_has(r->out.text, "skewed/tasks=5/grain_ns=100000/procs=2");
	check_has(r->out.text, "4 combinations: 0 excluded, 1 without an effect of their own");
	check_has(r->out.text, "4 cells in 3 blocks, 12 repetitions; 0 done, 0 failed, 12 to run, about ");
	check_has(r->out.text, "Results go to results/small.");
	check(!rig_exists("results"));
	r = rig_mnlab("plan", "small.matrix", "--rounds", "2", NULL);
	check_has(r->out.text, "8 repetitions; 0 done");
}

static void
test_run(void)
{
	const struct exec_result *r = rig_mnlab("run", "small.matrix", NULL);

	check_number(r->exit_code, 0);
	check_has(r->out.text, "small.matrix: 4 cells, 12 repetitions in results/small\n12 to run, about ");
	check_has(r->out.text, "12 passed, 0 failed");
	check_number(rig_finals("results/small"), SMALL_REPS);
	check(rig_exists("results/small/manifest.json"));
	check(rig_calls() >= SMALL_REPS);
	r = rig_mnlab("plan", "small.matrix", NULL);
	check_has(r->out.text, "12 done, 0 failed, 0 to run");
}

static void
test_run_again(void)
{
	long size = rig_size("results/small/rows.jsonl");
	const struct exec_result *r = rig_mnlab("run", "small.matrix", NULL);

	check_number(r->exit_code, 0);
	check_has(r->out.text, "12 of 12 repetitions already done\nnothing left to run\n");
	check_number(rig_calls(), 0);
	check_number(rig_size("results/small/rows.jsonl"), size);
}

static void
check_row(const json_t *row, const json_t *manifest)
{
	static const char *const needed[] = { "schema", "cell",      "block",   "round",   "order", "status",
		                              "sim",    "workload",  "params",  "runtime", "procs", "steal",
		                              "victim", "local_cap", "wall_ns", "cpu_ns",  "tasks", "checksum",
		                              "noise",  "binary",    "started", "command", "moot" };

	for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
		if (!json_object_get(row, needed[i])) {
			fprintf(stderr, "no key %s in %s\n", needed[i], json_dumps(row, 0));
			exit(1);
		}
	check_text(rig_text(row, "binary"), rig_text(manifest, "binary"));
	check_text(rig_text(row, "machine"), rig_text(manifest, "host"));
	check_has(rig_text(row, "command"), "/bin/mncell --workload=skewed --param tasks=5 ");
	check_has(rig_text(row, "command"), " --rate=500.25");
	if (!strcmp(rig_text(row, "runtime"), "serial"))
		return;
	check(fabs(json_number_value(json_object_get(row, "speedup")) - 1.5) < 1e-6); // as the fake has it
	check_number(json_integer_value(json_object_get(row, "serial_ns")), 150000000);
	check(json_integer_value(json_object_get(row, "seed")) > 0);
}

// results/README.md is the dictionary: it explains every key that a row has, and every counter.
static void
check_dictionary(const json_t *rows)
{
	char *text = calloc(1, 1 << 20), word[128];
	FILE *f = fopen(MNLAB_SOURCE "/results/README.md", "r");
	const char *name;
	json_t *row, *value;
	size_t i;

	check(f && text && fread(text, 1, (1 << 20) - 1, f) > 0 && !fclose(f));
	for (int k = 0; (name = mn_counter_name(k)); k++) {
		snprintf(word, sizeof word, "| `%s` |", name);
		check_has(text, word);
	}
	json_array_foreach(rows, i, row) json_object_foreach((json_t *)row, name, value)
	{
		char text_value[MN_TEXT_MAX];
		struct mn_options o;
		options_default(&o);
		snprintf(word, sizeof word, "`%s`", name);
		if (mn_options_get(&o, name, text_value, sizeof text_value)) // options are explained in mn.h
			check_has(text, word);
	}
	free(text);
}

// All policies of a block and round have one seed, other rounds other ones.
static void
check_seeds(const json_t *rows)
{
	const json_t *a, *b;
	size_t i, k;

	json_array_foreach(rows, i, a) json_array_foreach(rows, k, b)
	{
		if (strcmp(rig_text(a, "block"), rig_text(b, "block")) || !json_object_get(a, "seed"))
			continue;
		bool same_round = json_equal(json_object_get(a, "round"), json_object_get(b, "round"));
		check(same_round == (bool)json_equal(json_object_get(a, "seed"), json_object_get(b, "seed")));
	}
}

static void
test_rows(void)
{
	json_t *rows, *manifest, *row;
	char err[512];
	size_t i;

	check_number(rows_load("results/small", &rows, &manifest, err, sizeof err), 0);
	json_array_foreach(rows, i, row) check_row(row, manifest);
	check_text(rig_text(json_array_get(rows, 0), "runtime"), "serial"); // the round's speed-ups need it
	check_seeds(rows);
	check_dictionary(rows);
	json_decref(rows);
	json_decref(manifest);
}

static void
test_manifest(void)
{
	json_t *rows, *m;
	char err[512];

	check_number(rows_load("results/small", &rows, &m, err, sizeof err), 0);
	check_number(json_integer_value(json_object_get(m, "seed")), 9);
	check(fabs(json_number_value(json_object_get(m, "rate")) - 500.25) < 1e-9);
	check_text(rig_text(json_object_get(m, "matrix"), "text"), small);
	check_number(json_array_size(json_object_get(m, "runs")), 2);
	check_text(
	        rig_text(json_array_get(json_object_get(json_array_get(json_object_get(m, "runs"), 0), "command"), 1),
	                 "x"),
	        "(none)");
	static const char *const needed[] = { "created", "commit", "binary", "compiler", "flags", "host", "machine" };
	for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
		check(json_object_get(m, needed[i]));
	const json_t *machine = json_object_get(m, "machine");
	check(json_object_get(machine, "cpu") && json_object_get(machine, "kernel") && json_object_get(machine, "pus"));
	check_has(rig_text(machine, "topology"), "<topology");
	json_decref(rows);
	json_decref(m);
}

// More rounds: only what is missing runs. Fewer: nothing.
static void
test_more_rounds(void)
{
	const struct exec_result *r = rig_mnlab("run", "small.matrix", "--rounds", "5", NULL);

	check_number(r->exit_code, 0);
	check_has(r->out.text, "12 of 20 repetitions already done\n8 to run");
	check_number(rig_finals("results/small"), 20);
	rig_calls();
	r = rig_mnlab("run", "small.matrix", "--rounds", "1", NULL);
	check_has(r->out.text, "4 of 4 repetitions already done\nnothing left to run\n");
	check_number(rig_calls(), 0);
}

// ---- Statuses --------------------------------------------------------------------------------------------------------

static void
check_status(int tasks, const char *status, const char *why, const char *stderr_line)
{
	char text[512], name[64], dir[64];

	snprintf(name, sizeof name, "s%d.matrix", tasks);
	snprintf(dir, sizeof dir, "results/s%d", tasks);
	snprintf(text, sizeof text,
	         "[matrix]\nworkload = skewed\nprocs = 2\nskewed.tasks = %d\nrounds = 1\ntimeout_s = 1\n", tasks);
	rig_write(name, text);
	const struct exec_result *r = rig_mnlab("run", name, NULL);
	check_number(r->exit_code, 1);
	check_has(r->err.text, status);
	check_has(r->out.text, "1 passed, 1 failed");
	check_has(r->out.text, "To repeat the first that failed:\n  ");
	snprintf(text, sizeof text, "mncell --workload=skewed --param tasks=%d ", tasks);
	check_has(r->out.text, text);
	snprintf(text, sizeof text, "mnlab run %s --out %s --retry-failed\n", name, dir);
	check_has(r->out.text, text);
	json_t *rows = rig_rows(dir);
	const json_t *row = rig_last(rows);
	check_text(rig_text(row, "status"), status);
	check_has(rig_text(row, "why"), why);
	check_dictionary(rows);
	if (stderr_line) {
		check_text(json_string_value(json_array_get(json_object_get(row, "stderr"), 0)), stderr_line);
		snprintf(text, sizeof text, "%s/%s", dir, rig_text(row, "stderr_file"));
		check(rig_exists(text));
	}
	json_decref(rows);
}

static void
test_statuses(void)
{
	// What a run that was killed left behind is nobody's evidence.
	check(!mkdir("results/s16", 0777));
	rig_write("results/s16/.evidence.json", "{\"wall_ns\": 100000000, \"cpu_ns\": 100000000}");
	check_status(11, "FAILED", "exit status", "it broke");
	check_status(12, "TIMEOUT", "time limit", "about to hang");
	check_status(13, "DEADLOCK", "asleep", "fatal error: all goroutines are asleep - deadlock!");
	check_status(14, "INVALID", "spawned 3, finished 2", NULL);
	check_status(15, "INVALID", "law of speed-up", NULL);
	check_status(16, "INVALID", "no evidence was written", NULL);
	check_status(17, "INVALID", "the evidence is not JSON", NULL);
	check_status(18, "FAILED", "Segmentation", NULL);
}

// A failed repetition is not run again unless asked; what was good stays.
static void
test_retry_failed(void)
{
	rig_write("heal.matrix", "[matrix]\nworkload = skewed\nprocs = 2\nskewed.tasks = 22\nrounds = 2\n");
	check_number(rig_mnlab("run", "heal.matrix", NULL)->exit_code, 1);
	rig_calls();
	const struct exec_result *r = rig_mnlab("run", "heal.matrix", NULL);
	check_number(r->exit_code, 1);
	check_has(r->out.text, "2 of 4 repetitions already done\n2 failed before; --retry-failed runs them again\n");
	check_number(rig_calls(), 0);
	rig_write("bin/healed", "");
	r = rig_mnlab("run", "heal.matrix", "--retry-failed", NULL);
	check_number(r->exit_code, 0);
	check_has(r->out.text, "4 passed, 0 failed");
	check_number(rig_finals("results/heal"), 4);
	json_t *rows = rig_rows("results/heal");
	check_number(rig_count(rows, "FAILED"), 2); // nothing is rewritten
	json_decref(rows);
}

// What fails again and again is not tried for ever; the cells beside it run on.
static void
test_skip(void)
{
	rig_write("skip.matrix", "[matrix]\nworkload = skewed\nprocs = 2\nskewed.tasks = 5, 11\nrounds = 6\n");
	check_number(rig_mnlab("run", "skip.matrix", NULL)->exit_code, 1);
	json_t *rows = rig_rows("results/skip");
	check_number(rig_count(rows, "FAILED"), 3);
	check_number(rig_count(rows, "SKIPPED"), 3);
	check_number(rig_finals("results/skip"), 3 * 6);
	json_decref(rows);
}

// Somebody else uses the CPU: every attempt is kept, three more are made, and the last one counts.
static void
test_tainted(void)
{
	rig_write("taint.matrix", "[matrix]\nworkload = skewed\nprocs = 2\nskewed.tasks = 19\nrounds = 1\n");
	const struct exec_result *r = rig_mnlab("run", "taint.matrix", NULL);
	check_number(r->exit_code, 0);
	check_has(r->out.text, "2 passed, 0 failed; ");
	json_t *rows = rig_rows("results/taint");
	const json_t *row = rig_last(rows);
	check_text(rig_text(row, "status"), "TAINTED");
	check_has(json_string_value(json_array_get(json_object_get(row, "taint"), 0)), "others_ns: ");
	check(json_integer_value(json_object_get(json_object_get(row, "noise"), "others_ns")) > 30000000);
	check(json_object_get(row, "speedup") != NULL);
	int attempts = 0;
	size_t i;
	json_t *each;
	json_array_foreach(rows, i, each) if (!strcmp(rig_text(each, "runtime"), "mn"))
	        check_number(json_integer_value(json_object_get(each, "attempt")), ++attempts);
	check(attempts > 1 && attempts <= 4); // a noisy machine may have used retries up for the serial one
	json_decref(rows);
	rig_calls();
	check_number(rig_mnlab("run", "taint.matrix", NULL)->exit_code, 0);
	check_number(rig_calls(), 0);
}

static void
test_samples(void)
{
	rig_write("samples.matrix",
	          "[matrix]\nworkload = skewed\nprocs = 2\nskewed.tasks = 5\nsample_us = 1000\nrounds = 2\n");
	check_number(rig_mnlab("run", "samples.matrix", NULL)->exit_code, 0);
	json_t *rows = rig_rows("results/samples"), *row;
	int n = 0;
	size_t i;
	json_array_foreach(rows, i, row)
	{
		char path[256];
		if (strcmp(rig_text(row, "runtime"), "mn"))
			continue;
		snprintf(path, sizeof path, "cells/%s/samples.%lld.tsv", rig_text(row, "cell"),
		         (long long)json_integer_value(json_object_get(row, "round")));
		check_text(rig_text(row, "samples"), path);
		snprintf(path, sizeof path, "results/samples/%s", rig_text(row, "samples"));
		check(rig_size(path) > 0);
		n++;
	}
	check(n >= 2);
	json_decref(rows);
}

// ---- Interruptions ---------------------------------------------------------------------------------------------------

static const char slow[] =
        "[matrix]\nworkload = skewed, uniform\nprocs = 2\nsteal = half, one, all, none\nskewed.tasks = 20\n"
        "uniform.tasks = 20\nrounds = 4\nseed = 4\n";
enum { SLOW_REPS = (4 + 1) * 2 * 4 };

static void
pause_ms(long ms)
{
	nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
}

// Killed again and again at any moment: each time whole rows only, in the end every repetition once.
static void
test_kill(void)
{
	rig_write("kill.matrix", slow);
	for (int i = 0; i < 12; i++) {
		int status;
		pid_t pid = rig_start("kill.matrix", "killed");
		pause_ms(20 + 37 * i % 200);
		kill(pid, SIGKILL);
		check(waitpid(pid, &status, 0) == pid);
		if (rig_exists("killed/rows.jsonl"))
			rig_finals("killed");
	}
	const struct exec_result *r = rig_mnlab("run", "kill.matrix", "--out", "killed", NULL);
	check_number(r->exit_code, 0);
	check_number(rig_finals("killed"), SLOW_REPS);
	r = rig_mnlab("run", "kill.matrix", "--out", "killed", NULL);
	check_has(r->out.text, "40 of 40 repetitions already done\nnothing left to run\n");
}

static void
wait_for(const char *name)
{
	for (int i = 0; i < 3000 && rig_size(name) <= 0; i++)
		pause_ms(10);
	check(rig_size(name) > 0);
}

// Killed with a line half written, as a crash of the machine may leave it.
static void
test_torn(void)
{
	json_t *rows = rig_rows("killed");
	size_t before = json_array_size(rows);
	char cell[128];

	snprintf(cell, sizeof cell, "{\"schema\":1,\"cell\":\"%s\",\"rou", rig_text(rig_last(rows), "cell"));
	json_decref(rows);
	rig_append("killed/rows.jsonl", cell);
	const struct exec_result *r = rig_mnlab("run", "kill.matrix", "--out", "killed", NULL);
	check_number(r->exit_code, 0);
	check_has(r->err.text, "killed/rows.jsonl: cut off a torn last line of ");
	check_has(r->out.text, "nothing left to run");
	rows = rig_rows("killed");
	check_number(json_array_size(rows), before);
	json_decref(rows);
}

// Whoever kills us with a signal that cannot be caught leaves no cell running behind.
static void
test_no_orphan(void)
{
	char text[32] = "", path[64], state = 'R';
	int status;

	rig_write("orphan.matrix", "[matrix]\nworkload = skewed\nprocs = 2\nskewed.tasks = 21\nrounds = 1\n");
	pid_t pid = rig_start("orphan.matrix", "orphan");
	wait_for("bin/pid");
	kill(pid, SIGKILL);
	check(waitpid(pid, &status, 0) == pid);
	FILE *f = fopen("bin/pid", "r");
	check(f && fgets(text, sizeof text, f) && !fclose(f));
	snprintf(path, sizeof path, "/proc/%ld/stat", strtol(text, NULL, 10));
	for (int i = 0; i < 1000 && state != 'Z'; i++) { // gone, or waiting to be reaped by whoever adopted it
		f = fopen(path, "r");
		if (!f || fscanf(f, "%*d %*s %c", &state) != 1)
			state = 'Z';
		if (f)
			fclose(f);
		pause_ms(10);
	}
	check_number(state, 'Z');
	unlink("bin/pid");
}

static void
test_interrupt(int signal_number)
{
	int status;

	rig_write("hang.matrix", "[matrix]\nworkload = skewed\nprocs = 2\nskewed.tasks = 21\nrounds = 1\n");
	unlink("hang/rows.jsonl");
	unlink("hang/manifest.json");
	pid_t pid = rig_start("hang.matrix", "hang");
	wait_for("hang/rows.jsonl"); // the serial one is through: the one that hangs has begun, or begins now
	pause_ms(50);
	kill(pid, signal_number);
	check(waitpid(pid, &status, 0) == pid);
	check(WIFEXITED(status));
	check_number(WEXITSTATUS(status), 130);
	json_t *rows = rig_rows("hang");
	check_text(rig_text(rig_last(rows), "runtime"), "serial"); // nothing of the one that was cut short
	json_decref(rows);
	check(!rig_exists("hang/.evidence.json"));
}

int
main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "run_test MNLAB FAKE\n");
		return 2;
	}
	rig_enter(argv[1], argv[2]);
	test_plan();
	test_run();
	test_run_again();
	test_rows();
	test_manifest();
	test_more_rounds();
	test_statuses();
	test_retry_failed();
	test_skip();
	test_tainted();
	test_samples();
	test_kill();
	test_torn();
	test_no_orphan();
	test_interrupt(SIGINT);
	test_interrupt(SIGTERM);
	rig_leave();
	return 0;
}
