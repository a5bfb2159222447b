// SPDX-License-Identifier: MIT
// overflow.c: telling a goroutine that used up its stack from any other fault.
//
// The pages below a stack fault when touched (stack.c). The handler runs on the M's alternate stack and looks whether the address
// lies just below the stack of the G that runs here. A frame of more than a page may jump over the guard: code built with
// -fstack-clash-protection, as ours is, touches every page on its way.
#include "sched/core/scheduler.h"

enum { BELOW = 64 << 10 }; // how far below the low end is still taken for this stack's overflow

static bool
is_overflow(void *address)
{
	struct m *m = mn_m();
	struct g *g = m ? m_g(m) : NULL;
	uintptr_t low, at = (uintptr_t)address;

	if (!g || !g->stack)
		return false;
	low = (uintptr_t)g->stack->low;
	if (at >= low || low - at > BELOW)
		return false;
	mn_throw("stack overflow in goroutine %llu (%u KiB)", (unsigned long long)g->id, 1u << (g->stack_class - 10));
}

int
mn_overflow_watch(void)
{
	return mn_os_catch_faults(is_overflow);
}
