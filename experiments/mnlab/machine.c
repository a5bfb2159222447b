// SPDX-License-Identifier: MIT
// machine.c: counts, asked of the topology module, which alone knows hwloc.
#include "experiments/mnlab/machine.h"

#include "sched/os/topo.h"

#include <stdio.h>
#include <string.h>

int
machine_read(struct machine *m, char *err, size_t size)
{
	char why[256];
	struct mn_topo *t;
	int rc = mn_topo_load(&t);

	if (rc) {
		snprintf(err, size, "the topology of this machine cannot be read: %s", strerror(-rc));
		return rc;
	}
	*m = (struct machine){
		.pus = mn_topo_num_pus(t),
		.cores = mn_topo_num_cores(t),
		.llcs = mn_topo_num_llcs(t),
		.numas = mn_topo_num_numas(t),
		.usable = mn_default_procs(why, sizeof why),
	};
	mn_topo_free(t);
	return 0;
}
