#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# lint_headers.sh ROOT [CC CXX]: every header compiles by itself as C11, and sched/mn.h also as C++11 and as strict C11.
. "$(dirname "$0")/common.sh"
cc=${2:-cc} cxx=${3:-c++}
warnings=(-Wall -Wextra -Werror -fsyntax-only -I .)
bad=0
try() {
	header=$1
	shift
	printf '#include "%s"\n' "$header" | "$@" "${warnings[@]}" - || { echo "$header:1: does not compile alone: $*"; bad=1; }
}
for header in $(our_files -name '*.h'); do
	try "$header" "$cc" -x c -std=c11 -D_GNU_SOURCE
done
if [ -f sched/mn.h ]; then
	try sched/mn.h "$cc" -x c -std=c11 -pedantic -Wstrict-prototypes
	try sched/mn.h "$cxx" -x c++ -std=c++11 -pedantic
fi
exit $bad
