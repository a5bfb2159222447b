// SPDX-License-Identifier: MIT
// workload.h: the one interface of every workload and baseline.
//
// A workload does a fixed amount of calibrated work (work.h), so that its answer and its cost do not depend on the
// scheduler, and proves its answer: a count of tasks and a checksum that verify compares with what the parameters imply.
// One workload, several runtimes: the goroutines of libmn, and baselines (serial, threads, evloop) that do the same
// work without.
#ifndef WORKLOADS_WORKLOAD_H
#define WORKLOADS_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A parameter: a whole number with a default and a range. set refuses what is outside.
struct workload_param {
	const char *name; // "tasks", "grain_ns"
	long initial, min, max;
	const char *help; // half a line, with the unit
};

enum { WORKLOAD_PARAMS_MAX = 12 };

struct workload_result {
	uint64_t tasks;    // tasks that ran to their end
	uint64_t checksum; // of all their answers, independent of their order
};

// One running instance. Private state hangs on `state`.
struct workload_run {
	const struct workload *workload;
	long param[WORKLOAD_PARAMS_MAX]; // by position in workload->params
	void *state;
	struct workload_result result;
};

struct workload {
	const char *name;  // "skewed"
	const char *title; // half a line: what it stresses
	int version;       // raised whenever the work done changes: older rows are then no longer reused
	const struct workload_param *params;   // NULL-named at the end
	int (*setup)(struct workload_run *);   // untimed; 0 or -errno
	void (*main)(struct workload_run *);   // timed; body of goroutine 1, returns when all its tasks have ended
	void (*serial)(struct workload_run *); // the same work in plain calls, one after the other
	int (*threads)(struct workload_run *); // the same with one pthread a task (bounded); 0 or -errno; may be NULL
	int (*evloop)(struct workload_run *);  // the same on one thread, driven by events; 0 or -errno; mostly NULL
	void (*expect)(const struct workload_run *, struct workload_result *); // the right answer, from the parameters
	void (*teardown)(struct workload_run *);
};

// Registry. workload_at(i) is NULL past the last; workload_find NULL for an unknown name.
const struct workload *workload_at(int i);
const struct workload *workload_find(const char *name);

// Writes all names into text[0..size), separated by ", ", for messages about an unknown one.
void workload_names(char *text, size_t size);

// Fills *r with the defaults; sets one parameter by name. Returns 0, or -ENOENT/-EINVAL with one line in err that names
// what is allowed.
void workload_init(struct workload_run *r, const struct workload *w);
int workload_set(struct workload_run *r, const char *name, const char *value, char *err, size_t size);
long workload_get(const struct workload_run *r, const char *name);

// Compares r->result with expect. Returns 0, or -EUCLEAN with one line in err.
int workload_verify(const struct workload_run *r, char *err, size_t size);

#endif
