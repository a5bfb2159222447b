// SPDX-License-Identifier: MIT
// affinity: the set of CPUs that the kernel lets a thread run on, as a mask of whatever length this kernel has, and the
// default number of Ps that follows from it. No hwloc here.
#ifndef SCHED_OS_AFFINITY_H
#define SCHED_OS_AFFINITY_H

#include <stdbool.h>
#include <stddef.h>

// The calling thread's mask, to be given back to it, or to a thread that must not inherit its creator's binding. save
// allocates; restore can be called many times and from any thread; free takes NULL. 0 or -errno.
struct mn_topo_mask;
int mn_topo_save_self(struct mn_topo_mask **saved);
int mn_topo_restore_self(const struct mn_topo_mask *saved);
void mn_topo_mask_free(struct mn_topo_mask *saved);

// How many CPUs it has, and whether it has this one.
int mn_topo_mask_count(const struct mn_topo_mask *saved);
bool mn_topo_mask_has(const struct mn_topo_mask *saved, int pu);

// The default number of Ps, 1..MN_PROCS_MAX: the CPUs of the calling thread's mask, or the cgroup's quota if that is
// smaller (cgroup.h tells how it is rounded). why[0..size) says which, and names the file.
int mn_default_procs(char *why, size_t size);

#endif
