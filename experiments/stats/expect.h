// SPDX-License-Identifier: MIT
// expect.h: what the tests of the lab's own code assert with. A failed expectation says where and what, the test goes on,
// and expect_done turns the count into the exit code.
#ifndef EXPERIMENTS_STATS_EXPECT_H
#define EXPERIMENTS_STATS_EXPECT_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

struct expect_count {
	int made, failed;
};

static inline void
expect_at(struct expect_count *count, bool holds, const char *what, const char *file, int line)
{
	count->made++;
	if (holds)
		return;
	count->failed++;
	fprintf(stderr, "%s:%d: %s\n", file, line, what);
}

static inline void
expect_near_at(struct expect_count *count, double got, double want, double within, const char *file, int line)
{
	count->made++;
	if (fabs(got - want) <= within)
		return;
	count->failed++;
	fprintf(stderr, "%s:%d: got %.17g, expected %.17g within %g\n", file, line, got, want, within);
}

static inline int
expect_done(const struct expect_count *count)
{
	printf("%d expectations, %d failed\n", count->made, count->failed);
	return count->failed || !count->made;
}

// Both want a `struct expect_count expected` in scope.
#define expect(condition)              expect_at(&expected, (condition), #condition, __FILE__, __LINE__)
#define expect_near(got, want, within) expect_near_at(&expected, (got), (want), (within), __FILE__, __LINE__)

#endif
