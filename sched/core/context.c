// SPDX-License-Identifier: MIT
// context.c: making a context. The frame laid out here is what mn_context_switch of the same processor pops.
#include "sched/core/context.h"

#include <pthread.h>
#include <string.h>

#include "sched/base/check.h"

void mn_context_entry(void); // in context_ARCH.S: calls the function in the second saved register with the first

#if defined(__x86_64__)
// From low to high: r15, r14, r13, r12, rbx, rbp, return address. r12: arg, r13: fn.
enum { FRAME_WORDS = 7, FRAME_FN = 2, FRAME_ARG = 3, FRAME_RETURN = 6 };
#elif defined(__aarch64__)
// From low to high: x19..x28, x29, x30 (return address), d8..d15. x19: arg, x20: fn.
enum { FRAME_WORDS = 20, FRAME_FN = 1, FRAME_ARG = 0, FRAME_RETURN = 11 };
#endif

void
mn_context_make(struct context *c, void *bottom, void *top, void (*fn)(void *), void *arg)
{
	// 16 bytes below the aligned top stay free, so that a stack walk ends in zeros, not in a neighbour.
	uintptr_t *frame = (uintptr_t *)(((uintptr_t)top & ~(uintptr_t)15) - 16) - FRAME_WORDS;

	memset(frame, 0, FRAME_WORDS * sizeof(*frame));
	frame[FRAME_FN] = (uintptr_t)fn;
	frame[FRAME_ARG] = (uintptr_t)arg;
	frame[FRAME_RETURN] = (uintptr_t)mn_context_entry;
	c->sp = frame;
#if MN_ASAN
	__asan_unpoison_memory_region(bottom, (size_t)((char *)top - (char *)bottom));
	c->fake = NULL;
	c->bottom = bottom;
	c->size = (size_t)((char *)top - (char *)bottom);
#endif
#if MN_TSAN
	c->fiber = __tsan_create_fiber(0);
#endif
	(void)bottom;
}

void
mn_context_adopt(struct context *c)
{
#if MN_ASAN
	pthread_attr_t attr;
	void *bottom;

	CHECK(pthread_getattr_np(pthread_self(), &attr) == 0);
	CHECK(pthread_attr_getstack(&attr, &bottom, &c->size) == 0);
	pthread_attr_destroy(&attr);
	c->bottom = bottom;
#endif
#if MN_TSAN
	c->fiber = __tsan_get_current_fiber();
#endif
	(void)c;
}
