#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# test_mncell_bad.sh MNCELL: every bad argument gets one line on stderr that says what is wrong and what is allowed,
# nothing on stdout, exit status 2.
mncell=$1
export MNCELL_ANY_BUILD=1
failures=0
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

fail() {
	echo "mncell $arguments: $1" >&2
	cat "$scratch/err" >&2
	failures=$((failures + 1))
}

# refused TEXT.. -- ARGUMENT..: the line must hold every TEXT.
refused() {
	local texts=()
	while [ "$1" != -- ]; do
		texts+=("$1")
		shift
	done
	shift
	arguments=$*
	"$mncell" "$@" >"$scratch/out" 2>"$scratch/err"
	local status=$?
	[ $status -eq 2 ] || fail "exit status $status, not 2"
	[ "$(wc -l <"$scratch/err")" -eq 1 ] || fail "not one line"
	[ -s "$scratch/out" ] && fail "text on stdout"
	for text in "${texts[@]}"; do
		grep -qF -e "$text" "$scratch/err" || fail "does not say '$text'"
	done
}

refused "--workload is missing" uniform skewed syscall tight --
refused "--workload: the value is missing" -- --workload
refused "--workload=nosuch" uniform skewed syscall tight -- --workload=nosuch
refused "--stael=half" --steal --local_cap --benchmark_ -- --workload=skewed --stael=half
refused "stray" -- --workload=skewed stray
refused "-p" -- --workload=skewed -p 2
refused "--" -- --workload=skewed --
refused "--calibrate takes no value" -- --calibrate=1
refused "--runtime=go" mn serial threads evloop -- --workload=skewed --runtime=go

refused steal half one all none -- --workload=skewed --steal=most
refused victim random most-loaded -- --workload=skewed --victim=x
for procs in 1025 -1 x "" 2.5 99999999999999999999; do
	refused procs 1024 -- --workload=skewed "--procs=$procs"
done
for cap in 0 4097 -1 x; do
	refused local_cap 4096 -- --workload=skewed "--local_cap=$cap"
done
refused pin none close spread -- --workload=skewed --pin=x

refused nosuch tasks grain_ns -- --workload=skewed --param nosuch=1
refused tasks 0 -- --workload=skewed --param tasks=0
refused tasks -- --workload=skewed --param tasks=x
refused KEY=VALUE -- --workload=skewed --param tasks
refused KEY=VALUE -- --workload=skewed --param==1
many=()
for i in {1..25}; do
	many+=(--param "tasks=$i")
done
refused "more than 24 parameters" -- --workload=skewed "${many[@]}"

for rate in 0 -1 nan inf x 1e9 ""; do
	refused "--rate=$rate" "iterations per microsecond" -- --workload=skewed "--rate=$rate"
done
refused "--evidence" file -- --workload=skewed --evidence=
refused "--evidence=$scratch/no/such" "No such file or directory" -- --workload=skewed "--evidence=$scratch/no/such"
refused "--benchmark_out=$scratch/no/such" "No such file or directory" -- --workload=skewed "--benchmark_out=$scratch/no/such"
refused "--benchmark_format=xml" json -- --workload=skewed --benchmark_format=xml
refused "--benchmark_nosuch=1" -- --workload=skewed --benchmark_nosuch=1

# The environment counts too.
MN_STEAL=most refused MN_STEAL half one all none -- --workload=skewed
MN_NOSUCH=1 refused MN_NOSUCH -- --workload=skewed
GOMAXPROCS=x refused GOMAXPROCS 1024 -- --workload=skewed

# The library says a line of its own here.
arguments="--workload=skewed --rate=1000 --benchmark_filter=nosuch"
# shellcheck disable=SC2086 # they are words
"$mncell" $arguments >"$scratch/out" 2>"$scratch/err"
status=$?
[ $status -eq 2 ] || fail "exit status $status, not 2"
grep -q 'the benchmark is called skewed/' "$scratch/err" || fail "does not name the benchmark"
exit $((failures > 0))
