// SPDX-License-Identifier: MIT
// golden_read.h: reads golden files, one case after the other, and takes nothing that is not exactly in the format of
// sched/tests/golden/README.md. golden.h is the door for others; this is its reader.
#ifndef MN_MODEL_GOLDEN_READ_H
#define MN_MODEL_GOLDEN_READ_H

#include <stddef.h>

#include "sched/model/arrivals.h"

// What a case says that the model does: a line of the file as it stands, without its newline.
struct mn_golden_expected {
	char *text;
	long number;
};

struct mn_golden_reader;

struct mn_golden_case {
	int procs, quantum, cap;
	struct mn_arrivals spawns;
	// trace, queue, ran and clock lines in the order of the file, and "end" as the last
	struct mn_golden_expected *line;
	size_t count, room;
	size_t traces; // trace lines among them
};

// Reads the next case into *c, which must be zeroed. 1: there it is. 0: no more. -EBADMSG: not in the format. Another
// -errno: cannot be read. r->error has the words. *c is to be cleared whatever is returned.
int mn_golden_read(struct mn_golden_reader *r, struct mn_golden_case *c);

void mn_golden_case_clear(struct mn_golden_case *c);

#endif
