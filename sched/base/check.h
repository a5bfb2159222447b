// SPDX-License-Identifier: MIT
// check.h: what to do when an invariant is broken.
//
// CHECK stays in every build: cheap and decisive. DCHECK is compiled in by MN_DEBUG: anything that costs. Both, and
// mn_throw itself, print one "fatal error: .." line on stderr and end the process with status 2, as Go does.
#ifndef SCHED_BASE_CHECK_H
#define SCHED_BASE_CHECK_H

#include "sched/base/base.h"

// The text, without a newline; printf forms. First calls the hook, if one is set, to show the state.
_Noreturn void mn_throw(const char *format, ...) __attribute__((format(printf, 1, 2), cold));

// Called once by mn_throw after its line is out. Whoever can show more (a state dump) sets it; NULL takes it away.
void mn_throw_hook(void (*hook)(void));

#define CHECK(condition)                                                               \
	do {                                                                           \
		if (unlikely(!(condition)))                                            \
			mn_throw("%s:%d: broken: %s", __FILE__, __LINE__, #condition); \
	} while (0)

#if defined(MN_CHECK) && MN_CHECK >= 2
#define DCHECK(condition) CHECK(condition)
#else
#define DCHECK(condition) ((void)sizeof(condition))
#endif

#endif
