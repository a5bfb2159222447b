// SPDX-License-Identifier: MIT
// equal.h: n tasks of equal work, which uniform and skewed share: they differ in who starts them, and in nothing else.
#ifndef WORKLOADS_EQUAL_H
#define WORKLOADS_EQUAL_H

#include "workloads/workload.h"

enum { EQUAL_TASKS, EQUAL_GRAIN_NS }; // positions in equal_params

extern const struct workload_param equal_params[];

int equal_setup(struct workload_run *run);
void equal_expect(const struct workload_run *run, struct workload_result *right);

#endif
