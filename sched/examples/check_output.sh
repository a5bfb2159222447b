#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# check_output.sh PROGRAM EXPECTED: runs PROGRAM, which must succeed, say nothing on stderr, and print the lines of EXPECTED,
# each a regular expression. The order is free: goroutines print as they come.
set -euo pipefail
program=$1 expected=$2
shown=$(mktemp)
trap 'rm -f "$shown"' EXIT
wrong() {
	printf '%s: %s\n' "$program" "$1" >&2
	exit 1
}
said=$({ "$program" >"$shown"; } 2>&1) || wrong "exit status $?; stderr: $said"
[[ -z $said ]] || wrong "stderr: $said"
[[ $(wc -l <"$shown") == $(wc -l <"$expected") ]] || wrong "printed $(wc -l <"$shown") lines: $(<"$shown")"
while IFS= read -r line; do
	matches=$(grep -cxE -- "$line" "$shown") || wrong "no line matches '$line' in: $(<"$shown")"
	[[ $matches == 1 ]] || wrong "$matches lines match '$line'"
done <"$expected"
