// SPDX-License-Identifier: MIT
// equal.h: n tasks of equal work, which uniform, skewed, zipf, burst and bounce share: they differ in who starts them and
// when, and in nothing else.
#ifndef WORKLOADS_EQUAL_H
#define WORKLOADS_EQUAL_H

#include "workloads/workload.h"

enum { EQUAL_TASKS, EQUAL_GRAIN_NS, EQUAL_OWN }; // positions in equal_params; a workload's own parameters come after

extern const struct workload_param equal_params[];

int equal_setup(struct workload_run *run);
void equal_expect(const struct workload_run *run, struct workload_result *right);

// For workloads whose first parameter is not the number of tasks.
int equal_setup_n(struct workload_run *run, long n);
void equal_expect_n(const struct workload_run *run, long n, struct workload_result *right);

#endif
