// SPDX-License-Identifier: MIT
// crew.h: what the workloads share whose goroutines depend on each other: a fixed crew of members, all of them or none.
//
// A member that is missing would leave the others waiting for ever. So all wait at a gate until the last has been
// started; if one cannot be, the rest are sent home, and verify refuses the empty result. The same with threads.
#ifndef WORKLOADS_CREW_H
#define WORKLOADS_CREW_H

#include "workloads/workload.h"

enum { CREW_THREADS_MAX = 512 }; // more are not even tried

// What a member has to show; written by it alone, best once at its end.
struct crew_part {
	uint64_t tasks, sum;
	int error; // -errno of what went wrong, 0
};

struct crew;

// What makes a workload: the members, and what they need besides, made anew for each run.
struct crew_plan {
	void (*member)(struct crew *crew, long i);
	int (*open)(struct crew *crew); // 0 or -errno, with nothing left open; may block as its runtime does
	void (*close)(struct crew *crew);
};

// A run's `state`.
struct crew {
	const struct workload_run *run;
	const struct crew_plan *plan;
	long n;
	bool in_goroutines;
	struct crew_part *part; // of each member
	void *extra;            // the workload's own: zeroed by setup
};

// 0 or -ENOMEM.
int crew_setup(struct workload_run *run, const struct crew_plan *plan, long n, size_t extra);
void crew_teardown(struct workload_run *run);

// Two of a workload's forms: the result is the sum of the parts.
void crew_main(struct workload_run *run);
int crew_threads(struct workload_run *run);

// For forms without members: begin clears the parts, collect sums them up. Errors are told on stderr, the first of them.
struct crew *crew_begin(struct workload_run *run, bool in_goroutines);
void crew_collect(struct workload_run *run);

#endif
