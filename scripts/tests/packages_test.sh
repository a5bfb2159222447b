#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# packages_test.sh: packages.sh against stand-ins for dpkg-query, apt-get, id and sudo that write down how they were called.
# shellcheck disable=SC2317  # says and called are used through eval
set -u
script=$(cd "$(dirname "$0")/.." && pwd)/packages.sh
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
tools=$dir/tools
failures=0

fake() {
	printf '#!/bin/sh\n%s\n' "$2" >"$tools/$1"
	chmod +x "$tools/$1"
}

# scene INSTALLED UID APT_EXIT SUDO: a machine that has the packages INSTALLED, a user, an apt-get, and perhaps sudo.
scene() {
	rm -rf "$tools"
	mkdir "$tools"
	: >"$dir/calls"
	for tool in bash sh env grep cat; do ln -s "$(command -v $tool)" "$tools/$tool"; done
	fake dpkg-query "for p in $1; do echo \"\$p installed\"; done"
	fake id "echo $2"
	fake apt-get "echo apt-get \"\$*\" >>$dir/calls; case \$* in *install*) exit $3 ;; esac"
	[ "$4" = none ] || fake sudo "echo sudo >>$dir/calls; exec \"\$@\""
}

run() {
	PATH=$tools OS_RELEASE=$dir/os-release bash "$script" "$@" >"$dir/out" 2>&1
	code=$?
}

check() {
	if ! eval "$2"; then
		printf 'FAIL %s: %s\n' "$1" "$2"
		sed 's/^/  said: /' "$dir/out"
		sed 's/^/  called: /' "$dir/calls"
		failures=$((failures + 1))
	fi
}
says() { grep -q -- "$1" "$dir/out"; }
called() { grep -q -- "$1" "$dir/calls"; }

: >"$dir/os-release"
cross='gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user'

scene "$cross" 0 0 none
run cross
check "nothing missing: no apt-get" "[ $code = 0 ] && [ ! -s $dir/calls ] && [ ! -s $dir/out ]"

scene "gcc-aarch64-linux-gnu" 0 0 none
run cross
check "root installs" "[ $code = 0 ] && called 'update' && called 'install.*libc6-dev-arm64-cross qemu-user'"
check "only what is missing" "! called 'install.*gcc-aarch64'"

scene "" 1000 0 sudo
run cross
check "sudo where there is one" "[ $code = 0 ] && called sudo && called 'install.*$cross'"

scene "" 1000 0 none
run cross
check "no sudo: says what to install" "[ $code = 2 ] && says 'apt-get install.*$cross' && [ ! -s $dir/calls ]"

scene "" 0 100 none
run cross
check "apt-get fails" "[ $code = 2 ] && says 'could not install: $cross'"

scene "" 0 0 none
rm "$tools/dpkg-query"
run cross
check "no Debian: a hint, and on" "[ $code = 0 ] && says 'needed: $cross'"

scene "" 0 0 none
run nonsense
check "unknown set" "[ $code = 2 ] && says 'there are: build'"

scene "" 0 0 none
run --list cross
check "list installs nothing" "[ $code = 0 ] && [ ! -s $dir/calls ] && says '^qemu-user$'"

scene "" 0 0 none
run --list clang
check "runtimes apart" "says '^libclang-rt-dev$'"
echo 'VERSION_CODENAME=jammy' >"$dir/os-release"
run --list clang
check "runtimes within clang" "! says libclang-rt-dev"

exit $((failures > 0))
