// SPDX-License-Identifier: MIT
// affinity: the kernel's own calls rather than hwloc's: they need no topology loaded, and a borrowed thread gets back bit
// for bit the mask that it came with, whereas hwloc widens a mask that covers all it knows of.
#include "sched/os/affinity.h"

#include "sched/base/base.h"
#include "sched/mn.h"
#include "sched/os/cgroup.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>

// Where the search for the mask's length ends: 128 times what the largest Linux kernel is built for.
enum { MOST_CPUS = 1 << 20 };

struct mn_topo_mask {
	size_t size; // of mask, in bytes
	cpu_set_t *mask;
};

int
mn_topo_save_self(struct mn_topo_mask **saved)
{
	struct mn_topo_mask *s = calloc(1, sizeof(*s));
	int rc = -EINVAL;

	if (!s)
		return -ENOMEM;
	// The kernel says EINVAL while the mask is shorter than its own; it does not tell how long that is.
	for (size_t cpus = CPU_SETSIZE; rc == -EINVAL && cpus <= MOST_CPUS; cpus *= 2) {
		CPU_FREE(s->mask);
		s->size = CPU_ALLOC_SIZE(cpus);
		s->mask = CPU_ALLOC(cpus);
		if (!s->mask)
			rc = -ENOMEM;
		else
			rc = sched_getaffinity(0, s->size, s->mask) ? -errno : 0;
	}
	if (rc) {
		mn_topo_mask_free(s);
		return rc;
	}
	*saved = s;
	return 0;
}

int
mn_topo_restore_self(const struct mn_topo_mask *saved)
{
	return sched_setaffinity(0, saved->size, saved->mask) ? -errno : 0;
}

int
mn_topo_mask_count(const struct mn_topo_mask *saved)
{
	return CPU_COUNT_S(saved->size, saved->mask);
}

bool
mn_topo_mask_has(const struct mn_topo_mask *saved, int pu)
{
	return pu >= 0 && CPU_ISSET_S((size_t)pu, saved->size, saved->mask);
}

void
mn_topo_mask_free(struct mn_topo_mask *saved)
{
	if (saved)
		CPU_FREE(saved->mask);
	free(saved);
}

int
mn_default_procs(char *why, size_t size)
{
	struct mn_topo_mask *mask;
	int cpus = 1;

	if (mn_topo_save_self(&mask) == 0) {
		cpus = mn_topo_mask_count(mask);
		mn_topo_mask_free(mask);
	}
	return mn_cgroup_default_procs("", cpus, MN_PROCS_MAX, why, size);
}
