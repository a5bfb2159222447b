#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# format_test.sh: lint_format.sh sees a brace in the wrong place, in C, in a header and in C++.
. "$(dirname "$0")/selftest.sh"
put .clang-format <"$(dirname "$script")/../.clang-format"
put a.c <<<'int
f(void)
{
	return 0;
}'
clean "well formatted"
for file in b.c b.h b.cc; do
	put $file <<<'int f(void) {
  return 0; }'
	finds "^$file:1:.*clang-format" "$file in another style"
	drop $file
done
finish
