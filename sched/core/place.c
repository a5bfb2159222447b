// SPDX-License-Identifier: MIT
// place.c: which processor each P is bound to, and how far the Ps are apart.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/core/scheduler.h"

static int
plan_pus(void)
{
	struct sched *s = &mn_sched;
	int *pu = malloc(num_ps() * sizeof(*pu));
	char err[MN_ERROR_MAX];
	int error;

	if (!pu)
		return -ENOMEM;
	error = mn_topo_plan(s->topo, s->options.pin, (int)num_ps(), pu, err, sizeof(err));
	for (uint32_t i = 0; !error && i < num_ps(); i++)
		s->allp[i].pu = pu[i];
	free(pu);
	return error;
}

// Only a run that binds, or steals by distance, pays for the topology.
int
mn_place_ps(void)
{
	struct sched *s = &mn_sched;
	bool binds = strcmp(s->options.pin, "none") != 0;
	int error;

	if (!binds && s->victims != mn_victim_by_distance)
		return 0;
	error = s->topo ? 0 : mn_topo_load(&s->topo);
	if (!error && binds)
		error = plan_pus();
	if (!error && s->victims == mn_victim_by_distance)
		error = mn_policy_measure(s->topo);
	return error;
}
