#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# lint_symbols.sh ROOT [LIBRARY]: every symbol that LIBRARY (libmn.a) defines for others begins with mn_, and no file is
# called sched.h: found before libc's, it would break <pthread.h>, as a sched_yield of ours would replace libc's.
. "$(dirname "$0")/common.sh"
library=${2-}
need nm
{
	our_files -name sched.h | sed 's/$/:1: no file may be called sched.h/'
	[ -z "$library" ] || nm -g --defined-only "$library" 2>&1 |
		awk '/^[^ ]+:$/ { member = $1; next }
			NF == 0 { next }
			$3 ~ /^mn_/ { ours++; next }
			{ print member " external symbol without mn_: " $0 }
			END { if (!ours) print "no mn_ symbol in the library: is it one?" }'
} | fail_if_any
