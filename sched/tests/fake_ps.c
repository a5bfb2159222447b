// SPDX-License-Identifier: MIT
// fake_ps.c: Ps without Ms.
#include "sched/tests/fake_ps.h"

#include <stdlib.h>
#include <string.h>

void
fake_ps_start(uint32_t nprocs, int cap, int steal, int victim, uint64_t seed)
{
	struct sched *s = &mn_sched;

	mn_options_init(&s->options);
	s->options.local_cap = cap;
	store_release(&s->nprocs, nprocs);
	s->how_many = mn_amount_policies[steal].how_many;
	s->victims = &mn_victim_policies[victim];
	s->spin = &mn_spin_policies[0];
	s->runnext = true;
	s->stack_class = 16;
	s->batch = cap == 1 ? 1 : (uint32_t)cap / 2;
	s->slice_ticks = 61;
	s->seed = seed;
	CHECK(mn_policy_init(nprocs) == 0);
	s->allp = aligned_alloc(CACHE_LINE, nprocs * sizeof(*s->allp));
	CHECK(s->allp);
	memset(s->allp, 0, nprocs * sizeof(*s->allp));
	for (uint32_t i = 0; i < nprocs; i++) {
		CHECK(mn_p_init(&s->allp[i], i) == 0);
		store_relaxed(&s->allp[i].status, P_RUNNING);
	}
}

void
fake_ps_stop(void)
{
	struct sched *s = &mn_sched;

	for (uint32_t i = 0; i < num_ps(); i++)
		mn_p_release(&s->allp[i]);
	free(s->allp);
	mn_policy_release();
	mn_globq_release(&s->globq);
	mn_g_arena_release(&s->gs);
	mn_stack_pool_release(&s->stacks);
	memset(s, 0, sizeof(*s));
}
