// SPDX-License-Identifier: MIT
// test.c: the counts behind EXPECT.
#include "sched/tests/test.h"

int test_failures;
unsigned long test_checks;

int
test_result(void)
{
	fprintf(stderr, "%lu checks, %d failed\n", test_checks, test_failures);
	return test_failures || !test_checks;
}
