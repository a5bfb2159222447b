// SPDX-License-Identifier: MIT
// judge.h: makes a row of what a repetition left: its evidence file, its exit, its stderr, the noise around it.
#ifndef EXPERIMENTS_MNLAB_JUDGE_H
#define EXPERIMENTS_MNLAB_JUDGE_H

#include "experiments/mnlab/cells.h"
#include "experiments/mnlab/exec.h"

#include <jansson.h>

// How `why` of a row begins that was faster than its processors allow.
#define JUDGE_LAW_OF_SPEED "law of speed-up"

struct judge_facts {
	const struct cells *cells;
	int cell;
	long round;
	int order;            // its place in its block this time
	int attempt;          // 1, more when it was tainted before
	uint64_t seed;        // 0: none
	int pus;              // processors that it could use
	int64_t serial_ns;    // wall time of the serial reference of this round; 0: not known
	int64_t least_cpu_ns; // least CPU time that the same work took in other cells; 0: not known
	const char *machine;  // manifest_host
	const char *started;  // time stamp
	const char *command;  // for a shell
	const char *samples;  // file of queue samples, relative to the folder, or NULL
};

// What is known before it runs, for rows of every status.
json_t *judge_row(const struct judge_facts *f);

// Judges a repetition that ran: takes the evidence over (NULL: there was none, why says what was wrong with it), sets the
// status and everything derived. noise and taint are taken over.
void judge_result(json_t *row, const struct judge_facts *f, const struct exec_result *r, const json_t *evidence,
                  const char *why, json_t *noise, json_t *taint);

// A row for a repetition that was not run, or could not be started.
void judge_unrun(json_t *row, const char *status, const char *why);

// Reads an evidence file. NULL with one line in why when it is missing, or not what a cell writes.
json_t *judge_read_evidence(const char *path, char *why, size_t size);

#endif
