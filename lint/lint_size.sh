#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# lint_size.sh ROOT: no source file over 500 lines, no C function over 70 (from its { to its }, both in the first column).
. "$(dirname "$0")/common.sh"
our_files -name '*.[chS]' -o -name '*.cc' -o -name '*.sh' -o -name '*.gp' -o -name '*.cmake' | xargs -r awk '
FNR == 501 { print FILENAME ":501: over 500 lines: one clear subject each?" }
/^{/ { start = FNR }
/^}$/ { if (start && FNR - start - 1 > 70) print FILENAME ":" start ": function of " FNR - start - 1 " lines; 70 at most" }
/^}/ { start = 0 }
FNR == 1 { start = 0 }
' | fail_if_any
