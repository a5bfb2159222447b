#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# packages.sh [--list] SET...: sees to it that the Debian or Ubuntu packages of each SET are installed.
#
# Sets: build (compiler, libraries, gnuplot), clang (second compiler and ThreadSanitizer), lint, cross (aarch64).
# When nothing is missing it costs one query of the local package database and touches no network, so every make target
# can afford it. Exit codes: 0 all there (or this is no Debian: then configure tells what is missing), 2 otherwise.
set -u

say() { printf 'packages.sh: %s\n' "$*" >&2; }

names_of() {
	case $1 in
	build) echo gcc g++ libc6-dev make cmake ninja-build pkg-config git gnuplot-nox \
		libhwloc-dev libjansson-dev libinih-dev libxxhash-dev libbenchmark-dev ;;
	clang) echo clang llvm "$(clang_runtime)" ;;
	lint) echo binutils clang-format-14 clang-tidy cppcheck shellcheck ;;
	cross) echo gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user ;;
	*) say "no package set '$1'; there are: build clang lint cross"; exit 2 ;;
	esac
}

# The sanitizer runtimes have a package of their own, except in Ubuntu 22.04, where clang brings them.
clang_runtime() {
	grep -qs '^VERSION_CODENAME=jammy' "${OS_RELEASE:-/etc/os-release}" || echo libclang-rt-dev
}

# One query for all; a package that was never installed is only absent from the answer.
missing_of() {
	local installed package
	installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null)
	for package; do
		grep -qxF "$package installed" <<<"$installed" || printf '%s ' "$package"
	done
}

refuse() {
	say "$1"
	say "install them as root: apt-get update && apt-get install --no-install-recommends $missing"
	exit 2
}

apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 "$@"; }

list=0
[ "${1-}" != --list ] || { list=1; shift; }
wanted=''
for set; do
	wanted="$wanted $(names_of "$set")" || exit 2
done
read -ra wanted <<<"$wanted"
[ $list = 0 ] || { printf '%s\n' "${wanted[@]}"; exit 0; }

command -v dpkg-query >/dev/null || { say "no Debian packages on this system; needed: ${wanted[*]}"; exit 0; }
missing=$(missing_of "${wanted[@]}")
missing=${missing% }
[ -n "$missing" ] || exit 0

as_root=()
if [ "$(id -u)" != 0 ]; then
	command -v sudo >/dev/null || refuse "missing packages: $missing; not root, and no sudo to install them with"
	as_root=(sudo)
fi
say "installing: $missing"
# An update may fail for one source and leave the others usable, so only the install decides.
apt update >&2 || say "could not refresh the package lists; trying with the old ones"
read -ra missing_list <<<"$missing"
apt install -y --no-install-recommends "${missing_list[@]}" >&2 || refuse "could not install: $missing"
