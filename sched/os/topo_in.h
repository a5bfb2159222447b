// SPDX-License-Identifier: MIT
// topo_in: the inside of struct mn_topo, for topo.c and topo_plan.c alone.
#ifndef SCHED_OS_TOPO_IN_H
#define SCHED_OS_TOPO_IN_H

#include "sched/os/topo.h"

// Where a PU stands: hwloc's logical numbers of what it is part of, -1 for what the machine does not tell of.
struct mn_topo_place {
	int os;      // the operating system's number of the PU
	int core;    // a PU whose core is not told of is one of its own, with a number below -1
	int llc;     // the outermost data cache
	int numa;    // the smallest memory node that it is local to
	int package; // socket
	int sibling; // 0 for the first PU of its core, 1 for the second ..
	int speed;   // rank of its kind of core, 0 the slowest; 0 for all if they are alike or not ranked
};

struct mn_topo {
	struct hwloc_topology *hw;
	bool real; // this machine: binding does something
	int n;
	int siblings, speeds;        // largest of each in place[], plus 1
	struct mn_topo_place *place; // in hwloc's order
	int *by_os;                  // index into place by the operating system's number, or -1
	int by_os_len;
};

// Where the PU of this number stands, or NULL.
const struct mn_topo_place *mn_topo_find(const struct mn_topo *t, int pu);

// Chooses n of the size members of tier, as far from one another as the tree allows; members are indices into t->place,
// and so is what it writes into out. 0 or -errno.
int mn_topo_spread(const struct mn_topo *t, const int *tier, int size, int n, int *out);

// The numbers of all PUs as text: "0-3,8".
void mn_topo_list(const struct mn_topo *t, char *text, size_t size);

#endif
