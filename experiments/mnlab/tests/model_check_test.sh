#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# model_check_test.sh MNLAB GOLDEN: `mnlab model --check` on the golden file, and on copies of it that differ in one line of
# each kind. Every one must be found, by file and line, with what the file expects and what the model got.
set -u
mnlab=$1 golden=$2
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
copy=$dir/copy.txt
failures=0

fail() {
	printf '%s\n' "FAIL: $*" >&2
	failures=$((failures + 1))
}

line() { sed -n "$1p" "$golden"; } # line N: that line of the golden file

# check STATUS LAST-LINE FIRST-LINE FILE...: runs the check; first line of standard error, last of standard output.
check() {
	local status=$1 last=$2 first=$3 got
	shift 3
	"$mnlab" model --check "$@" >"$dir/out" 2>"$dir/err"
	got=$?
	[ "$got" -eq "$status" ] || fail "exit $got, not $status: --check $*"
	[ "$(tail -n 1 "$dir/out")" = "$last" ] || fail "last line \"$(tail -n 1 "$dir/out")\", not \"$last\""
	[ "$(head -n 1 "$dir/err")" = "$first" ] || fail "said \"$(head -n 1 "$dir/err")\", not \"$first\""
}

check 0 '122 passed, 0 failed' '' "$golden"
check 0 '244 passed, 0 failed' '' "$golden" "$golden"

# The last line of each kind in the file's first case, then the middle one of the whole file: its last number raised by one.
for kind in trace queue ran clock; do
	first=$(grep -n "^$kind " "$golden" | head -n 1 | cut -d: -f1)
	middle=$(grep -n "^$kind " "$golden" | awk -F: '{ n[NR] = $1 } END { print n[int(NR / 2)] }')
	for n in "$first" "$middle"; do
		awk -v n="$n" 'NR == n { $NF = $NF + 1 } { print }' "$golden" >"$copy"
		check 1 '121 passed, 1 failed' \
			"$copy:$n: expected \"$(sed -n "${n}p" "$copy")\", got \"$(line "$n")\"" "$copy"
	done

	# Missing: the line after it stands where the model still has this one. Twice: the other way round.
	next=$((middle + 1))
	while [ "$(line "$middle")" = "$(line "$next")" ]; do
		middle=$next next=$((middle + 1))
	done
	sed "${middle}d" "$golden" >"$copy"
	check 1 '121 passed, 1 failed' \
		"$copy:$middle: expected \"$(line "$next")\", got \"$(line "$middle")\"" "$copy"
	sed "${middle}p" "$golden" >"$copy"
	check 1 '121 passed, 1 failed' \
		"$copy:$next: expected \"$(line "$middle")\", got \"$(line "$next")\"" "$copy"
done

# What a case begins with: the difference shows in what the model does with it.
n=$(grep -n '^quantum 2' "$golden" | head -n 1 | cut -d: -f1)
sed "${n}s/2/3/" "$golden" >"$copy"
n=$(grep -n '^trace 0 0 run A 2' "$golden" | head -n 1 | cut -d: -f1)
check 1 '121 passed, 1 failed' "$copy:$n: expected \"trace 0 0 run A 2\", got \"trace 0 0 run A 3\"" "$copy"

# Cut off, between lines and in one; nothing, or something else, or not there.
head -n 20 "$golden" >"$copy"
check 2 '0 passed, 0 failed, 1 of 1 file not readable to the end' \
	"$copy:21: expected trace, queue, ran, clock or end, got the end of the file" "$copy"
head -c -3 "$golden" | sed '$d' >"$copy"
check 2 '121 passed, 0 failed, 1 of 1 file not readable to the end' \
	"$copy:$(($(wc -l <"$copy") + 1)): expected clock or end, got the end of the file" "$copy"
: >"$copy"
check 2 '0 passed, 0 failed, 1 of 1 file not readable to the end' \
	"$copy:1: expected case, got the end of the file" "$copy"
check 2 '0 passed, 0 failed, 1 of 1 file not readable to the end' \
	"$0:5: expected case, got \"set\"" "$0"
check 2 '122 passed, 0 failed, 1 of 2 files not readable to the end' \
	"$dir/none: cannot be opened: No such file or directory" "$dir/none" "$golden"

# Unreadable counts more than different.
sed '13s/B/C/' "$golden" >"$copy"
check 2 '121 passed, 1 failed, 1 of 2 files not readable to the end' \
	"$copy:13: expected \"$(sed -n 13p "$copy")\", got \"$(line 13)\"" "$copy" "$dir/none"

[ "$failures" -eq 0 ] || exit 1
echo "every changed line was found"
