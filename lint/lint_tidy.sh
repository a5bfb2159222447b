#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# lint_tidy.sh ROOT BUILD: clang-tidy with the short list of .clang-tidy over what BUILD/compile_commands.json compiles.
. "$(dirname "$0")/common.sh"
build=${2:?"usage: $0 ROOT BUILD"}
need clang-tidy-14 clang-tidy
[ -f "$build/compile_commands.json" ] || { echo "$build/compile_commands.json: missing" >&2; exit 1; }
top=$(pwd -P)
sed -n 's/^ *"file": "\(.*\.c\)",\{0,1\}$/\1/p' "$build/compile_commands.json" | sort -u | grep "^$top/" |
	xargs -r -n 4 -P "$(nproc)" "$tool" -p "$build" --quiet --warnings-as-errors='*' 2>/dev/null
# xargs ends with 123 when one of its runs failed.
[ "${PIPESTATUS[3]}" = 0 ]
