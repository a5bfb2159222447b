#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# model_run_test.sh MNLAB GOLDEN: `mnlab model` as a user meets it: runs, steps, cases written and read back, the terminal,
# and one clear line for each argument that is wrong.
set -u
mnlab=$1 golden=$2
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failures=0

fail() {
	printf '%s\n' "FAIL: $*" >&2
	failures=$((failures + 1))
}

# same NAME EXPECTED GOT
same() {
	[ "$2" = "$3" ] || fail "$1: expected \"$2\", got \"$3\""
}

# ---- Runs: without arguments it is the golden file's first case, so what it shows is known.
demo=$("$mnlab" model) || fail "exit $?"
same rounds 6 "$(grep -c '^round ' <<<"$demo")"
same sum '6 goroutines done at clock 10, after 3 steals' "$(tail -n 2 <<<"$demo" | head -n 1)"
same busy '24 ticks run in 30 there were: 80 % busy' "$(tail -n 1 <<<"$demo")"
grep -q '^P1  *steals 3 from P0, runs B for 2$' <<<"$demo" || fail "no steal in: $demo"
same spelling "$demo" "$("$mnlab" model --procs 3 --quantum=2 --cap 6 --spawn A:4 --spawn B:4@0 C:4+0 D:4@0+0 E:4 F:4)"
same trace "$(sed -n '2,/^end/p' "$golden" | grep '^trace ')" "$("$mnlab" model --trace | grep '^trace ')"
same plain '' "$(tr -d '\n -~' <<<"$demo")"

# A goroutine that comes after all others are done: the clock stands still until then.
"$mnlab" model A:1 B:2+9 >"$dir/out" || fail "exit $?"
grep -qx 'nothing to do until round 9' "$dir/out" || fail "no word about the gap"
grep -q '^round 9, clock 2 ' "$dir/out" || fail "the clock did not stand still"
same busy '3 ticks run in 12 there were: 25 % busy' "$(tail -n 1 "$dir/out")"

# ---- Cases: what --golden writes, --check reads; and the first golden case comes out as it stands in the file.
"$mnlab" model --golden >"$dir/case" || fail "exit $?"
same case "$(sed -n '3,/^end/p' "$golden")" "$(tail -n +2 "$dir/case")"
"$mnlab" model --golden --procs 5 --cap 1 --quantum 3 A:4 B:9@4 C:1+7 D:30@2 E:5@2 F:6@2+1 >>"$dir/case"
same check '2 passed, 0 failed' "$("$mnlab" model --check "$dir/case")"

# ---- Steps: Enter goes on, q ends, the end of the input runs on.
same enter "$demo" "$(printf '\n\n\n\n\n\n\n' | "$mnlab" model --step)"
same eof "$demo" "$("$mnlab" model --step </dev/null)"
same 'enter, then eof' "$demo" "$(printf '\n' | "$mnlab" model --step)"
same 'text and eof without enter' "$demo" "$(printf 'go on' | "$mnlab" model --step)"
for keys in 'q' 'q\n' 'quit\n\n'; do
	out=$(printf '%b' "$keys" | "$mnlab" model --step) || fail "exit $? after $keys"
	same "$keys" 1 "$(grep -c '^round ' <<<"$out")"
done
same '\nq' 2 "$(printf '\nq\n' | "$mnlab" model --step | grep -c '^round ')"

# ---- Terminal: script(1) gives the command one, of the width that we say.
terminal() {
	COLUMNS='' LC_ALL=C.UTF-8 SHELL=/bin/bash script -qec "stty cols $1; $2 '$mnlab' model ${3:-}" /dev/null </dev/null | tr -d '\r'
}
if command -v script >/dev/null; then
	esc=$(printf '\033')
	terminal 120 'TERM=xterm NO_COLOR=' >"$dir/color"
	grep -q "$esc\[33msteals 3 from P0$esc\[0m" "$dir/color" || fail "no colour in a terminal"
	grep -q '░' "$dir/color" || fail "no blocks in a UTF-8 terminal"
	for set in 'TERM=xterm NO_COLOR=1' 'TERM=dumb' 'env -u TERM'; do
		terminal 120 "$set" >"$dir/out"
		! grep -q "$esc" "$dir/out" || fail "colours with $set"
	done
	terminal 60 'TERM=xterm NO_COLOR=1' '--procs 12 --cap 20 {a..z}:100 goroutine_{a..z}:20' >"$dir/out"
	wide=$(sed 's/[█░]/x/g' "$dir/out" | awk 'length > 60' | head -n 1)
	same 'lines wider than 60' '' "$wide"
	grep -q 'P0 .* +[0-9]*$' "$dir/out" || fail "a queue too long for its line is not cut"
else
	echo "no script(1): the terminal is not tested" >&2
fi

# ---- Wrong arguments: status 2, nothing on standard output, one line on standard error.
# refuse LINE ARGUMENT..: without the program's name, which comes first.
refuse() {
	local line=$1 status
	shift
	"$mnlab" model "$@" >"$dir/out" 2>"$dir/err" </dev/null
	status=$?
	same "status of $*" 2 "$status"
	same "output of $*" '' "$(cat "$dir/out")"
	same "error of $*" "mnlab model: $line" "$(cat "$dir/err")"
}
for n in 0 1025 -1 x '' 3x 1.5 99999999999999999999; do
	refuse "--procs \"$n\": expected a whole number from 1 to 1024" --procs "$n"
done
refuse '--quantum "0": expected a whole number from 1 to 2147483647' --quantum 0
refuse '--quantum "2147483648": expected a whole number from 1 to 2147483647' --quantum=2147483648
refuse '--cap "0": expected a whole number from 1 to 2147483647' --cap 0
form='NAME:WORK[@P][+ROUND], NAME of at most 32 letters, digits and _, WORK 1..2147483647'
refuse "goroutine \"A\": expected $form" --spawn A
refuse "goroutine \"A:0\": expected $form" A:0
refuse "goroutine \"A:4@x\": expected $form" --spawn A:4@x
refuse 'A "@3": expected a P from @0 to @2' A:4@3
refuse 'B "@1": expected a P from @0 to @0' A:4 B:4@1 --procs 1
options='--procs N, --quantum N, --cap N, --spawn NAME:WORK[@P][+ROUND], --step, --trace, --golden, --check FILE.. or --help'
refuse "unknown option, or one without its value, \"--prox=3\": expected $options" --prox=3
refuse "unknown option, or one without its value, \"--procs\": expected $options" --procs
refuse "unknown option, or one without its value, \"-xy\": expected $options" -xy
refuse 'option "--check": expected at least one golden FILE behind it' --check
refuse 'option "--check": expected golden files behind it, and no option of a run' --check "$golden" --step
refuse 'option "--check": expected golden files behind it, and no option of a run' --spawn A:1 --check "$golden"
refuse 'option "--golden": expected neither --step nor --trace beside it' --golden --trace

# ---- Help, and a full disk.
"$mnlab" model --help | grep -q 'NAME:WORK' || fail "no help"
"$mnlab" model >/dev/full 2>"$dir/err"
same 'status of a full disk' 1 "$?"
same 'full disk' 'mnlab model: cannot write to standard output: No space left on device' "$(cat "$dir/err")"

[ "$failures" -eq 0 ] || exit 1
echo "all as it should be"
