#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# lint_style.sh ROOT: what the formatter does not see. A licence line at the top of every source; comments with //; no
# code switched off; typedefs for function pointers only; no struct, union or enum called _t; no names of libc's (sched_)
# or GNU MP's (gmp_) at the start of a line, where our layout puts the function that is being defined.
. "$(dirname "$0")/common.sh"
{
	our_files -name '*.[chS]' -o -name '*.cc' -o -name '*.sh' -o -name '*.gp' -o -name '*.cmake' -o -name CMakeLists.txt \
		-o -path ./.ci/run -o -path ./Makefile |
		while read -r file; do
			head -n 2 "$file" | grep -q 'SPDX-License-Identifier: MIT' || echo "$file:1: no SPDX line at the top"
		done
	our_files -name '*.[ch]' -o -name '*.cc' | xargs -r awk '
	function bad(what) { print FILENAME ":" FNR ": " what }
	{ code = $0; gsub(/"([^"\\]|\\.)*"/, "\"\"", code); sub(/\/\/.*/, "", code) }
	code ~ /\/\*/ { bad("comments are written with //") }
	/^[ \t]*#[ \t]*if[ \t]+0[ \t]*$/ { bad("code that is switched off") }
	code ~ /^[ \t]*typedef/ && code !~ /\([ \t]*\*/ { bad("typedef of something else than a function pointer") }
	code ~ /(^|[^A-Za-z0-9_])(struct|union|enum) [A-Za-z0-9_]*_t[ \t]*\{/ { bad("_t names are POSIX'\''s") }
	code ~ /^(sched|gmp)_[a-z0-9_]*\(/ { bad("a function with a prefix that libc or GNU MP owns") }
	/[ \t]$/ { bad("space at the end of the line") }'
} | fail_if_any
