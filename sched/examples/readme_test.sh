#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# readme_test.sh ROOT: the program that README.md shows is sched/examples/first.c, but for its licence and subject lines.
set -euo pipefail
# shellcheck disable=SC2016 # the backticks are Markdown's
shown=$(sed -n '/^```c$/,/^```$/{/^```/!p}' "$1/README.md")
program=$(sed 1,2d "$1/sched/examples/first.c")
[[ -n $shown ]] || {
	echo "README.md shows no program" >&2
	exit 1
}
diff <(echo "$shown") <(echo "$program") >&2 || {
	echo "README.md and sched/examples/first.c differ" >&2
	exit 1
}
