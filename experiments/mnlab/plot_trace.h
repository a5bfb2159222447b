// SPDX-License-Identifier: MIT
// plot_trace.h: queue lengths over time, from our sampler or from Go's schedtrace, and what can be read off them.
#ifndef EXPERIMENTS_MNLAB_PLOT_TRACE_H
#define EXPERIMENTS_MNLAB_PLOT_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { TRACE_PROCS_MAX = 1024 };

struct trace {
	int procs;
	size_t n, room;
	double *ms; // n times
	int *len;   // n rows of 1 + procs: global, P0, P1, ..
};

void trace_init(struct trace *, int procs);
void trace_free(struct trace *);
int trace_add(struct trace *, double ms, const int *len); // 0 or -ENOMEM
const int *trace_at(const struct trace *, size_t i);

// Reads our sampler's table (t_us, global, p0, p1, ..). Returns 0 or -errno with one line in err: -EBADMSG for a table
// that is not one, with file:line. A torn last line is left out: the run may have been killed.
int trace_read_samples(struct trace *, const char *path, char *err, size_t size);

// Reads what Go prints under GODEBUG=schedtrace: from a line "BEGIN rep 1" to "END rep 1" where there are such lines,
// else from the first line with a queue that is not empty. Other programs' lines in between are passed over; old Go's
// form of the list without inner blanks is understood. Errors as above; -ENODATA when no line has `procs` queues.
int trace_read_schedtrace(struct trace *, const char *path, int procs, char *err, size_t size);

// Lets time begin at the first sample with a queue that is not empty, and cuts off what lies before, but for one sample
// with all queues empty: from there they rise.
void trace_start_at_load(struct trace *);

bool trace_loaded(const struct trace *); // some queue is not empty at some time
int trace_max_global(const struct trace *);
int trace_max_local(const struct trace *);

// What happened between two samples.
enum trace_kind {
	TRACE_SPILL,  // the global queue grew by n
	TRACE_BATCH,  // the global queue fell by n, 2 or more
	TRACE_REFILL, // P p grew by n out of such a batch
	TRACE_STEAL,  // P p grew by n while another P fell by more: a theft, of which the thief runs one at once
};
extern const char *const trace_kind_names[];

struct trace_event {
	enum trace_kind kind;
	double ms;
	int p;     // -1: the global queue
	int n;     // goroutines that moved, as far as the lengths tell
	int level; // length afterwards
};

// Calls put for each event in order of time. Samples hide what happens between them: the events are a lower bound.
void trace_events(const struct trace *, void (*put)(void *, const struct trace_event *), void *arg);

// Writes the table: t_ms, global, p0, .. Samples that change nothing are left out, for between them the lengths stand.
void trace_write(const struct trace *, FILE *f);

// The same on a grid of `columns` time slots, one line a slot and P: t_ms, p, length (the largest in the slot).
void trace_write_grid(const struct trace *, FILE *f, int columns);

// And over all Ps: t_ms, longest, mean.
void trace_write_summary(const struct trace *, FILE *f);

#endif
