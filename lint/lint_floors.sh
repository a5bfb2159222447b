#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# lint_floors.sh ROOT: who may include whom: lower floors of sched/ or the own, and sched/mn.h from all but base. The lab
# sees nothing else, but for tests and micro-benchmarks that say "internal" in a comment, and mnlab: topology, model.
# Includes start at the root and name a file that exists; foo.c includes its foo.h first; no .c is included.
. "$(dirname "$0")/common.sh"
c_files | xargs -r awk '
BEGIN { n = split("base os core sync watch", name); for (i = 1; i <= n; i++) floors[name[i]] = i; api = n + 1 }
function bad(what) { printf "%s:%d: %s\n", FILENAME, FNR, what }
function exists(file,  line, r) { r = (getline line < file) >= 0; close(file); return r }
function floor(file,  part) {
	split(file, part, "/")
	return part[2] in floors ? floors[part[2]] : part[2] ~ /\./ ? api : 0  # 0: model, tests: beside the floors
}
function lab(i) {
	if (FILENAME ~ /^workloads\// && i ~ /^experiments\//) bad("workloads/ knows nothing of " i)
	if (i == "sched/mn.h" || i !~ /^sched\//) return
	if (FILENAME ~ /^experiments\/mnlab\// && (i == "sched/os/topo.h" || i ~ /^sched\/model\//)) return
	if (FILENAME !~ /\/tests\/|\/micro_[^\/]*$/) bad("only sched/mn.h of sched/ may be included here, not " i)
	else if (!said) bad("opens " i ": say in a comment above that it uses internals")
}
function inside(i) {
	if (i == "sched/mn.h" && FILENAME !~ /^sched\/base\//) return
	if (i !~ /^sched\//) bad("sched/ knows nothing of " i)
	else if (FILENAME ~ /^sched\/model\// && i !~ /^sched\/(model|base)\//) bad("the model includes only base, not " i)
	else if (FILENAME !~ /^sched\/model\// && (!floor(i) || floor(i) > floor(FILENAME))) bad("includes upward: " i)
}
FNR == 1 { first = 1; said = 0; own = FILENAME; own = sub(/\.c$/, ".h", own) && exists(own) ? own : "" }
/internal/ { said = 1 }
/^[ \t]*#[ \t]*include/ {
	match($0, /["<][^">]*/); i = substr($0, RSTART + 1, RLENGTH - 1)
	if (first && own && i != own) bad("must include " own " first")
	first = 0
	if ($0 !~ /"/) next
	if (i ~ /\.c$/) bad("includes a .c file: " i)
	if (!exists(i)) bad("no such file from the root: " i)
	if (FILENAME ~ /^sched\/tests\//) next
	if (FILENAME ~ /^sched\//) inside(i); else lab(i)
}' | fail_if_any
