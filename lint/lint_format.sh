#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# lint_format.sh ROOT: clang-format 14 would change nothing. Other versions format otherwise and are not asked.
. "$(dirname "$0")/common.sh"
need clang-format-14 clang-format
"$tool" --version | grep -q 'version 14\.' || { echo "skipped: $tool is not version 14" >&2; exit 77; }
our_files -name '*.[ch]' -o -name '*.cc' | xargs -r "$tool" --dry-run -Werror --style=file || exit 1
