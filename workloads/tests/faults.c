// SPDX-License-Identifier: MIT
// faults.c: the wrapped calls. Allocations are refused while one thread sets workloads up: no lock is needed.
#include "workloads/tests/faults.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
int __real_pthread_create(pthread_t *id, const pthread_attr_t *attr, void *(*fn)(void *), void *arg);
int __wrap_pthread_create(pthread_t *id, const pthread_attr_t *attr, void *(*fn)(void *), void *arg);

static int allocations_left = -1, refused;
static _Atomic int threads_in_row = -1, threads_left; // trees start threads from threads

void
fail_allocation(int number)
{
	allocations_left = number;
	refused = 0;
}

int
allocation_failed(void)
{
	return refused;
}

void
fail_thread_after(int successes)
{
	threads_in_row = threads_left = successes;
}

static int
refuse_allocation(void)
{
	if (allocations_left < 0 || allocations_left-- > 0)
		return 0;
	refused = 1;
	return 1;
}

void *
__wrap_malloc(size_t size)
{
	return refuse_allocation() ? NULL : __real_malloc(size);
}

void *
__wrap_calloc(size_t n, size_t size)
{
	return refuse_allocation() ? NULL : __real_calloc(n, size);
}

void *
__wrap_aligned_alloc(size_t alignment, size_t size)
{
	return refuse_allocation() ? NULL : __real_aligned_alloc(alignment, size);
}

int
__wrap_pthread_create(pthread_t *id, const pthread_attr_t *attr, void *(*fn)(void *), void *arg)
{
	if (threads_in_row >= 0 && threads_left-- == 0) {
		threads_left = threads_in_row;
		return EAGAIN;
	}
	return __real_pthread_create(id, attr, fn, arg);
}
