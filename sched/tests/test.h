// SPDX-License-Identifier: MIT
// test.h: all that a test program needs. EXPECT counts and tells failures and goes on; RUN names what runs.
#ifndef SCHED_TESTS_TEST_H
#define SCHED_TESTS_TEST_H

#include <stdio.h>

enum { TEST_SKIP = 77 };

// Several threads may check at once.
extern _Atomic int test_failures;
extern _Atomic unsigned long test_checks;

#define EXPECT(condition)                                                                                      \
	do {                                                                                                   \
		test_checks++;                                                                                 \
		if (!(condition) && ++test_failures <= 20)                                                     \
			fprintf(stderr, "%s:%d: %s: expected %s\n", __FILE__, __LINE__, __func__, #condition); \
	} while (0)

// Whole numbers, with what was found.
#define EXPECT_EQ(got, want)                                                                                          \
	do {                                                                                                          \
		long long got_ = (long long)(got), want_ = (long long)(want);                                         \
		test_checks++;                                                                                        \
		if (got_ != want_ && ++test_failures <= 20)                                                           \
			fprintf(stderr, "%s:%d: %s: %s is %lld, expected %lld\n", __FILE__, __LINE__, __func__, #got, \
			        got_, want_);                                                                         \
	} while (0)

#define RUN(test)                               \
	do {                                    \
		fprintf(stderr, "%s\n", #test); \
		test();                         \
	} while (0)

// What main returns. A program that checked nothing has failed.
int test_result(void);

#endif
