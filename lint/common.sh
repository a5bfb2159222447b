# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# common.sh: what the lint scripts share. Each is called as `lint_NAME.sh ROOT ..`, prints one line a finding
# (file:line: what, relative to ROOT) and exits 0 clean, 1 findings, 2 usage, 77 when the tool that it needs is absent.
set -u
root=${1:?"usage: $0 ROOT"}
cd "$root" || exit 2

# All files of these kinds, without what was built or measured.
our_files() {
	find . -name .git -prune -o -path ./build -prune -o -path ./results -prune -o -type f \( "$@" \) -print |
		sed 's|^\./||' | LC_ALL=C sort
}
c_files() { our_files -name '*.[ch]'; }

# need NAME..: the first of these commands that exists goes into $tool; none: the check is skipped.
need() {
	for tool; do
		command -v "$tool" >/dev/null && return
	done
	echo "skipped: no $1 here" >&2
	exit 77
}

# fail_if_any: the findings on stdin become the exit code. An empty list is a pass.
fail_if_any() {
	local findings
	findings=$(cat)
	[ -z "$findings" ] || { printf '%s\n' "$findings"; exit 1; }
	exit 0
}
