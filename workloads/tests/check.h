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

// Whether a sanitizer is built in that wants address space without limit.
#if defined(__has_feature)
#define SANITIZED_BY_CLANG (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define SANITIZED_BY_CLANG 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || SANITIZED_BY_CLANG
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

#endif
