// SPDX-License-Identifier: MIT
// rows.h: the stored results of one run: DIR/rows.jsonl, one JSON object a line, and DIR/manifest.json.
//
// rows.jsonl only ever grows, by whole lines, each written with one write and flushed to the disk before the next
// repetition starts. So a reader may meet at most one torn line, the last, which has no newline yet: it counts as never
// written. Any other line that is not an object means that something else wrote to the file, and is refused by name.
//
// results/README.md says what each key means.
#ifndef EXPERIMENTS_MNLAB_ROWS_H
#define EXPERIMENTS_MNLAB_ROWS_H

#include <jansson.h>
#include <stddef.h>

enum { ROWS_SCHEMA = 1 };

// Reads DIR. *rows becomes an array of objects in file order (empty when no repetition has finished yet), *manifest an
// object; either pointer may be NULL when it is not wanted. The caller owns both. Returns 0, or -errno with one line in
// err: -ENOENT no such folder or manifest, -EBADMSG a file that is not what it should be (file:line named).
int rows_load(const char *dir, json_t **rows, json_t **manifest, char *err, size_t size);

// The rows that count, as a new array that the caller owns: for each (cell, round) the last row that is OK, else the
// last that is TAINTED. Rows of failed repetitions are left out.
json_t *rows_final(const json_t *rows);

// An open rows.jsonl that grows. At most one writer at a time: the caller holds the folder's lock (lock.h).
struct rows_log {
	int fd;
	size_t cut; // bytes of a torn last line that rows_log_open cut off
	char path[4096];
};

// Opens DIR/rows.jsonl for appending, makes it if needed, and cuts off a torn last line.
int rows_log_open(struct rows_log *log, const char *dir, char *err, size_t size);

// Appends one row and waits until it is on the disk. On failure (disk full) the file is cut back to whole lines.
int rows_log_append(struct rows_log *log, const json_t *row, char *err, size_t size);
void rows_log_close(struct rows_log *log);

#endif
