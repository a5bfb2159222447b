#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# symbols_test.sh: lint_symbols.sh on libraries that are compiled here.
. "$(dirname "$0")/selftest.sh"
command -v cc >/dev/null && command -v ar >/dev/null || { echo "skipped: no cc and ar here" >&2; exit 77; }

# library: an archive of the C text on stdin becomes the argument.
library() {
	rm -f "$tree/lib.a"
	cc -x c -c -o "$tree/a.o" - && ar rc "$tree/lib.a" "$tree/a.o" || exit 1
	arguments=("$tree/lib.a")
}
library <<<'int mn_count; static int hidden(void) { return mn_count; } int mn_get(void) { return hidden(); }'
clean "prefixed and static symbols"
library <<<'int mn_count; int sched_yield(void) { return 0; }'
finds 'external symbol without mn_: .* T sched_yield' "a function without the prefix"
library <<<'int mn_count; int counter = 1;'
finds 'external symbol without mn_: .* D counter' "a variable without the prefix"
library <<<'static int x; int *mn_x(void) { return &x; }'
clean "back to good"
arguments=("$tree/absent.a")
finds 'no mn_ symbol' "a library that is not there"
arguments=()
clean "no library"
put sched/sched.h </dev/null
finds '^sched/sched.h:1: no file may be called' "a header in front of libc's"
finish
