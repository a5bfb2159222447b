// SPDX-License-Identifier: MIT
// factor.h: what a matrix can vary: the workload, the runtime, every option of the scheduler, every workload parameter.
//
// A factor is known by its name: "workload", "runtime", "steal", or "skewed.tasks" for a parameter. Names and values are
// never listed here: they are asked of mn.h and workload.h, so a new policy or workload needs no change in the lab.
#ifndef EXPERIMENTS_MNLAB_FACTOR_H
#define EXPERIMENTS_MNLAB_FACTOR_H

#include "sched/mn.h"
#include "workloads/workload.h"

#include <stdbool.h>
#include <stddef.h>

enum factor_kind { FACTOR_WORKLOAD, FACTOR_RUNTIME, FACTOR_OPTION, FACTOR_PARAM };

// The three ways to do a workload's work: libmn, plain calls one after the other, one thread a task.
enum runtime { RUNTIME_MN, RUNTIME_SERIAL, RUNTIME_THREADS, RUNTIME_EVLOOP, RUNTIMES };
extern const char *const runtime_names[RUNTIMES + 1];

struct factor_id {
	enum factor_kind kind;
	const struct mn_option_info *option; // of FACTOR_OPTION
	const struct workload *workload;     // of FACTOR_PARAM
	const struct workload_param *param;  // of FACTOR_PARAM
};

// 0, or -ENOENT with one line in err that lists what is allowed. Options that the runner itself sets are refused.
int factor_find(struct factor_id *id, const char *name, char *err, size_t size);

// Whether ranges and machine words make sense for its values.
bool factor_is_numeric(const struct factor_id *id);

// Checks a value, and rewrites text (VALUE_TEXT_MAX bytes) the way all equal values are written. 0, or -EINVAL with one
// line in err that lists what is allowed.
int factor_check(const struct factor_id *id, char *text, char *err, size_t size);

// Every option at its default, whatever the environment says.
void options_default(struct mn_options *o);

// Options that the runner sets by itself for each repetition, so that no matrix may.
bool option_is_reserved(const char *name);

#endif
