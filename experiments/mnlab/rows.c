// SPDX-License-Identifier: MIT
// rows.c: reading, filtering and appending of rows.jsonl. The rules are in rows.h.
//
// The log is text with one object a line, not a database: a line that has its newline is complete, so a crash at any
// moment leaves a file that every tool can read. Repairs only ever remove the unfinished tail.
#include "experiments/mnlab/rows.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int
fail(int code, char *err, size_t size, const char *what, const char *why)
{
	snprintf(err, size, "%s: %s", what, why);
	return code;
}

// ---- Reading ---------------------------------------------------------------------------------------------------------

// Reads all of fd into text[0..n); 0 or -errno. Shorter than n when the file is being cut meanwhile.
static int
read_all(int fd, char *text, size_t *n)
{
	size_t have = 0;

	while (have < *n) {
		ssize_t got = read(fd, text + have, *n - have);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		have += (size_t)got;
	}
	*n = have;
	return 0;
}

// The whole file in memory; an absent file is an empty one. 0 or -errno.
static int
slurp(const char *path, char **text, size_t *length)
{
	struct stat st = { .st_size = 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int rc = 0;

	*length = 0;
	*text = NULL;
	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	if (fstat(fd, &st))
		rc = -errno;
	*length = (size_t)st.st_size;
	if (!rc && !(*text = malloc(*length + 1)))
		rc = -ENOMEM;
	if (!rc)
		rc = read_all(fd, *text, length);
	close(fd);
	if (rc) {
		free(*text);
		*text = NULL;
	}
	return rc;
}

// Parses one complete line into *rows.
static int
take_line(json_t *rows, const char *line, size_t n, const char *path, size_t number, char *err, size_t size)
{
	json_error_t why;
	json_t *row = json_loadb(line, n, JSON_REJECT_DUPLICATES, &why);

	if (json_is_object(row))
		return json_array_append_new(rows, row) ? -ENOMEM : 0;
	if (row)
		snprintf(err, size, "%s:%zu:1: a row must be a JSON object", path, number);
	else
		snprintf(err, size, "%s:%zu:%d: not a row: %s; nothing was changed", path, number, why.column,
		         why.text);
	json_decref(row);
	return -EBADMSG;
}

static int
take_lines(json_t *rows, const char *text, size_t length, const char *path, char *err, size_t size)
{
	const char *end = text + length;
	size_t number = 1;

	for (const char *line = text; line < end; number++) {
		const char *stop = memchr(line, '\n', (size_t)(end - line));
		if (!stop)
			break; // torn: never written
		int rc = take_line(rows, line, (size_t)(stop - line), path, number, err, size);
		if (rc)
			return rc;
		line = stop + 1;
	}
	return 0;
}

static int
load_rows(const char *dir, json_t **rows, char *err, size_t size)
{
	char path[4096], *text;
	size_t length;

	snprintf(path, sizeof path, "%s/rows.jsonl", dir);
	int rc = slurp(path, &text, &length);
	if (rc)
		return fail(rc, err, size, path, strerror(-rc));
	json_t *array = json_array();
	rc = take_lines(array, text, length, path, err, size);
	free(text);
	if (rc)
		json_decref(array);
	else
		*rows = array;
	return rc;
}

static int
load_manifest(const char *dir, json_t **manifest, char *err, size_t size)
{
	char path[4096];
	json_error_t why;
	struct stat st;

	snprintf(path, sizeof path, "%s/manifest.json", dir);
	if (stat(path, &st))
		return fail(-errno, err, size, path,
		            errno == ENOENT ? "no results here (mnlab run writes them)" : strerror(errno));
	json_t *m = json_load_file(path, 0, &why);
	if (!json_is_object(m)) {
		snprintf(err, size, "%s:%d:%d: not a manifest: %s", path, m ? 1 : why.line, m ? 1 : why.column,
		         m ? "must be a JSON object" : why.text);
		json_decref(m);
		return -EBADMSG;
	}
	*manifest = m;
	return 0;
}

int
rows_load(const char *dir, json_t **rows, json_t **manifest, char *err, size_t size)
{
	struct stat st;
	json_t *m = NULL;
	int rc;

	if (stat(dir, &st))
		return fail(-errno, err, size, dir, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return fail(-ENOTDIR, err, size, dir, "a results folder is needed, this is a file");
	if (manifest && (rc = load_manifest(dir, &m, err, size)))
		return rc;
	if (rows && (rc = load_rows(dir, rows, err, size))) {
		json_decref(m);
		return rc;
	}
	if (manifest)
		*manifest = m;
	return 0;
}

// ---- Rows that count -------------------------------------------------------------------------------------------------

// 2 for OK, 1 for TAINTED, 0 for what does not count.
static int
rank(const json_t *row)
{
	const char *status = json_string_value(json_object_get(row, "status"));

	if (!status)
		return 0;
	return !strcmp(status, "OK") ? 2 : !strcmp(status, "TAINTED") ? 1 : 0;
}

static bool
row_key(const json_t *row, char *key, size_t size)
{
	const char *cell = json_string_value(json_object_get(row, "cell"));
	const json_t *round = json_object_get(row, "round");

	if (!cell || !json_is_integer(round))
		return false;
	snprintf(key, size, "%s/%lld", cell, (long long)json_integer_value(round));
	return true;
}

json_t *
rows_final(const json_t *rows)
{
	json_t *best = json_object(); // (cell, round) -> row; an object keeps the order of first insertion
	json_t *out = json_array();
	const char *name;
	json_t *row;
	size_t i;

	json_array_foreach(rows, i, row)
	{
		char key[128];
		if (!rank(row) || !row_key(row, key, sizeof key))
			continue;
		const json_t *old = json_object_get(best, key);
		if (!old || rank(row) >= rank(old))
			json_object_set(best, key, row);
	}
	json_object_foreach(best, name, row) json_array_append(out, row);
	json_decref(best);
	return out;
}

// ---- Appending -------------------------------------------------------------------------------------------------------

// Length of the file up to and with its last newline, or -1. Reads backwards: the file may be large, a line is not.
static off_t
whole_length(int fd, off_t length)
{
	char chunk[4096];

	while (length > 0) {
		size_t want = length < (off_t)sizeof chunk ? (size_t)length : sizeof chunk;
		ssize_t n = pread(fd, chunk, want, length - (off_t)want);
		if (n != (ssize_t)want)
			return -1;
		const char *newline = memrchr(chunk, '\n', want);
		if (newline)
			return length - (off_t)want + (newline - chunk) + 1;
		length -= (off_t)want;
	}
	return 0;
}

static int
cut_torn(struct rows_log *log)
{
	struct stat st;

	if (fstat(log->fd, &st))
		return -errno;
	off_t whole = whole_length(log->fd, st.st_size);
	if (whole < 0)
		return -EIO;
	log->cut = (size_t)(st.st_size - whole);
	return log->cut && ftruncate(log->fd, whole) ? -errno : 0;
}

int
rows_log_open(struct rows_log *log, const char *dir, char *err, size_t size)
{
	*log = (struct rows_log){ .fd = -1 };
	snprintf(log->path, sizeof log->path, "%s/rows.jsonl", dir);
	log->fd = open(log->path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	if (log->fd < 0)
		return fail(-errno, err, size, log->path, strerror(errno));
	int rc = cut_torn(log);
	if (rc) {
		fail(rc, err, size, log->path, strerror(-rc));
		rows_log_close(log);
	}
	return rc;
}

// One write, so that a crash can tear only this line. A short write (disk full) is undone.
static int
write_line(struct rows_log *log, const char *line, size_t n)
{
	struct stat st;

	if (fstat(log->fd, &st))
		return -errno;
	ssize_t written = write(log->fd, line, n);
	if (written == (ssize_t)n && !fsync(log->fd))
		return 0;
	int rc = written >= 0 && written < (ssize_t)n ? -ENOSPC : -errno;
	if (ftruncate(log->fd, st.st_size))
		return -errno;
	return rc;
}

int
rows_log_append(struct rows_log *log, const json_t *row, char *err, size_t size)
{
	char *text = json_dumps(row, JSON_COMPACT | JSON_REAL_PRECISION(9));
	size_t n;

	if (!text)
		return fail(-ENOMEM, err, size, log->path, "out of memory for a row");
	n = strlen(text);
	text[n] = '\n'; // in place of the NUL: the line needs no other end
	int rc = write_line(log, text, n + 1);
	free(text);
	return rc ? fail(rc, err, size, log->path, strerror(-rc)) : 0;
}

void
rows_log_close(struct rows_log *log)
{
	if (log->fd >= 0)
		close(log->fd);
	log->fd = -1;
}
