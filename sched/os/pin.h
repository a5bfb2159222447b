// SPDX-License-Identifier: MIT
// pin: the syntax of the option pin, apart from any machine: none, close, spread, or a list of PUs by the operating
// system's numbers, such as 0,2-5. Items run in the order written, and may repeat: 0,0 puts two Ps on PU 0 on purpose.
#ifndef SCHED_OS_PIN_H
#define SCHED_OS_PIN_H

#include <stddef.h>

enum mn_topo_pin {
	MN_TOPO_PIN_NONE,
	MN_TOPO_PIN_CLOSE,
	MN_TOPO_PIN_SPREAD,
	MN_TOPO_PIN_LIST,
};

// Largest PU number taken: eight times what the largest Linux kernel is built for, so that a slip of the hand stands out.
enum { MN_TOPO_PU_MAX = 65535 };

// One item of a list: first..last, and where it starts in the text, from 1.
struct mn_topo_range {
	int first, last, column;
};

// Which of the four pin is, by its first letters alone; a list may still be wrong inside. Unknown words count as a list.
enum mn_topo_pin mn_topo_pin_kind(const char *pin);

// Reads the item at pin[*at] and moves *at past it and its comma. Returns 1 for an item, 0 at the end, -EINVAL with one
// line in err[0..size) for anything else. Start with *at = 0; an empty list is an error, not an end.
int mn_topo_pin_next(const char *pin, size_t *at, struct mn_topo_range *range, char *err, size_t size);

// Checks the syntax alone: 0, or -EINVAL with one line in err[0..size) that names the column and what is allowed.
int mn_topo_check_pin(const char *pin, char *err, size_t size);

#endif
