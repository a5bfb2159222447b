// SPDX-License-Identifier: MIT
// topo: the machine's processing units (PUs: hardware threads), how far apart they are, and which of them each P is to be
// bound to. topo.c is the only user of hwloc in the project. See DESIGN.md, "Topology".
//
//	struct mn_topo *t;
//	int pu[MN_PROCS_MAX];
//
//	if (mn_topo_load(&t) == 0 && mn_topo_plan(t, "spread", procs, pu, err, sizeof(err)) == 0)
//		mn_topo_bind_self(t, pu[p]);            // in the M that holds P number p
//
// PUs go by the number that the operating system gives them (taskset's numbers, P# in lstopo), never by hwloc's logical
// one. A topology is constant once loaded: any thread may use it, at the same time, without a lock.
#ifndef SCHED_OS_TOPO_H
#define SCHED_OS_TOPO_H

#include "sched/os/affinity.h"
#include "sched/os/pin.h"

#include <stdbool.h>
#include <stddef.h>

struct mn_topo;

enum mn_topo_distance_class {
	MN_TOPO_SAME_PU,
	MN_TOPO_SAME_CORE,    // siblings of one core (SMT)
	MN_TOPO_SAME_LLC,     // share the last level of cache that the machine tells of
	MN_TOPO_SAME_NUMA,    // same memory, in the same package
	MN_TOPO_SAME_PACKAGE, // same socket
	MN_TOPO_MACHINE,
	MN_TOPO_CLASSES,
};

// Loads this machine as the calling thread sees it: what its affinity mask and its cgroup forbid is not there. With
// HWLOC_SYNTHETIC or HWLOC_XMLFILE in the environment it loads that machine instead, whole, and nothing binds (unless
// HWLOC_THISSYSTEM=1 says that the file describes this one). Takes some milliseconds. 0 or -errno; -EINVAL: what the
// environment names cannot be loaded.
int mn_topo_load(struct mn_topo **t);

// Loads a machine that does not exist, from hwloc's synthetic notation: "pack:2 [numa] l3:2 core:4 pu:2". Nothing binds.
// -EINVAL: not understood.
int mn_topo_load_synthetic(struct mn_topo **t, const char *description);

// NULL is allowed.
void mn_topo_free(struct mn_topo *t);

// Whether binding does anything: t is the machine that we run on.
bool mn_topo_is_real(const struct mn_topo *t);

// What there is; each at least 1. mn_topo_pu_at: the number of the i-th PU in hwloc's order, 0 <= i < num_pus, else -1.
int mn_topo_num_pus(const struct mn_topo *t);
int mn_topo_num_cores(const struct mn_topo *t);
int mn_topo_num_llcs(const struct mn_topo *t);
int mn_topo_num_numas(const struct mn_topo *t);
int mn_topo_num_packages(const struct mn_topo *t);
int mn_topo_pu_at(const struct mn_topo *t, int i);

// Which PU each P of 0..procs-1 is to be bound to; -1: to none.
//   none     all -1
//   close    next to one another: a PU of every core in hwloc's order, then the second PU of every core, and so on
//   spread   as far apart as possible: hwloc_distrib over the cores, then over the second PUs, and so on
//   a list   as written
// On hybrid machines close and spread take fast cores before slow ones. More Ps than PUs wrap round.
// Returns 0, or -EINVAL with one line in err[0..size): bad syntax, or a PU that this machine does not let us use; -ENOMEM.
int mn_topo_plan(const struct mn_topo *t, const char *pin, int procs, int *pu, char *err, size_t size);

// Binds the calling thread to one PU. 0 (on a machine that is not this one: without doing anything) or -errno; -EINVAL
// for a PU that is not in t.
int mn_topo_bind_self(const struct mn_topo *t, int pu);

// The PU that the calling thread runs on now, or -errno; -ENOSYS when t is not this machine. About as dear as a clock
// read, so that it can be sampled to verify a binding.
int mn_topo_last_pu(const struct mn_topo *t);

// How far apart two PUs are: a class of enum mn_topo_distance_class, the nearest that holds, or -EINVAL. Two loads and a
// few compares: cheap enough to fill a table of all pairs.
int mn_topo_distance(const struct mn_topo *t, int pu_a, int pu_b);

// "PU L#0(P#0), Core L#0(P#0), Socket L#0(P#0), Node L#0(P#0)", levels that the machine does not tell of left out.
// "not bound" for -1. 0, or -EINVAL for a PU that is not in t.
int mn_topo_describe(const struct mn_topo *t, int pu, char *text, size_t size);

// The whole topology as XML text (hwloc's version 2 format), to be freed by the caller; NULL: no memory.
char *mn_topo_xml(const struct mn_topo *t);

#endif
