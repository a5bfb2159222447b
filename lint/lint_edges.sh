#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# lint_edges.sh ROOT: memory-order edges. A label such as RQ1: in a comment of sched/ names one end of a pairing; it must
# stand at the other end too, so each label needs two lines, and a mention of an edge needs a label that exists.
# memory_order_* and <stdatomic.h> belong to sched/base/atomic.h alone.
. "$(dirname "$0")/common.sh"
sources() { c_files | grep '^sched/' | grep -v '^sched/tests/'; }
{
	sources | grep -v '^sched/base/atomic\.h$' |
		xargs -r grep -nHE 'memory_order_[a-z]|stdatomic\.h|__atomic_|__sync_|atomic_thread_fence' |
		sed 's/$/   <- orders are named in sched\/base\/atomic.h only/'
	sources | xargs -r awk '
	{
		if (!match($0, /\/\/.*|^[ \t]*\*.*/)) next
		text = substr($0, RSTART); here = FILENAME ":" FNR
		delete seen
		while (match(text, /[A-Z][A-Z][0-9]+:?/)) {
			before = RSTART > 1 ? substr(text, RSTART - 1, 1) : " "
			word = substr(text, RSTART, RLENGTH); text = substr(text, RSTART + RLENGTH)
			if (before ~ /[A-Za-z0-9_]/ || text ~ /^[A-Za-z0-9_]/) continue
			label = word; sub(/:/, "", label)
			if (word ~ /:/) { defined[label] = 1; family[substr(label, 1, 2)] = 1 }
			if (!(label in seen)) { lines[label]++; if (!(label in where)) where[label] = here }
			seen[label] = 1
		}
	}
	END {
		for (l in lines) {
			if (!(l in defined) && (substr(l, 1, 2) in family)) print where[l] ": edge " l " is mentioned, but no comment begins with " l ":"
			if ((l in defined) && lines[l] < 2) print where[l] ": edge " l " has one end only"
		}
	}' | LC_ALL=C sort
} | fail_if_any
