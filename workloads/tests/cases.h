// SPDX-License-Identifier: MIT
// cases.h: small instances of every workload, and what to do with each, for the tests that cross them with runtimes.
#ifndef WORKLOADS_TESTS_CASES_H
#define WORKLOADS_TESTS_CASES_H

#include "workloads/workload.h"

enum { CASE_SETTINGS_MAX = 8 };

struct test_case {
	const char *workload;
	const char *set[CASE_SETTINGS_MAX]; // "tasks=10"
};

// Cases by position; NULL past the last. Every workload of the registry has one (checked by cases_cover_all).
const struct test_case *case_at(int i);
void cases_cover_all(void);

// Whether its goroutines wait for each other, which takes a scheduler.
bool case_waits(int i);

// The case with its parameters set and set up; the test fails where that fails.
void case_setup(struct workload_run *run, const struct test_case *c);

// Fails the test with the case's name and how it was run, unless the result is right. Then spoils the result, which
// verify must notice.
void case_verify(struct workload_run *run, const struct test_case *c, const char *how);

#endif
