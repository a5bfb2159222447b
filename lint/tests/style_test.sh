#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# style_test.sh: each rule of lint_style.sh, kept and broken.
. "$(dirname "$0")/selftest.sh"
licence='// SPDX-License-Identifier: MIT'
put a.c <<<"$licence"'
typedef void (*mn_fn)(void *arg);
struct x {
	uint64_t n;
};
int
f(void)
{
	return sched_yield() + puts("/* text */"); // a remark with /* in it
}
#if 0x10 > 3
#endif'
put b.sh <<<'#!/bin/sh
# SPDX-License-Identifier: MIT'
clean "good files"

# broken PATTERN LINE: a C file with that second line gives that finding.
broken() {
	printf '%s\n%s\n' "$licence" "$2" | put c.c
	finds "^c.c:2: .*$1" "$2"
	drop c.c
}
broken 'written with //' 'int x; /* count */'
broken 'switched off' '#if 0'
broken 'typedef' 'typedef struct task task;'
broken '_t names' 'struct task_t {'
broken 'prefix' 'sched_run(void)'
broken 'prefix' 'gmp_new(int n)'
broken 'space at the end' 'int x; '
for file in c.c c.h c.S c.cc c.sh c.gp CMakeLists.txt; do
	put $file <<<'int x;'
	finds "^$file:1: no SPDX" "$file without a licence"
	drop $file
done
finish
