// SPDX-License-Identifier: MIT
// steal.c: taking work from other Ps.
//
// A search is steal_tries passes. In all but the last the victim policy names whom to look at; the last goes to every P in
// random order and takes what stands in runnext as well. Among the loot the newest G runs at once, the rest goes into the
// thief's queue, which is empty: a P that has work of its own never steals.
#include "sched/core/scheduler.h"

// How long a G in runnext is left to its P: one that readies another and then blocks at once would otherwise lose it to a
// thief each time. Go sleeps 3 us here, which Linux's timer slack makes 50 and more; we look at the clock. 3 us are
// some twenty hand-overs (micro_wake: handoff).
enum { RUNNEXT_GRACE_NS = 3000 };

static uint32_t
take_ring(struct p *thief, struct p *victim)
{
	uint64_t raced = 0;
	uint32_t n = mn_runq_grab(&victim->runq, thief->loot, thief->runq.cap, mn_sched.how_many, &raced);

	if (raced)
		COUNT_BY(thief, steal_raced, raced);
	return n;
}

static bool
in_syscall(struct p *p)
{
	struct g *g = m_g_of_other(load_acquire(&p->m)); // CG

	return g && (g_status(g) == G_SYSCALL || g_status(g) == (G_SYSCALL | G_SCAN));
}

// What changes when a P puts a G on, or a new one into runnext (it may run its children in place, and a recycled descriptor
// looks like the one before).
static uint64_t
progress(struct p *p)
{
	return tally_get(&p->n.executed) + tally_get(&p->n.runnext_put);
}

// Whether the victim has put nothing else on for as long as we are ready to wait. One that does is about to take its
// runnext itself.
static bool
stuck(struct p *victim)
{
	uint64_t before = progress(victim);
	int64_t until;

	if (in_syscall(victim))
		return true;
	until = mn_os_now() + RUNNEXT_GRACE_NS;
	do
		cpu_pause();
	while (progress(victim) == before && mn_os_now() < until);
	return progress(victim) == before;
}

static uint32_t
take_runnext(struct p *thief, struct p *victim)
{
	struct g *g = load_acquire(&victim->runq.runnext); // RN

	if (!g || !stuck(victim) || !cas_acq_rel(&victim->runq.runnext, &g, NULL)) // RN
		return 0;
	COUNT(thief, stolen_runnext);
	thief->loot[0] = g;
	return 1;
}

static struct g *
keep(struct p *thief, struct p *victim, uint32_t n)
{
	COUNT(thief, steal_ok);
	COUNT_BY(thief, stolen_in, n);
	COUNT(thief, run_stolen);
	tally_add(&thief->stolen_from[victim->id], n);
	thief->last_victim = victim->id;
	if (n > 1)
		mn_runq_put_batch(&thief->runq, thief->loot, n - 1);
	return thief->loot[n - 1];
}

static struct g *
steal_from(struct p *thief, struct p *victim, bool last_pass)
{
	uint32_t n;

	if (p_looks_idle(victim))
		return NULL;
	COUNT(thief, steal_attempts);
	n = take_ring(thief, victim);
	if (n == 0 && last_pass)
		n = take_runnext(thief, victim);
	if (n > 0)
		return keep(thief, victim, n);
	COUNT(thief, steal_empty);
	return NULL;
}

static struct g *
one_pass(struct p *thief, const struct victim_policy *policy, bool last)
{
	struct victim_walk walk = { .thief = thief };
	struct p *victim;

	policy->begin(&walk);
	while ((victim = policy->next(&walk))) {
		struct g *g = steal_from(thief, victim, last);

		if (g)
			return g;
	}
	return NULL;
}

struct g *
mn_steal_work(struct p *p)
{
	struct sched *s = &mn_sched;
	int tries = s->options.steal_tries;

	if (!s->how_many || s->global_only || num_ps() == 1)
		return NULL;
	COUNT(p, steal_rounds);
	for (int i = 1; i < tries; i++) {
		struct g *g = one_pass(p, s->victims, false);

		if (g)
			return g;
	}
	return one_pass(p, mn_victim_everybody, true);
}

bool
mn_work_in_sight(void)
{
	struct sched *s = &mn_sched;

	if (globq_len(&s->globq) > 0)
		return true;
	if (!s->how_many || s->global_only)
		return false;
	for (uint32_t i = 0; i < num_ps(); i++)
		if (!p_looks_idle(&s->allp[i]) && !mn_runq_empty(&s->allp[i].runq))
			return true;
	return false;
}

struct g *
mn_steal_once(struct p *p)
{
	struct sched *s = &mn_sched;

	if (!s->how_many || s->global_only || num_ps() == 1)
		return NULL;
	return one_pass(p, mn_victim_everybody, true);
}
