// SPDX-License-Identifier: MIT
// p.c: a P's parts, its spill, and the list of idle ones.
#include "sched/core/p.h"

#include <errno.h>
#include <stdlib.h>

#include "sched/core/scheduler.h"

int
mn_p_init(struct p *p, uint32_t id)
{
	struct sched *s = &mn_sched;
	uint32_t cap = (uint32_t)s->options.local_cap;

	p->id = id;
	p->pu = -1;
	rng_seed(&p->rng, s->seed, id);
	p->last_victim = id;
	store_relaxed(&p->next_timer, SOURCE_NEVER);
	p->tick_left = s->slice_ticks ? 0 : UINT32_MAX;
	p->loot = malloc((cap + 1) * sizeof(struct g *));
	p->stolen_from = calloc(MN_PROCS_MAX, sizeof(*p->stolen_from));
	if (!p->loot || !p->stolen_from || mn_runq_init(&p->runq, cap, num_ps() == 1) ||
	    mn_g_cache_init(&p->gs, &s->gs) || mn_stack_cache_init(&p->stacks, &s->stacks, s->stack_class)) {
		mn_p_release(p);
		return -ENOMEM;
	}
	return 0;
}

void
mn_p_release(struct p *p)
{
	free(p->loot);
	free((void *)p->stolen_from);
	free(p->near);
	free(p->near_class);
	mn_runq_release(&p->runq);
	mn_g_cache_release(&p->gs);
	mn_stack_cache_release(&p->stacks);
	p->loot = NULL;
	p->stolen_from = NULL;
	p->near = p->near_class = NULL;
}

// A thief that moves the head between makes room: then there is nothing to spill.
void
mn_p_spill(struct p *p, struct g *g)
{
	int n;

	while ((n = mn_runq_drain_half(&p->runq, p->loot)) < 0)
		if (runq_put(&p->runq, g)) {
			COUNT(p, local_put);
			return;
		}
	tally_set(&p->n.runq_max, p->runq.cap);
	p->loot[n++] = g;
	mn_globq_put(&mn_sched.globq, p->loot, (uint32_t)n);
	COUNT(p, spills);
	COUNT_BY(p, spilled, n);
}

// ---- Idle Ps

static void
mark_idle(struct p *p, bool idle)
{
	uint64_t bit = (uint64_t)1 << (p->id % 64);
	_Atomic uint64_t *word = &mn_sched.idle_mask[p->id / 64];

	// Relaxed: a hint. A thief that misses a busy P looks again before it parks.
	if (idle)
		or_relaxed(word, bit);
	else
		and_relaxed(word, ~bit);
}

void
mn_pidle_put_locked(struct p *p)
{
	CHECK(mn_runq_empty(&p->runq));
	mn_pidle_put_full_locked(p);
}

void
mn_pidle_put_full_locked(struct p *p)
{
	struct sched *s = &mn_sched;

	lock_assert_held(&s->lock);
	store_relaxed(&p->status, P_IDLE);
	p->idle_link = s->pidle;
	p->idle_since = mn_os_now();
	s->pidle = p;
	mark_idle(p, true);
	add_seq_cst(&s->npidle, 1);
}

static void
left_idle(struct p *p)
{
	struct sched *s = &mn_sched;

	if (load_relaxed(&s->npidle) == num_ps())
		mn_sysmon_wake_locked();
	mark_idle(p, false);
	sub_seq_cst(&s->npidle, 1);
	store_relaxed(&p->status, P_RUNNING);
	COUNT_BY(p, idle_ns, mn_os_now() - p->idle_since);
}

struct p *
mn_pidle_get_locked(void)
{
	struct sched *s = &mn_sched;
	struct p *p = s->pidle;

	lock_assert_held(&s->lock);
	if (!p)
		return NULL;
	s->pidle = p->idle_link;
	left_idle(p);
	return p;
}

bool
mn_pidle_take_locked(struct p *p)
{
	lock_assert_held(&mn_sched.lock);
	for (struct p **link = &mn_sched.pidle; *link; link = &(*link)->idle_link)
		if (*link == p) {
			*link = p->idle_link;
			left_idle(p);
			return true;
		}
	return false;
}
