// SPDX-License-Identifier: MIT
// context.h: a stack pointer to come back to, and the switch between two of them.
//
// The switch is a function of ours, out of line: six pushes and `ret`. It saves what the ABI says a call keeps, and no
// floating-point control words (a goroutine that changes rounding changes it for its thread). All switches of the library
// go through one call site (proc.c, leave), so that `ret` is predicted: micro_switch measures the forms.
//
// Sanitizers are told of every switch, inline in the switching function: a wrapper with a frame of its own would unbalance
// ThreadSanitizer's shadow stack.
#ifndef SCHED_CORE_CONTEXT_H
#define SCHED_CORE_CONTEXT_H

#include "sched/base/base.h"

#if MN_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if MN_TSAN
#include <sanitizer/tsan_interface.h>
#endif

// clang has its own pair for some processors only; ThreadSanitizer follows only the C library's.
#if MN_TSAN || (defined(__clang__) && !defined(__x86_64__))
#define CONTEXT_LIBC_MARK 1
#else
#define CONTEXT_LIBC_MARK 0
#endif
#if CONTEXT_LIBC_MARK
#include <setjmp.h>
#endif

struct context {
	void *sp; // valid while nobody runs on it
#if MN_ASAN
	void *fake; // the sanitizer's own record of the stack
	const void *bottom;
	size_t size;
#endif
#if MN_TSAN
	void *fiber;
#endif
};

// Saves the caller in *from, continues at to. In context_ARCH.S.
void mn_context_switch(void **from, void *to);

// Leaves the caller for good and calls fn(arg) on the stack that ends at top. fn must not return. In context_ARCH.S.
_Noreturn void mn_context_restart(void *top, void (*fn)(void *), void *arg);

// Makes *c begin with fn(arg) on the stack [bottom, top) when first switched to. fn must not return.
void mn_context_make(struct context *c, void *bottom, void *top, void (*fn)(void *), void *arg);

// Gives back what the sanitizers keep for c, a made context that will not be switched to again.
static inline void
context_forget(struct context *c)
{
#if MN_TSAN
	__tsan_destroy_fiber(c->fiber);
	c->fiber = NULL;
#endif
	(void)c;
}

// The running context is about to leave its frames behind, none of which returns. c is its record. Inline without fail, for
// the same reason as the switch.
static inline __attribute__((always_inline)) void
context_abandon_frames(struct context *c)
{
#if MN_ASAN
	__asan_handle_no_return();
#endif
#if MN_TSAN
	// A shadow stack cannot be cut short, but another one be taken.
	void *old = c->fiber;

	c->fiber = __tsan_create_fiber(0);
	__tsan_switch_to_fiber(c->fiber, 0);
	__tsan_destroy_fiber(old);
#endif
	(void)c;
}

// A place in the running context to come back to from deeper frames: set answers true, and false when somebody has gone back.
// The compiler's own pair where there is one: five words.
#if CONTEXT_LIBC_MARK
struct context_mark {
	jmp_buf buf;
};
#define context_mark_set(k)   (_setjmp((k)->buf) == 0)
#define context_go_to_mark(k) longjmp((k)->buf, 1)
#else
struct context_mark {
	void *buf[5];
};
#define context_mark_set(k)   (__builtin_setjmp((k)->buf) == 0)
#define context_go_to_mark(k) __builtin_longjmp((k)->buf, 1)
#endif

// The thread's own stack becomes a context: to be called on it, before the first switch away.
void mn_context_adopt(struct context *c);

// First thing in a made context.
static inline void
context_begun(void)
{
#if MN_ASAN
	__sanitizer_finish_switch_fiber(NULL, NULL, NULL);
#endif
}

// Switches. Returns when somebody switches back to *from, which may be on another thread; for_good: nobody will.
static inline void
context_switch(struct context *from, struct context *to, bool for_good)
{
	(void)for_good;
#if MN_ASAN
	__sanitizer_start_switch_fiber(for_good ? NULL : &from->fake, to->bottom, to->size);
#endif
#if MN_TSAN
	__tsan_switch_to_fiber(to->fiber, 0);
#endif
	mn_context_switch(&from->sp, to->sp);
#if MN_ASAN
	__sanitizer_finish_switch_fiber(from->fake, NULL, NULL);
#endif
}

#endif
