// SPDX-License-Identifier: MIT
// check.h: the one assertion of the workload tests. It says where and what, and ends the program with status 1.
#ifndef WORKLOADS_TESTS_CHECK_H
#define WORKLOADS_TESTS_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#define check(condition, ...)                                                           \
	do {                                                                            \
		if (!(condition)) {                                                     \
			fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition); \
			fprintf(stderr, __VA_ARGS__);                                   \
			fputc('\n', stderr);                                            \
			exit(1);                                                        \
		}                                                                       \
	} while (0)

#endif
