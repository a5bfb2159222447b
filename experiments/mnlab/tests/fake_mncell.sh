#!/bin/sh
# SPDX-License-Identifier: MIT
# fake_mncell.sh: stands in for mncell in tests of the runner. What it does, the number of tasks says. It lists its calls in
# a file beside itself, so that a test can count them.
here=${0%/*}
tasks=1 runtime=mn evidence=/dev/null samples='' wall=100000000
for word in "$@"; do
	case $word in
	--calibrate) echo calibrate >>"$here/calls"; echo '{"rate": 500.25}'; exit 0 ;;
	tasks=*) tasks=${word#*=} ;;
	--runtime=*) runtime=${word#*=} ;;
	--evidence=*) evidence=${word#*=} ;;
	--sample_file=*) samples=${word#*=} ;;
	esac
done
echo "$*" >>"$here/calls"
[ "$runtime" = serial ] && wall=150000000

answer() {
	printf '{"wall_ns": %s, "cpu_ns": %s, "tasks": %s, "checksum": "0123456789abcdef"%s}\n' \
		"$wall" 100000000 "$tasks" "$1" >"$evidence"
}

# Uses the CPU on nobody's account: the child of a child that nobody waits for.
burn_aside() {
	(
		i=0
		while [ $i -lt 100000000 ]; do i=$((i + 1)); done
	) &
	sleep 0.4
}

[ -n "$samples" ] && printf 't_us\tglobal\tp0\n1000\t0\t5\n' >"$samples"
[ "$runtime" = serial ] && { answer ""; exit 0; }
case $tasks in
11) echo "it broke" >&2; exit 1 ;;
12) echo "about to hang" >&2; trap 'echo "P0: running" >&2; exit 3' QUIT; while :; do sleep 0.01; done ;;
13) echo "fatal error: all goroutines are asleep - deadlock!" >&2; exit 2 ;;
14) answer ', "invalid": "spawned 3, finished 2"'; exit 4 ;;
15) wall=1000 answer "" ;;
16) : ;; # says nothing
17) echo '{"wall_ns": ' >"$evidence" ;;
18) kill -SEGV $$ ;;
19) burn_aside; answer "" ;;
20) sleep 0.02; answer "" ;;
21) echo $$ >"$here/pid"; exec sleep 1000 ;;
22) [ -e "$here/healed" ] || exit 1; answer "" ;;
*) answer "" ;;
esac
