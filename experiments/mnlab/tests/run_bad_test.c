// SPDX-License-Identifier: MIT
// run_bad_test.c MNLAB FAKE: what mnlab refuses: arguments, matrices, folders, rows, foreign results. One line that says what
// and where, the right exit code, and nothing lost.
#include "experiments/mnlab/tests/check.h"
#include "experiments/mnlab/tests/rig.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char small[] =
        "[matrix]\nworkload = skewed\nprocs = 1, 2\nsteal = half, none\nskewed.tasks = 5\nrounds = 3\nseed = 9\n";
enum { SMALL_REPS = 12 };

static void
refused(const struct exec_result *r, int code, const char *text)
{
	check_number(r->exit_code, code);
	check_has(r->err.text, text);
}

static void
test_bad_arguments(void)
{
	refused(rig_mnlab("frob", NULL), 2, "unknown command \"frob\"; allowed: plan run");
	refused(rig_mnlab("run", NULL), 2, "a matrix file is missing");
	refused(rig_mnlab("run", "a", "b", NULL), 2, "\"b\" is the second");
	refused(rig_mnlab("run", "--frob", NULL), 2, "unrecognized option '--frob'");
	refused(rig_mnlab("run", "small.matrix", "--rounds", "0", NULL), 2,
	        "--rounds=0; allowed: a whole number from 1 to 10000");
	refused(rig_mnlab("run", "small.matrix", "--rounds=3x", NULL), 2, "--rounds=3x; allowed");
	refused(rig_mnlab("run", "small.matrix", "--seed=-1", NULL), 2, "--seed=-1; allowed");
	refused(rig_mnlab("run", "small.matrix", "--timeout=x", NULL), 2, "--timeout=x; allowed");
	refused(rig_mnlab("plan", NULL), 2, "a matrix file is missing");
	refused(rig_mnlab("plan", "small.matrix", "--rounds=x", NULL), 2, "--rounds=x; allowed");
	refused(rig_mnlab("topo", "--procs=0", NULL), 2, "--procs=0; allowed: a whole number from 1 to 1024");
	refused(rig_mnlab("topo", "--pin=nowhere", NULL), 2, "--pin=nowhere: ");
	refused(rig_mnlab("topo", "word", NULL), 2, "\"word\" is not an option");
	check_number(rig_mnlab("--version", NULL)->exit_code, 0);
	check_number(rig_mnlab("run", "--help", NULL)->exit_code, 0);
	check_has(rig_mnlab("--help", NULL)->out.text, "Exit status: 0 fine");
}

static void
test_bad_matrix(void)
{
	rig_write("bad.matrix", "[matrix]\nworkload = skewed\nprocs = 1, 2\n\n\nrounds = 2\nsteal = half, hlaf\n");
	refused(rig_mnlab("run", "bad.matrix", NULL), 2, "bad.matrix:7:15: ");
	refused(rig_mnlab("plan", "bad.matrix", NULL), 2, "bad.matrix:7:15: ");
	check(!rig_exists("results/bad"));
	refused(rig_mnlab("run", "none.matrix", NULL), 2, "none.matrix: No such file");
	rig_write("empty.matrix", "[matrix]\nworkload = skewed\nprocs = 2\nexclude = procs:2\n");
	refused(rig_mnlab("run", "empty.matrix", NULL), 2, "empty.matrix: the matrix has no cells");
}

static void
test_bad_folder(void)
{
	rig_write("file", "text");
	refused(rig_mnlab("run", "small.matrix", "--out", "file", NULL), 2,
	        "file: a folder is needed here, this is a file");
	refused(rig_mnlab("run", "small.matrix", "--out", "file/below", NULL), 2, "file: a folder is needed here");
	refused(rig_mnlab("run", "small.matrix", "--out", "", NULL), 2, "not a usable folder name");
	if (geteuid() == 0)
		return; // root can write anywhere
	check(!mkdir("locked", 0555));
	refused(rig_mnlab("run", "small.matrix", "--out", "locked", NULL), 2, "locked: not writable");
	refused(rig_mnlab("run", "small.matrix", "--out", "locked/below", NULL), 2, "locked/below: Permission denied");
}

static void
test_locked(void)
{
	int fd = open("results/small/.lock", O_RDWR);

	check(fd >= 0 && !flock(fd, LOCK_EX));
	refused(rig_mnlab("run", "small.matrix", NULL), 2, "results/small: another run is writing here");
	close(fd);
}

static void
test_bad_rows(void)
{
	long size;

	check_number(rig_mnlab("run", "small.matrix", "--out", "spoilt", NULL)->exit_code, 0);
	rig_append("spoilt/rows.jsonl", "what is this\n{}\n");
	size = rig_size("spoilt/rows.jsonl");
	refused(rig_mnlab("run", "small.matrix", "--out", "spoilt", NULL), 4, "spoilt/rows.jsonl:");
	check_number(rig_size("spoilt/rows.jsonl"), size);
	check_has(rig_mnlab("plan", "small.matrix", "--out", "spoilt", NULL)->out.text,
	          "do not count: spoilt/rows.jsonl:");
	rig_write("spoilt/manifest.json", "{");
	refused(rig_mnlab("run", "small.matrix", "--out", "spoilt", NULL), 4, "spoilt/manifest.json:1:");
	unlink("spoilt/manifest.json");
	refused(rig_mnlab("run", "small.matrix", "--out", "spoilt", NULL), 4, "rows.jsonl without manifest.json");
	check_number(rig_size("spoilt/rows.jsonl"), size);
}

static void
change_manifest(const char *dir, const char *key, json_t *value)
{
	char path[256];

	snprintf(path, sizeof path, "%s/manifest.json", dir);
	json_t *m = json_load_file(path, 0, NULL);
	check(m && !json_object_set_new(m, key, value) && !json_dump_file(m, path, 0));
	json_decref(m);
}

static void
test_foreign(void)
{
	check_number(rig_mnlab("run", "small.matrix", "--out", "foreign", "--seed", "5", NULL)->exit_code, 0);
	refused(rig_mnlab("run", "small.matrix", "--out", "foreign", "--seed", "6", NULL), 2,
	        "foreign was begun with seed 5");
	long size = rig_size("foreign/rows.jsonl");
	json_t *m = json_load_file("foreign/manifest.json", 0, NULL);
	json_t *host = json_incref(json_object_get(m, "host"));
	json_decref(m);
	change_manifest("foreign", "host", json_string("0123"));
	refused(rig_mnlab("run", "small.matrix", "--out", "foreign", NULL), 2,
	        "foreign holds results of another machine: 0123");
	check_has(rig_mnlab("plan", "small.matrix", "--out", "foreign", NULL)->out.text,
	          "do not count: another machine");
	change_manifest("foreign", "host", host);
	change_manifest("foreign", "schema", json_integer(99));
	refused(rig_mnlab("run", "small.matrix", "--out", "foreign", NULL), 2, "schema 99, this program writes 1");
	change_manifest("foreign", "schema", json_integer(1));
	rig_append("bin/mncell", "# changed\n");
	refused(rig_mnlab("run", "small.matrix", "--out", "foreign", NULL), 2,
	        "foreign holds results of another binary: mncell ");
	check_number(rig_size("foreign/rows.jsonl"), size);
	const struct exec_result *r = rig_mnlab("run", "small.matrix", "--out", "foreign", "--force", NULL);
	check_number(r->exit_code, 0);
	check_has(r->err.text, "The old results are now in foreign/old-1.");
	check_has(r->out.text, "12 to run");
	check_number(rig_size("foreign/old-1/rows.jsonl"), size); // nothing is lost
	check(rig_exists("foreign/old-1/manifest.json"));
	check_number(rig_finals("foreign"), SMALL_REPS);
}

static void
test_no_program(void)
{
	rig_write("bin/mncell", "#!/bin/sh\necho no idea >&2\nexit 3\n");
	refused(rig_mnlab("run", "small.matrix", "--out", "dumb", NULL), 2,
	        "--calibrate did not tell the rate of work: no idea");
	check(!unlink("bin/mncell"));
	refused(rig_mnlab("run", "small.matrix", "--out", "other", NULL), 2,
	        "mncell, which runs the cells, must stand beside mnlab");
	check_number(rig_mnlab("plan", "small.matrix", NULL)->exit_code, 0); // planning needs no program
}

int
main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "run_bad_test MNLAB FAKE\n");
		return 2;
	}
	rig_enter(argv[1], argv[2]);
	rig_write("small.matrix", small);
	check_number(rig_mnlab("run", "small.matrix", NULL)->exit_code, 0);
	test_bad_arguments();
	test_bad_matrix();
	test_bad_folder();
	test_locked();
	test_bad_rows();
	test_foreign();
	test_no_program(); // last: it takes mncell away
	rig_leave();
	return 0;
}
