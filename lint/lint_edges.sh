#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# lint_edges.sh ROOT: memory-order edges. A label such as RQ1 at the start of a comment of sched/, or with a colon, names one
# end of a pairing and must stand at the other end too: every label of such a family of letters needs two lines.
# memory_order_* and <stdatomic.h> belong to sched/base/atomic.h alone.
. "$(dirname "$0")/common.sh"
sources() { our_files -name '*.[chS]' | grep '^sched/' | grep -v '^sched/tests/'; }
{
	sources | grep -v '^sched/base/atomic\.h$' |
		xargs -r grep -nHE 'memory_order_[a-z]|stdatomic\.h|__atomic_|__sync_|atomic_thread_fence' |
		sed 's/$/   <- orders are named in sched\/base\/atomic.h only/'
	sources | xargs -r awk '
	match($0, /\/\/.*/) {
		text = substr($0, RSTART + 2)
		if (text ~ /^[ \t]*[A-Z][A-Z][0-9]+/) { sub(/^[ \t]*/, "", text); family[substr(text, 1, 2)] = 1 }
		text = " " text
		delete seen
		while (match(text, /[^A-Za-z0-9_][A-Z][A-Z][0-9]+/)) {
			label = substr(text, RSTART + 1, RLENGTH - 1); text = substr(text, RSTART + RLENGTH)
			if (text ~ /^[A-Za-z0-9_]/) continue
			if (text ~ /^:/) family[substr(label, 1, 2)] = 1
			if (!(label in seen)) lines[label]++
			seen[label] = 1
			where[label] = FILENAME ":" FNR
		}
	}
	END {
		for (l in lines) {
			if ((substr(l, 1, 2) in family) && lines[l] < 2) print where[l] ": edge " l " stands on this line only; where is its other end?"
		}
	}' | LC_ALL=C sort
} | fail_if_any
