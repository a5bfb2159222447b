// SPDX-License-Identifier: MIT
// magazine.h: an array of pointers that changes hands as a whole.
//
// Free objects travel between cores in these, never as linked lists: a list threaded through the objects makes whoever
// walks it touch, one after the other, lines that are dirty in another core's cache (sched/DESIGN.md, Rejected).
#ifndef SCHED_BASE_MAGAZINE_H
#define SCHED_BASE_MAGAZINE_H

#include "sched/base/base.h"

enum { MAGAZINE_CAP = 64 };

struct magazine {
	struct magazine *next; // in a depot's list; its holder's otherwise
	uint32_t n;
	void *item[MAGAZINE_CAP];
};

#endif
