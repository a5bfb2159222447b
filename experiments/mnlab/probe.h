// SPDX-License-Identifier: MIT
// probe.h: how fast two cores talk to each other at this moment.
//
// Virtual machines have episodes, seconds to minutes long, in which a line goes from core to core four times as slowly,
// and everything that crosses cores with it. The rows carry what this probe says, so that they can be told apart.
#ifndef EXPERIMENTS_MNLAB_PROBE_H
#define EXPERIMENTS_MNLAB_PROBE_H

// Median time for one cache line there and back between two processors, ns; 0 when it cannot be had (only one of them
// may be used, or somebody else holds one). Takes 1 to 3 ms.
double probe_core_to_core(int pu_a, int pu_b);

#endif
