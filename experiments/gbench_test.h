// SPDX-License-Identifier: MIT
// gbench_test.h: what the halves of gbench_test share: the test itself, and the benchmarks that it runs.
#ifndef EXPERIMENTS_GBENCH_TEST_H
#define EXPERIMENTS_GBENCH_TEST_H

#include <stdio.h>

extern int failures;

#define expect(what)                                                                       \
	do {                                                                               \
		if (!(what)) {                                                             \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #what); \
			failures++;                                                        \
		}                                                                          \
	} while (0)

// Registers the benchmarks, whose own expectations count too.
void register_all(void);

#endif
