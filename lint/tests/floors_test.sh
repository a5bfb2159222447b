#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# floors_test.sh: each rule of lint_floors.sh, kept and broken.
. "$(dirname "$0")/selftest.sh"

for header in sched/mn.h sched/base/list.h sched/os/os.h sched/core/runq.h sched/sync/park.h sched/watch/stats.h \
	sched/model/model.h sched/os/topo.h workloads/workload.h experiments/mnlab/rows.h; do
	put "$header" </dev/null
done
put sched/core/runq.c <<<'#include "sched/core/runq.h"
#include <stdint.h>
#include "sched/mn.h"
#include "sched/os/os.h"'
put sched/api.c <<<'#include "sched/watch/stats.h"'
put experiments/mnlab/cmd_model.c <<<'#include "sched/model/model.h"'
put experiments/mnlab/cmd_topo.c <<<'#include "sched/os/topo.h"'
put sched/tests/runq_test.c <<<'#include "sched/watch/stats.h"'
put experiments/micro_ring.c <<<'// Opens internals of the ring.
#include "sched/core/runq.h"'
clean "good tree"

# broken FILE INCLUDE PATTERN: a file with that include gives that finding, and is gone again.
broken() {
	put "$1" <<<"#include $2"
	finds "^$1:1: $3" "$1 includes $2"
	drop "$1"
}
broken sched/core/a.c '"sched/sync/park.h"' 'includes upward'
broken sched/base/a.c '"sched/mn.h"' 'includes upward'
broken sched/os/linux/a.c '"sched/core/runq.h"' 'includes upward'
broken sched/core/a.h '"sched/model/model.h"' 'includes upward'
broken sched/watch/a.c '"workloads/workload.h"' 'sched/ knows nothing of'
broken sched/model/a.c '"sched/core/runq.h"' 'the model includes only base'
broken workloads/a.c '"sched/core/runq.h"' 'only sched/mn.h'
broken workloads/a.c '"experiments/mnlab/rows.h"' 'workloads/ knows nothing of'
broken experiments/micro.c '"sched/model/model.h"' 'only sched/mn.h'
broken experiments/mnlab/cmd_run.c '"sched/os/os.h"' 'only sched/mn.h'
broken experiments/micro_switch.c '"sched/core/runq.h"' 'opens .*: say'
broken workloads/tests/a_test.c '"sched/os/os.h"' 'opens .*: say'
broken sched/core/a.c '"runq.h"' 'no such file from the root'
broken sched/core/a.c '"sched/core/runq.c"' 'includes a .c file'
put sched/core/wake.h </dev/null
broken sched/core/wake.c '"sched/core/runq.h"' 'must include sched/core/wake.h first'
broken sched/core/wake.c '<stdint.h>' 'must include sched/core/wake.h first'
clean "all mended"
finish
