// SPDX-License-Identifier: MIT
// threads.h: the 1:1 baseline: one operating-system thread for each task, as a program without M:N would do it.
#ifndef WORKLOADS_THREADS_H
#define WORKLOADS_THREADS_H

enum {
	THREADS_ALIVE_MAX = 512, // at once: beyond, the oldest is joined before the next starts
	THREADS_STACK_KB = 64,   // as much as libmn reserves for a goroutine by default
};

// Calls fn(context, i) for every i in 0..n-1, each on a thread of its own, and waits for all. When the system has no
// more threads to give, it makes do with those that it has. Returns 0, or -errno when not even one can be started
// (then some i were not called).
int threads_run(long n, void (*fn)(void *context, long i), void *context);

#endif
