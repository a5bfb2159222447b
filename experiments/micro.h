// SPDX-License-Identifier: MIT
// micro.h: what the micro-benchmarks share: a main, sizes, and measuring inside a goroutine.
//
// A micro-benchmark measures one operation. Where it needs a scheduler, each call of the benchmark starts one, and the
// clock runs inside goroutine 1 (manual time): starting threads is not what is measured. With MICRO_TINY=1 in the
// environment sizes shrink to a thousandth, for tests that only want to see everything run.
#ifndef EXPERIMENTS_MICRO_H
#define EXPERIMENTS_MICRO_H

#include <stdint.h>

#include "experiments/gbench.h"
#include "sched/mn.h"

// Registers with gbench_register, runs, and returns the exit status: 0, 1 when a benchmark failed, 2 for bad arguments.
int micro_main(int argc, char **argv, void (*register_all)(void));

// Registers, or ends the program with status 1.
void micro_register(const char *name, gbench_fn fn, void *arg, const struct gbench_options *o);

// n, or a thousandth of it (at least 4) for MICRO_TINY=1.
int64_t micro_size(int64_t n);

// Nanoseconds of CLOCK_MONOTONIC.
int64_t micro_now(void);

// What runs as goroutine 1: does the operation n times. It returns the nanoseconds that count, or -1 for the time that
// the whole call took.
typedef int64_t (*micro_body)(int64_t n, void *arg);

// The loop of a benchmark: runs body under a scheduler with the options given as text, "procs=2 yield_to=local".
void micro_run(struct gbench_state *s, const char *options, micro_body body, void *arg);

// Sorts and reports p50_ns, p99_ns and max_ns of a sample.
void micro_percentiles(struct gbench_state *s, int64_t *sample, int64_t n);

#endif
