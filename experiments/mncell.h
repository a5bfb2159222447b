// SPDX-License-Identifier: MIT
// mncell.h: what the parts of mncell share: the cell that was asked for, and what was measured of it.
#ifndef EXPERIMENTS_MNCELL_H
#define EXPERIMENTS_MNCELL_H

#include "sched/mn.h"
#include "workloads/workload.h"

enum mncell_exit {
	MNCELL_OK = 0,
	MNCELL_FAILED = 1,  // it could not run: no memory, no threads
	MNCELL_USAGE = 2,   // bad arguments; libmn's fatal errors end with the same
	MNCELL_INVALID = 4, // it ran, but its answer or its counters are wrong
};

enum cell_runtime { RUNTIME_MN, RUNTIME_SERIAL, RUNTIME_THREADS, RUNTIME_EVLOOP };
const char *cell_runtime_name(enum cell_runtime r);

enum { CELL_LINE_MAX = 512, CELL_PARAMS_MAX = 2 * WORKLOAD_PARAMS_MAX };

// One cell: arguments first, then the figures of the repetition that ran last.
struct cell {
	struct mn_options options;
	struct workload_run run;
	enum cell_runtime runtime;
	double rate;          // iterations per microsecond, 0: calibrate
	const char *evidence; // file, or NULL
	bool calibrate;       // print the rate, run nothing

	int64_t wall_ns, cpu_ns;     // of the workload's main
	int64_t run_ns;              // the same with the scheduler's start and stop
	int status;                  // enum mncell_exit, the worst of all repetitions
	char invalid[CELL_LINE_MAX]; // which law or checksum broke, or ""
};

// What an argument vector asks for.
enum cell_request { REQUEST_RUN, REQUEST_HELP, REQUEST_VERSION, REQUEST_BAD };

// Reads what is mncell's out of argv and leaves the rest, which is Google Benchmark's, in argv[1..*argc). REQUEST_BAD: one
// line in err[0..size).
enum cell_request cell_parse(struct cell *c, int *argc, char **argv, char *err, size_t size);

void cell_help(void);

// Runs the cell once: setup, main, verify, teardown. Returns an enum mncell_exit; for MNCELL_FAILED with one line in
// err[0..size), for MNCELL_INVALID with c->invalid set.
int cell_run(struct cell *c, char *err, size_t size);

// Writes the evidence of the last run to c->evidence, as a whole or not at all. cell_evidence_check finds out before the
// run whether that will be possible. Both return 0 or -errno.
int cell_evidence_write(const struct cell *c);
int cell_evidence_check(const char *file);

// "skewed/runtime:mn/procs:2/..": the workload, what always counts, and all that is not at its default.
void cell_name(const struct cell *c, char *text, size_t size);

#endif
