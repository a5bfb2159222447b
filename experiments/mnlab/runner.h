// SPDX-License-Identifier: MIT
// runner.h: runs the repetitions of a matrix that are still to do, one process each, and stores a row for each.
#ifndef EXPERIMENTS_MNLAB_RUNNER_H
#define EXPERIMENTS_MNLAB_RUNNER_H

#include "experiments/mnlab/noise.h"
#include "experiments/mnlab/past.h"
#include "experiments/mnlab/progress.h"
#include "experiments/mnlab/rows.h"

enum {
	RUNNER_RETRIES = 3,        // of a tainted repetition
	RUNNER_GIVE_UP = 3,        // a cell that failed so often in a row is skipped for the rest of the run
	RUNNER_RETRY_PERCENT = 20, // of all repetitions: more retries than that say that the machine is never quiet
};

struct runner {
	const struct cells *cells;
	struct past *past;
	struct rows_log *log;
	const char *dir;
	const char *program; // mncell
	double rate;
	uint64_t seed;
	bool retry_failed;
	int pus;

	char machine[32]; // as an identity
	char **environment;
	struct noise noise;
	struct progress progress;
	int *failures; // of each cell: in a row, in this run
	long retries_left;
	long ran;          // rows written by this run
	long by_status[8]; // of these, see runner_status
	int bad_cell;      // the first one that failed, or -1
	char *bad_command; // and the command that repeats it
	char error[512];   // why it had to stop
};

extern const char *const runner_status[];

// Measures the rate of work by asking mncell. 0, or -errno with one line in err.
int runner_calibrate(const char *program, double *rate, char *err, size_t size);

// Runs. The fields above the blank line are the caller's. 0; -EINTR when told to stop; else -errno with r->error: a row
// could not be stored. Whatever is returned, runner_free follows.
int runner_run(struct runner *r);
void runner_free(struct runner *r);

#endif
