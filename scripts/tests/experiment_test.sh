#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# experiment_test.sh: experiment.sh with a stand-in for mnlab whose exit codes the test chooses.
set -u
script=$(cd "$(dirname "$0")/.." && pwd)/experiment.sh
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failures=0

cat >"$dir/mnlab" <<'END'
#!/bin/sh
echo "$*" >>"$CALLS"
case $1 in
run) exit "$RUN" ;;
plot) exit "$PLOT" ;;
compare) echo "a table"; exit "$COMPARE" ;;
esac
END
chmod +x "$dir/mnlab"

# want CODE CALLS RUN PLOT COMPARE: with those exit codes of mnlab, so many calls are made and CODE comes out.
want() {
	local code calls
	: >"$dir/calls"
	mkdir -p "$dir/out"
	CALLS=$dir/calls RUN=$3 PLOT=$4 COMPARE=$5 "$script" "$dir/mnlab" a.matrix "$dir/out" >"$dir/said" 2>&1
	code=$?
	calls=$(wc -l <"$dir/calls")
	if [ "$code" != "$1" ] || [ "$calls" != "$2" ]; then
		echo "FAIL run $3, plot $4, compare $5: exit code $code, $calls calls; wanted $1, $2"
		failures=$((failures + 1))
	fi
}

want 0 3 0 0 0
if ! grep -q 'a table' "$dir/said" || ! grep -q 'a table' "$dir/out/compare-steal.txt"; then
	echo "FAIL the table is not both shown and kept"
	failures=$((failures + 1))
fi
if ! grep -qx "run a.matrix --out $dir/out" "$dir/calls"; then
	echo "FAIL run was called otherwise: $(head -n 1 "$dir/calls")"
	failures=$((failures + 1))
fi
want 1 3 1 0 0
want 1 3 1 0 3
want 0 3 0 0 1
want 0 3 0 0 3
want 4 3 0 0 4
want 2 3 1 0 2
want 2 1 2 0 0
want 4 1 4 0 0
want 130 1 130 0 0
want 2 2 0 2 0
exit $((failures > 0))
