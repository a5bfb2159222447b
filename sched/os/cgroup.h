// SPDX-License-Identifier: MIT
// cgroup: how many CPUs' worth of time this process may use, as its control groups say, and what follows for the default
// number of Ps. Knows nothing of topology; see topo.h for mn_default_procs, which asks the kernel for the rest.
#ifndef SCHED_OS_CGROUP_H
#define SCHED_OS_CGROUP_H

#include <stddef.h>

// The CPU quota of this process's cgroup and of every group above it, whichever is smallest, in whole CPUs, rounded up.
// 0: no quota, or none that can be understood. where[0..size) then is ""; else it names the file and what it says:
// "250000/100000 us in /sys/fs/cgroup/a/cpu.max". root stands in front of every path that is read: "" for the real one.
int mn_cgroup_cpus(const char *root, char *where, size_t size);

// The default number of Ps for a process that may run on affinity CPUs: that number, or the quota under root if it is
// smaller. A quota below 2 counts as 2, as in Go: with one P and a quota to match, a single goroutine that hogs its
// slice, or one thread in the kernel, stalls everything else. At least 1, at most max. why names the source.
int mn_cgroup_default_procs(const char *root, int affinity, int max, char *why, size_t size);

#endif
