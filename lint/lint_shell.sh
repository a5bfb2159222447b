#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# lint_shell.sh ROOT: shellcheck has nothing to say about our scripts.
# Left out: SC2016 takes the $1 of awk programs for a mistake, SC2015 the plain `a && b || stop`.
. "$(dirname "$0")/common.sh"
need shellcheck
our_files -name '*.sh' -o -path ./.ci/run | xargs -r shellcheck -x -P SCRIPTDIR --exclude=SC2016,SC2015 --format=gcc
