#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# lint_words.sh ROOT: no file calls itself unfinished, and none holds a path of somebody's machine or of a folder beside
# the checkout, or an unmerged conflict. The patterns are written so that they do not match themselves.
. "$(dirname "$0")/common.sh"
unfinished='\b(TO[D]O|FIX[M]E|X[X]X|HA[C]K|not[ ]implemented|st[u]b(s|bed)?)\b'
machine='(^|[^A-Za-z0-9_.])/(home|root|work|Users)/[A-Za-z]'
elsewhere='[.][.]/sh[a]red/'
conflict='^(<<<<<<<|>>>>>>>) '
our_files ! -name '*.svg' ! -name '*.png' | tr '\n' '\0' |
	xargs -0 -r grep -nHIE "$unfinished|$machine|$elsewhere|$conflict" | fail_if_any
