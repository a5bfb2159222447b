#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# size_test.sh: lint_size.sh at its limits: 500 and 501 lines, functions of 70 and 71.
. "$(dirname "$0")/selftest.sh"

# function_of N: a function with N lines between its braces.
function_of() {
	printf 'int\nf(void)\n{\n'
	yes '	x++;' | head -n "$1"
	printf '}\n'
}
yes '// line' | head -n 500 | put a.h
function_of 70 | put b.c
{ function_of 40; function_of 40; } | put c.c
printf 'static const int t[] = {\n%s};\n' "$(yes '	1,' | head -n 90)" | put d.c
clean "at the limits"
for file in e.c e.h e.S e.cc e.sh; do
	yes '// line' | head -n 501 | put $file
	finds "^$file:501: over 500" "a long $file"
	drop $file
done
function_of 71 | put e.c
finds '^e.c:3: function of 71 lines' "a long function"
finish
