// SPDX-License-Identifier: MIT
// interrupt.h: SIGINT, SIGTERM and SIGHUP as a question that the runner asks when it suits it.
#ifndef EXPERIMENTS_MNLAB_INTERRUPT_H
#define EXPERIMENTS_MNLAB_INTERRUPT_H

#include <signal.h>
#include <stdbool.h>

// Blocks the three signals, and takes note of them whenever interrupt_mask() is waited with (ppoll). A signal that the
// caller's parent ignores stays ignored.
void interrupt_init(void);
bool interrupted(void);

// The mask to wait with, and to give to a child: the one that the process began with.
const sigset_t *interrupt_mask(void);

#endif
