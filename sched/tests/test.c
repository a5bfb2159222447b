// SPDX-License-Identifier: MIT
// test.c: the counts behind EXPECT.
#include "sched/tests/test.h"

_Atomic int test_failures;
_Atomic unsigned long test_checks;

int
test_result(void)
{
	fprintf(stderr, "%lu checks, %d failed\n", test_checks, test_failures);
	return test_failures || !test_checks;
}
