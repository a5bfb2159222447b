#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# makefile_test.sh: the front door lists each of its targets, and knows what each would do, for every preset.
set -u
cd "$(dirname "$0")/../.." || exit 1
unset PRESET BY DIR MAKEFLAGS MAKELEVEL MFLAGS
failures=0
complain() {
	echo "FAIL $*"
	failures=$((failures + 1))
}

targets=$(sed -n 's/^\.PHONY: //p' Makefile)
[ -n "$targets" ] || complain "no targets found"
help=$(make -s help)
presets=$(sed -n 's/^presets: //p' <<<"$help")
[ -n "$presets" ] || complain "no presets in the list"
for target in $targets; do
	grep -q "^  $target  *[a-z]" <<<"$help" || complain "make help does not explain $target"
	make -n "$target" >/dev/null || complain "make -n $target"
done
for preset in $presets; do
	make -n PRESET="$preset" test | grep -q "ctest --preset $preset" || complain "make PRESET=$preset test runs no ctest"
done
make -n PRESET=tsan test | grep -q 'setarch -R' || complain "tsan without fixed addresses"
make -n compare BY=victim DIR=results/quick | grep -q 'compare results/quick --by victim' || complain "BY and DIR are lost"
make -n nonsense >/dev/null 2>&1 && complain "an unknown target is taken"
exit $((failures > 0))
