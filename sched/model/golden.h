// SPDX-License-Identifier: MIT
// golden.h: replays golden files, that is, runs of the round model written down line by line by an independent
// implementation of its rules, and finds the first line of each run in which our model differs.
// The format is in sched/tests/golden/README.md.
#ifndef MN_MODEL_GOLDEN_H
#define MN_MODEL_GOLDEN_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct mn_model;
struct mn_model_event;

// Cases that the model reproduced line by line, and cases that it did not.
struct mn_golden_tally {
	long passed, failed;
};

// Is called with one line of text, without a newline, for each failed case:
//	FILE:LINE: expected "ran 0 8 0", got "ran 0 9 0"
// where LINE and expected are of the file and got is what the model did; and once for a file that is not in the format,
// or cannot be read, with what is allowed there.
typedef void (*mn_golden_say)(void *arg, const char *line);

// Replays the cases of a file (or of a stream, whose name is for messages only) and adds them to *t. Returns 0, whether
// cases failed or not; -EBADMSG for a file that is not in the format or has no case in it, another -errno for one that
// cannot be read. Cases that stand before an error count.
int mn_golden_check(const char *path, struct mn_golden_tally *t, mn_golden_say say, void *arg);
int mn_golden_check_stream(FILE *in, const char *name, struct mn_golden_tally *t, mn_golden_say say, void *arg);

// The lines of the format, without a newline, as a new string, to be freed; NULL: no memory. For all who write traces.
char *mn_golden_trace_line(const struct mn_model *m, const struct mn_model_event *e);
char *mn_golden_queue_line(const struct mn_model *m);
char *mn_golden_ran_line(const struct mn_model *m, int p);
char *mn_golden_clock_line(const struct mn_model *m);

#endif
