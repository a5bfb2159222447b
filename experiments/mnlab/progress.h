// SPDX-License-Identifier: MIT
// progress.h: tells how a run goes: one line that changes on a terminal, plain lines elsewhere. All on stderr.
#ifndef EXPERIMENTS_MNLAB_PROGRESS_H
#define EXPERIMENTS_MNLAB_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	bool terminal;
	bool drawn;      // a line stands there
	int64_t told_ns; // when the last plain line was written
	long done, total, failed, tainted;
};

void progress_begin(struct progress *p, long done, long total);

// What runs now. On a terminal only.
void progress_show(struct progress *p, const char *what, double left_ns);

// A block's round has ended: a plain line where there is no terminal, if the last one is a while ago.
void progress_block(struct progress *p, const char *block, long round, double left_ns);

// A line that stays, above the changing one.
void progress_note(struct progress *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
void progress_end(struct progress *p);

#endif
