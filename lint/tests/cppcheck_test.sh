#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# cppcheck_test.sh: lint_cppcheck.sh sees a fault, and obeys a comment that excuses it.
. "$(dirname "$0")/selftest.sh"
put a.c <<<'void walk(struct json *object);
void walk(struct json *object)
{
	json_object_foreach(object, key, value) {
		use(key, value);
	}
}'
clean "a library's loop macro"
put b.c <<<'int last(void)
{
	int a[4] = { 0 };
	return a[4];
}'
finds '^b.c:4: error: .*\[arrayIndexOutOfBounds\]' "a read past the end"
put b.c <<<'int last(void)
{
	int a[4] = { 0 };
	// cppcheck-suppress arrayIndexOutOfBounds
	return a[4];
}'
clean "the same, excused in place"
finish
