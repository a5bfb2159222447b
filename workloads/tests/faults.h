// SPDX-License-Identifier: MIT
// faults.h: makes the system refuse, at a chosen call, what the workloads ask of it. Works by linking with
// --wrap=malloc, calloc, aligned_alloc and pthread_create, so that only calls from our own code are concerned.
#ifndef WORKLOADS_TESTS_FAULTS_H
#define WORKLOADS_TESTS_FAULTS_H

// The allocation with that number, counted from 0 from now on, fails; negative: none does.
void fail_allocation(int number);

// pthread_create fails with EAGAIN when it is its turn in a row of so many that succeed and one that fails; negative:
// it never does; 0: always.
void fail_thread_after(int successes);

// Whether an allocation was refused since fail_allocation.
int allocation_failed(void);

#endif
