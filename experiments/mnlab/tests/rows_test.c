// SPDX-License-Identifier: MIT
// rows_test.c: the row store: appending, torn lines, foreign lines, a full disk, which rows count.
#include "experiments/mnlab/rows.h"
#include "experiments/mnlab/tests/check.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const char dir[] = "rows_test.dir";
static char err[5000];

static void
write_file(const char *name, const char *text)
{
	char path[256];

	snprintf(path, sizeof path, "%s/%s", dir, name);
	FILE *f = fopen(path, "w");
	check(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

static long
size_of(const char *name)
{
	char path[256];
	struct stat st;

	snprintf(path, sizeof path, "%s/%s", dir, name);
	return stat(path, &st) ? -1 : (long)st.st_size;
}

static void
remove_file(const char *name)
{
	char path[256];

	snprintf(path, sizeof path, "%s/%s", dir, name);
	unlink(path);
}

static json_t *
load(size_t expected)
{
	json_t *rows = NULL;

	if (rows_load(dir, &rows, NULL, err, sizeof err)) {
		fprintf(stderr, "%s\n", err);
		exit(1);
	}
	check_number(json_array_size(rows), expected);
	return rows;
}

static void
append(struct rows_log *log, const char *cell, int round, const char *status, int n)
{
	json_t *row = json_pack("{s:s, s:i, s:s, s:i}", "cell", cell, "round", round, "status", status, "n", n);

	check_number(rows_log_append(log, row, err, sizeof err), 0);
	json_decref(row);
}

static void
test_append_and_load(void)
{
	struct rows_log log;

	remove_file("rows.jsonl");
	json_decref(load(0)); // no file: no rows yet
	check_number(rows_log_open(&log, dir, err, sizeof err), 0);
	check_number(log.cut, 0);
	append(&log, "a", 0, "OK", 1);
	json_decref(load(1)); // on the disk as soon as append returns
	append(&log, "a", 1, "FAILED", 2);
	rows_log_close(&log);
	check_number(rows_log_open(&log, dir, err, sizeof err), 0); // goes on at the end
	append(&log, "b", 0, "OK", 3);
	rows_log_close(&log);
	json_t *rows = load(3);
	check_number(json_integer_value(json_object_get(json_array_get(rows, 2), "n")), 3);
	json_decref(rows);
}

static void
test_torn(void)
{
	struct rows_log log;
	char big[20000];

	write_file("rows.jsonl", "{\"n\":1}\n{\"n\":2}\n{\"n\":");
	json_decref(load(2));
	check_number(rows_log_open(&log, dir, err, sizeof err), 0);
	check_number(log.cut, 5);
	check_number(size_of("rows.jsonl"), 16);
	append(&log, "a", 0, "OK", 3);
	rows_log_close(&log);
	json_decref(load(3));
	write_file("rows.jsonl", "{\"n\":1}"); // whole but for its newline: never finished either
	json_decref(load(0));
	check_number(rows_log_open(&log, dir, err, sizeof err), 0);
	check_number(log.cut, 7);
	check_number(size_of("rows.jsonl"), 0);
	rows_log_close(&log);
	memset(big, 'x', sizeof big - 1); // longer than what is looked at in one step
	big[sizeof big - 1] = 0;
	memcpy(big, "{\"n\":1}\n", 8);
	write_file("rows.jsonl", big);
	check_number(rows_log_open(&log, dir, err, sizeof err), 0);
	check_number(log.cut, sizeof big - 1 - 8);
	check_number(size_of("rows.jsonl"), 8);
	rows_log_close(&log);
}

static void
test_bad_lines(void)
{
	json_t *rows;

	write_file("rows.jsonl", "{\"n\":1}\n{\"n\":\n{\"n\":3}\n");
	check_number(rows_load(dir, &rows, NULL, err, sizeof err), -EBADMSG);
	check_has(err, "rows_test.dir/rows.jsonl:2:");
	check_has(err, "not a row");
	check(size_of("rows.jsonl") == 22); // reading changes nothing
	write_file("rows.jsonl", "{\"n\":1}\n[]\n");
	check_number(rows_load(dir, &rows, NULL, err, sizeof err), -EBADMSG);
	check_has(err, "rows.jsonl:2:1: a row must be a JSON object");
	write_file("rows.jsonl", "\n");
	check_number(rows_load(dir, &rows, NULL, err, sizeof err), -EBADMSG);
	check_has(err, "rows.jsonl:1:");
	write_file("rows.jsonl", "{\"n\":1,\"n\":2}\n");
	check_number(rows_load(dir, &rows, NULL, err, sizeof err), -EBADMSG);
}

static void
test_manifest(void)
{
	json_t *rows, *m;

	write_file("rows.jsonl", "{\"n\":1}\n");
	remove_file("manifest.json");
	check_number(rows_load(dir, &rows, &m, err, sizeof err), -ENOENT);
	check_has(err, "rows_test.dir/manifest.json: no results here");
	write_file("manifest.json", "{\"schema\":");
	check_number(rows_load(dir, &rows, &m, err, sizeof err), -EBADMSG);
	check_has(err, "manifest.json:1:");
	write_file("manifest.json", "[1]");
	check_number(rows_load(dir, &rows, &m, err, sizeof err), -EBADMSG);
	check_has(err, "must be a JSON object");
	write_file("manifest.json", "{\"schema\":1}");
	check_number(rows_load(dir, &rows, &m, err, sizeof err), 0);
	check_number(json_array_size(rows), 1);
	check_number(json_integer_value(json_object_get(m, "schema")), 1);
	json_decref(rows);
	json_decref(m);
	check_number(rows_load("no/such", &rows, &m, err, sizeof err), -ENOENT);
	check_has(err, "no/such: ");
	check_number(rows_load("rows_test.dir/manifest.json", &rows, &m, err, sizeof err), -ENOTDIR);
}

static void
test_final(void)
{
	struct rows_log log;

	remove_file("rows.jsonl");
	check_number(rows_log_open(&log, dir, err, sizeof err), 0);
	append(&log, "a", 0, "FAILED", 1);
	append(&log, "a", 0, "OK", 2); // counts
	append(&log, "a", 1, "TAINTED", 3);
	append(&log, "a", 1, "TAINTED", 4); // counts: the last, as none is OK
	append(&log, "a", 2, "TAINTED", 5);
	append(&log, "a", 2, "OK", 6); // counts
	append(&log, "a", 2, "TIMEOUT", 7);
	append(&log, "b", 0, "INVALID", 8);
	append(&log, "b", 1, "OK", 9);
	append(&log, "b", 1, "TAINTED", 10);
	append(&log, "b", 1, "OK", 11); // counts
	rows_log_close(&log);
	json_t *rows = load(11), *final = rows_final(rows);
	static const int expected[] = { 2, 4, 6, 11 };
	check_number(json_array_size(final), 4);
	for (size_t i = 0; i < 4; i++)
		check_number(json_integer_value(json_object_get(json_array_get(final, i), "n")), expected[i]);
	json_decref(final);
	json_decref(rows);
}

// A disk that is full in the middle of a row: the row is not there, what was there stays whole.
static void
test_full(void)
{
	struct rlimit limit, small;
	struct rows_log log;

	remove_file("rows.jsonl");
	check_number(rows_log_open(&log, dir, err, sizeof err), 0);
	append(&log, "a", 0, "OK", 1);
	long before = size_of("rows.jsonl");
	json_t *row = json_pack("{s:s}", "text", "a row that does not fit any more");
	check(!getrlimit(RLIMIT_FSIZE, &limit));
	small = limit;
	small.rlim_cur = (rlim_t)before + 10;
	signal(SIGXFSZ, SIG_IGN);
	check(!setrlimit(RLIMIT_FSIZE, &small));
	int rc = rows_log_append(&log, row, err, sizeof err);
	check(!setrlimit(RLIMIT_FSIZE, &limit));
	check(rc == -ENOSPC || rc == -EFBIG);
	check_has(err, "rows.jsonl: ");
	check_number(size_of("rows.jsonl"), before);
	check_number(rows_log_append(&log, row, err, sizeof err), 0);
	json_decref(row);
	rows_log_close(&log);
	json_decref(load(2));
}

int
main(void)
{
	check(!mkdir(dir, 0777) || errno == EEXIST);
	test_append_and_load();
	test_torn();
	test_bad_lines();
	test_manifest();
	test_final();
	test_full();
	remove_file("rows.jsonl");
	remove_file("manifest.json");
	rmdir(dir);
	return 0;
}
