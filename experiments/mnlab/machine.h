// SPDX-License-Identifier: MIT
// machine.h: what of this machine the process may use: the machine words of matrix files, and the bound on speed-up.
#ifndef EXPERIMENTS_MNLAB_MACHINE_H
#define EXPERIMENTS_MNLAB_MACHINE_H

#include <stddef.h>

struct machine {
	int pus;    // processors that affinity and cgroup leave to this process
	int cores;  // distinct cores among them
	int llcs;   // distinct last-level caches among them
	int numas;  // distinct memory nodes among them
	int usable; // what GOMAXPROCS would be: pus, or the cgroup's CPU quota rounded up when that is less
};

// 0, or -errno with one line in err.
int machine_read(struct machine *m, char *err, size_t size);

#endif
