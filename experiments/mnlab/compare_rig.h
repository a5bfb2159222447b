// SPDX-License-Identifier: MIT
// compare_rig.h: what the tests of `mnlab compare` share: a results folder of made-up rows, and the command run on it in a
// process of its own, with its exit code and all that it printed.
#ifndef EXPERIMENTS_MNLAB_COMPARE_RIG_H
#define EXPERIMENTS_MNLAB_COMPARE_RIG_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>

#include "experiments/stats/expect.h"

enum { RIG_TEXT_MAX = 1 << 18, RIG_PATH_SIZE = 512 };

extern struct expect_count expected;
extern char rig_folder[RIG_PATH_SIZE];
extern FILE *rig_file; // rows.jsonl

// What tells one row from another; NULL and 0 are the usual values.
struct rig_row {
	const char *workload, *runtime, *steal, *victim, *status, *binary, *machine, *cell;
	int procs, local_cap, round, tasks;
	double wall_ns;
	bool no_counters;
};

// A fresh folder without rows, and its end. One at a time.
void rig_begin(void);
void rig_end(void);

json_t *rig_object(const struct rig_row *);
void rig_put_object(json_t *row);
void rig_put(struct rig_row);

// Time of a round by itself: goes up nearly fourfold in twelve rounds, which pairing by round must see through. And rounds
// 0.. of a row: weather x effect x noise of 1 % either way.
double rig_weather(int round);
void rig_rounds(struct rig_row, int rounds, double effect);

struct rig_outcome {
	int status;
	char out[RIG_TEXT_MAX], err[RIG_TEXT_MAX];
};

// Runs `mnlab compare ARG..`, NULL at the end. The answer stays until the next call.
struct rig_outcome *rig_run(const char *const *arg);
#define rig_compare(...) rig_run((const char *const[]){ __VA_ARGS__, NULL })

// Its parts, for tests that need other descriptors. rig_child does not return.
void rig_child(int out, int err, char **argv) __attribute__((noreturn));
int rig_wait(pid_t child);
void rig_read(FILE *, char *text);
void rig_must(bool holds, const char *what);

size_t rig_lines(const char *text);

// Refused: that exit code, nothing on stdout, one line on stderr (argp adds where to find help).
void rig_refused(const struct rig_outcome *, int status, int line);

#define refused(o, status) rig_refused((o), (status), __LINE__)
#define says(text, part)   expect_at(&expected, strstr((text), (part)) != NULL, "says: " part, __FILE__, __LINE__)
#define lacks(text, part)  expect_at(&expected, strstr((text), (part)) == NULL, "lacks: " part, __FILE__, __LINE__)

#endif
