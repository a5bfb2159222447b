#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# shell_test.sh: lint_shell.sh sees an unquoted variable, in a script and in .ci/run.
. "$(dirname "$0")/selftest.sh"
put good.sh <<<'#!/bin/sh
echo "$1"'
clean "a good script"
for file in bad.sh .ci/run; do
	put $file <<<'#!/bin/sh
rm -rf $1/build'
	finds "$file:2:.*SC2086" "$file"
	drop $file
done
finish
