#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# words_test.sh: lint_words.sh sees each kind of word; the bad ones are put together here so that this file stays clean.
. "$(dirname "$0")/selftest.sh"
put a.md <<<'The methods: see https://example.org/home/page and results/work/x. The XXXXXX of mktemp is no mark.'
clean "harmless text"

# marked WORDS..: a line with these pieces joined is found.
marked() {
	local IFS=''
	printf 'int x; // %s\n' "$*" | put a.c
	finds '^a.c:1:' "$*"
}
marked TO DO
marked FIX ME: later
marked X XX
marked 'not ' implemented
marked 'a st' ub
marked 'st' 'ubbed out'
marked ' /ho' me/someone/src
marked '"/wo' 'rk/main"'
marked 'see ../sh' ared/golden
printf '<<<<<<< ours\n' | put a.c
finds '^a.c:1:' "a conflict"
drop a.c
printf 'TO%s\n' DO | put build/notes.md
clean "what was built is not ours"
finish
