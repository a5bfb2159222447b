// SPDX-License-Identifier: MIT
// fake_ps.h: Ps without Ms, for tests that drive queues and thefts by hand: mn_sched set up as mn_run would, each P then in
// the hand of one test thread.
#ifndef SCHED_TESTS_FAKE_PS_H
#define SCHED_TESTS_FAKE_PS_H

#include "sched/core/scheduler.h"

// Ends the program with a message when it cannot.
void fake_ps_start(uint32_t nprocs, int cap, int steal, int victim, uint64_t seed);
void fake_ps_stop(void);

#endif
