// SPDX-License-Identifier: MIT
// base.h: the few words that every file of the library uses. Knows nothing of scheduling.
#ifndef SCHED_BASE_BASE_H
#define SCHED_BASE_BASE_H

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What two cores must not write at once. Two lines, because the adjacent-line prefetcher of x86 pulls lines in pairs.
enum { CACHE_LINE = 128 };

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

#define array_len(a) (sizeof(a) / sizeof((a)[0]))

#define NOINLINE __attribute__((noinline))

// Which sanitizer the code is compiled for: gcc says it by a macro, clang by __has_feature.
#ifdef __has_feature
#define MN_HAS_FEATURE(x) __has_feature(x)
#else
#define MN_HAS_FEATURE(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || MN_HAS_FEATURE(address_sanitizer)
#define MN_ASAN 1
#else
#define MN_ASAN 0
#endif
#if defined(__SANITIZE_THREAD__) || MN_HAS_FEATURE(thread_sanitizer)
#define MN_TSAN 1
#else
#define MN_TSAN 0
#endif

#endif
