#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# experiment.sh MNLAB MATRIX DIR: runs a matrix into DIR (resuming what is there), draws its charts, prints its table and
# keeps it as DIR/compare-steal.txt.
#
# A failed cell (exit 1) does not take the charts of the others away, but remains the exit code. The verdicts of compare
# (1 a regression, 3 cannot tell) are answers, not failures, here.
set -u
mnlab=$1 matrix=$2 dir=$3

"$mnlab" run "$matrix" --out "$dir"
ran=$?
[ $ran -le 1 ] || exit $ran

"$mnlab" plot "$dir" || exit

"$mnlab" compare "$dir" --by steal >"$dir/compare-steal.txt"
compared=$?
cat "$dir/compare-steal.txt"
case $compared in
0 | 1 | 3) exit $ran ;;
*) exit $compared ;;
esac
