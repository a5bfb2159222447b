# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# selftest.sh: feeds a lint script small trees. A test first shows that a good tree passes, then breaks one thing at a
# time and wants the finding by name: a check that cannot fail is worth nothing.
set -u
check_name=$(basename "$0" _test.sh)
script=$(cd "$(dirname "$0")/.." && pwd)/lint_$check_name.sh
tree=$(mktemp -d) || exit 1
trap 'rm -rf "$tree"' EXIT
failures=0
arguments=()  # what the script gets after ROOT

# put FILE: writes stdin into the tree.
put() {
	mkdir -p "$tree/$(dirname "$1")"
	cat >"$tree/$1"
}

drop() { rm -f "$tree/$1"; }

run_lint() {
	said=$("$script" "$tree" "${arguments[@]}" 2>&1)
	code=$?
	[ $code != 77 ] || { echo "$said" >&2; exit 77; }
}

complain() {
	printf 'FAIL %s\n  exit code %s, said:\n%s\n' "$1" "$code" "$said"
	failures=$((failures + 1))
}

# clean WHAT: the tree passes.
clean() {
	run_lint
	[ $code = 0 ] || complain "$1: should pass"
}

# finds PATTERN WHAT: the tree fails, and a line of what is said matches.
finds() {
	run_lint
	if [ $code = 0 ] || ! grep -qE -- "$1" <<<"$said"; then
		complain "$2: should fail with '$1'"
	fi
}

finish() { exit $((failures > 0)); }
