#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# edges_test.sh: lint_edges.sh on labels with one end, unknown labels, and orders outside atomic.h.
. "$(dirname "$0")/selftest.sh"

put sched/base/atomic.h <<<'#include <stdatomic.h>
#define load_acquire(p) atomic_load_explicit(p, memory_order_acquire)'
put sched/core/runq.c <<<'	// RQ1: pairs with the load in grab.
	store_release(&q->head, h);
	h = load_acquire(&q->head); // RQ1: slots before this are free
	// WK1: the queue store must be visible before nspinning is read; the mirror is WK2.
	x86(XMM16, AVX512); // clobbers XMM16 and UTF8x'
put sched/core/wake.c <<<'	// WK2: mirror of WK1.'
clean "both ends labelled"

put sched/core/a.c <<<'	// GQ1: pairs with nobody'
finds '^sched/core/a.c:1: edge GQ1 stands on this line only' "one end"
put sched/core/a.c <<<'	x = load_acquire(&y); // GQ1'
finds '^sched/core/a.c:1: edge GQ1 stands on this line only' "one end, without a colon"
put sched/core/a.c <<<'	// The other end is RQ7.'
finds '^sched/core/a.c:1: edge RQ7 stands' "a mention of nothing"
put sched/core/a.c <<<'	// GQ1: and GQ1 again on the same line'
finds 'edge GQ1 stands' "twice on one line"
put sched/core/a.S <<<'	mov %rax, (%rdi) // CX1'
finds '^sched/core/a.S:1: edge CX1 stands' "in assembly"
drop sched/core/a.S
put sched/core/a.c <<<'	v = atomic_load_explicit(p, memory_order_relaxed);'
finds '^sched/core/a.c:1:.*atomic.h only' "an order by its C name"
put sched/core/a.c <<<'#include <stdatomic.h>'
finds '^sched/core/a.c:1:.*atomic.h only' "stdatomic.h"
put sched/core/a.c <<<'	__atomic_store_n(p, 1, 0);'
finds '^sched/core/a.c:1:.*atomic.h only' "a compiler's builtin"
drop sched/core/a.c
clean "all mended"
finish
