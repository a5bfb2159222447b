// SPDX-License-Identifier: MIT
// check.h: what the laboratory's tests say when something is not as it should be: file, line, expected, got; exit 1.
#ifndef EXPERIMENTS_MNLAB_TESTS_CHECK_H
#define EXPERIMENTS_MNLAB_TESTS_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Macros, so that the line told is the test's.
#define check(condition)                                                                               \
	do {                                                                                           \
		if (!(condition)) {                                                                    \
			fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
			exit(1);                                                                       \
		}                                                                                      \
	} while (0)

#define check_number(got, expected)                                                                                  \
	do {                                                                                                         \
		long long got_ = (long long)(got), expected_ = (long long)(expected);                                \
		if (got_ != expected_) {                                                                             \
			fprintf(stderr, "%s:%d: %s: expected %lld, got %lld\n", __FILE__, __LINE__, #got, expected_, \
			        got_);                                                                               \
			exit(1);                                                                                     \
		}                                                                                                    \
	} while (0)

#define check_text(got, expected)                                                                                      \
	do {                                                                                                           \
		const char *got_ = (got), *expected_ = (expected);                                                     \
		if (strcmp(got_, expected_)) {                                                                         \
			fprintf(stderr, "%s:%d: expected \"%s\"\n%*sgot      \"%s\"\n", __FILE__, __LINE__, expected_, \
			        8, "", got_);                                                                          \
			exit(1);                                                                                       \
		}                                                                                                      \
	} while (0)

#define check_has(text, part)                                                                                  \
	do {                                                                                                   \
		const char *text_ = (text), *part_ = (part);                                                   \
		if (!strstr(text_, part_)) {                                                                   \
			fprintf(stderr, "%s:%d: \"%s\" is not in \"%s\"\n", __FILE__, __LINE__, part_, text_); \
			exit(1);                                                                               \
		}                                                                                              \
	} while (0)

#endif
