#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# tidy_test.sh: lint_tidy.sh reads a compilation database and fails on a fault in any file of it.
. "$(dirname "$0")/selftest.sh"
top=$(cd "$tree" && pwd -P)
arguments=("$tree/build")
put .clang-tidy <"$(dirname "$script")/../.clang-tidy"

database() {
	{
		echo '['
		for file; do
			printf '{\n  "directory": "%s",\n  "command": "cc -c %s",\n  "file": "%s"\n},\n' "$top" "$top/$file" "$top/$file"
		done | sed '$ s/,$//'
		echo ']'
	} | put build/compile_commands.json
}
finds 'compile_commands.json: missing' "no database"
put a.c <<<'int f(int n) { return n; }'
put b.c <<<'int f(int n)
{
	if (n > 0);
		return 1;
	return n;
}'
database a.c
clean "a good file; the bad one is not compiled"
database a.c b.c
finds 'b.c:3:.*\[bugprone-suspicious-semicolon' "a bad file"
finish
