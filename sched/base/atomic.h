// SPDX-License-Identifier: MIT
// atomic.h: every atomic operation of the library, with its order in its name.
//
// No other file names a memory_order or includes <stdatomic.h>. Two reasons. The order is then read at the place of use,
// where the comment explains it. And one place exists where each access to shared memory can be seen: a build for another
// substrate can make every one of these a scheduling point without a change anywhere else.
//
// Words are declared with _Atomic. Arguments are evaluated once. A CAS takes a pointer to the expected value, which a
// failure overwrites with what was found; a failed CAS orders nothing.
//
// Publication is by release and acquire on the operations themselves, never by fences (ThreadSanitizer does not follow
// fences). The one fence is the store-load fence, needed where two sides each store one word and then load the other's.
#ifndef SCHED_BASE_ATOMIC_H
#define SCHED_BASE_ATOMIC_H

#include <stdatomic.h>

#include "sched/base/base.h"

#define load_relaxed(p) atomic_load_explicit(p, memory_order_relaxed)
#define load_acquire(p) atomic_load_explicit(p, memory_order_acquire)
#define load_seq_cst(p) atomic_load_explicit(p, memory_order_seq_cst)

#define store_relaxed(p, v) atomic_store_explicit(p, v, memory_order_relaxed)
#define store_release(p, v) atomic_store_explicit(p, v, memory_order_release)
#define store_seq_cst(p, v) atomic_store_explicit(p, v, memory_order_seq_cst)

#define xchg_acquire(p, v) atomic_exchange_explicit(p, v, memory_order_acquire)
#define xchg_release(p, v) atomic_exchange_explicit(p, v, memory_order_release)
#define xchg_acq_rel(p, v) atomic_exchange_explicit(p, v, memory_order_acq_rel)

#define add_relaxed(p, v) atomic_fetch_add_explicit(p, v, memory_order_relaxed)
#define add_acq_rel(p, v) atomic_fetch_add_explicit(p, v, memory_order_acq_rel)
#define add_seq_cst(p, v) atomic_fetch_add_explicit(p, v, memory_order_seq_cst)
#define sub_acq_rel(p, v) atomic_fetch_sub_explicit(p, v, memory_order_acq_rel)
#define sub_seq_cst(p, v) atomic_fetch_sub_explicit(p, v, memory_order_seq_cst)
#define or_relaxed(p, v)  atomic_fetch_or_explicit(p, v, memory_order_relaxed)
#define and_relaxed(p, v) atomic_fetch_and_explicit(p, v, memory_order_relaxed)

#define cas_with(p, expected, v, order) \
	atomic_compare_exchange_strong_explicit(p, expected, v, order, memory_order_relaxed)
#define cas_relaxed(p, expected, v) cas_with(p, expected, v, memory_order_relaxed)
#define cas_acquire(p, expected, v) cas_with(p, expected, v, memory_order_acquire)
#define cas_release(p, expected, v) cas_with(p, expected, v, memory_order_release)
#define cas_acq_rel(p, expected, v) cas_with(p, expected, v, memory_order_acq_rel)
#define cas_seq_cst(p, expected, v) cas_with(p, expected, v, memory_order_seq_cst)

// A figure with one writer, read by others for information only: no read-modify-write, no order, and on no account a
// means of communication (a build that makes the operations above scheduling points leaves this one alone).
#define tally_add(p, v) store_relaxed(p, load_relaxed(p) + (v))
#define tally_get(p)    load_relaxed(p)
#define tally_set(p, v) store_relaxed(p, v)

// What stands before is visible to all before anything after is read. On x86 a locked operation on the own stack is the
// cheapest way to say it; mfence, which some compilers emit here, waits for more.
static inline void
fence_store_load(void)
{
#if defined(__x86_64__) && !MN_TSAN
	__asm__ volatile("lock; orq $0, (%%rsp)" ::: "memory", "cc");
#else
	atomic_thread_fence(memory_order_seq_cst);
#endif
}

// In a loop that waits for another core.
static inline void
cpu_pause(void)
{
#if defined(__x86_64__)
	__asm__ volatile("pause" ::: "memory");
#elif defined(__aarch64__)
	__asm__ volatile("yield" ::: "memory");
#endif
}

#endif
