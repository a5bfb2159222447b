#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# lint_cppcheck.sh ROOT: cppcheck's warnings, each taken away by mending the code or by a comment beside it that says why.
# Left out: its model of POSIX (2.10 takes every anonymous mmap for a mistake and a leak); uninitvar (an array filled in a
# loop) and memleak (a pointer kept in a compound literal), which compilers and clang's analyzer do better; and
# duplicateAssignExpression (a range that begins empty) and varFuncNullUB (NULL is no integer in the C we compile).
config=$(cd "$(dirname "$0")" && pwd)/cppcheck.cfg
. "$(dirname "$0")/common.sh"
need cppcheck
our_files -name '*.c' | cppcheck --file-list=- --enable=warning,portability --std=c11 -I . \
	-D_GNU_SOURCE -D__linux__ -D__x86_64__ --library="$config" --inline-suppr \
	--suppress={missingIncludeSystem,preprocessorErrorDirective,uninitvar,memleak,duplicateAssignExpression,varFuncNullUB} \
	-j "$(nproc)" --quiet --error-exitcode=1 --template='{file}:{line}: {severity}: {message} [{id}]' 2>&1
