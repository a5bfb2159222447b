#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# headers_test.sh: lint_headers.sh on a header that leans on its includer, and on a public one that C++ does not take.
. "$(dirname "$0")/selftest.sh"
arguments=("${1:-cc}" "${2:-c++}")
put sched/mn.h <<<'#include <stdint.h>
uint32_t mn_count(void);'
put sched/core/a.h <<<'#include "sched/mn.h"
_Noreturn void mn_stop(void);'
clean "good headers"
put sched/core/a.h <<<'uint32_t mn_a(void);'
finds '^sched/core/a.h:1: does not compile alone' "a type from nowhere"
drop sched/core/a.h
put sched/mn.h <<<'int mn_new(int class);'
finds '^sched/mn.h:1: does not compile alone: .*c\+\+11' "a word of C++"
put sched/mn.h <<<'int mn_new();'
finds '^sched/mn.h:1: does not compile alone: .*pedantic' "no prototype"
finish
