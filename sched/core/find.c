// SPDX-License-Identifier: MIT
// find.c: what runs next.
//
// mn_pick looks where a P finds work without asking anybody; mn_find_runnable goes on from there: timers, the network, other Ps,
// and sleep. The order is Go's findRunnable; mn_handoff_p must start an M whenever it would find something for that P.
#include "sched/core/scheduler.h"
#include "sched/core/wake.h"

// ---- What runs next

static struct g *
take_one(struct p *p)
{
	struct g *g;

	if (mn_globq_get(&mn_sched.globq, &g, 1) == 0)
		return NULL;
	COUNT(p, run_global);
	return g;
}

static struct g *
global_turn(struct p *p)
{
	struct g *g = globq_len(&mn_sched.globq) ? take_one(p) : NULL;

	if (g)
		COUNT(p, global_ticks);
	return g;
}

// One P's share of the global queue: the first runs, the others go into the ring, which is empty.
static struct g *
global_batch(struct p *p)
{
	struct sched *s = &mn_sched;
	uint32_t n = mn_globq_get_share(&s->globq, p->loot, s->batch, num_ps());

	if (n == 0)
		return NULL;
	COUNT(p, global_batches);
	COUNT_BY(p, global_got, n);
	COUNT(p, run_global);
	if (n > 1)
		mn_runq_put_batch(&p->runq, p->loot + 1, n - 1);
	return p->loot[0];
}

static void
note_length(struct p *p)
{
	uint32_t n = runq_len(&p->runq);

	if (n > tally_get(&p->n.runq_max))
		tally_set(&p->n.runq_max, n);
}

// The slice is over. A chain of hand-overs through runnext, of which nobody may ever call mn_check, ends here, if there is
// anybody else.
static struct g *
turn_of_others(struct p *p)
{
	struct g *g = runq_get(&p->runq);

	if (!g)
		return globq_len(&mn_sched.globq) ? global_batch(p) : NULL;
	COUNT(p, run_local);
	return g;
}

struct g *
mn_pick(struct p *p, bool *inherit)
{
	struct g *g;

	*inherit = false;
	if (unlikely(p->tick_left == 0) && (g = global_turn(p)))
		return g;
	note_length(p);
	if (unlikely(load_relaxed(&p->preempt)) && (g = turn_of_others(p)))
		return g;
	if ((g = runq_get_next(&p->runq))) {
		COUNT(p, run_runnext);
		*inherit = true;
		return g;
	}
	if ((g = runq_get(&p->runq))) {
		COUNT(p, run_local);
		return g;
	}
	return globq_len(&mn_sched.globq) ? global_batch(p) : NULL;
}

// ---- Finding something to run

static bool
may_search(struct m *m)
{
	struct sched *s = &mn_sched;
	uint32_t spinning = load_relaxed(&s->nspinning);

	if (load_relaxed(&m->spinning))
		return true;
	return num_ps() > 1 && s->spin->may(spinning, num_ps() - load_relaxed(&s->npidle));
}

// Looks on for a while: work that comes now is cheaper to find so than by being woken. False: the time is up.
static bool
linger(int64_t until)
{
	enum { LOOK_EVERY = 32 };

	while (mn_os_now() < until) {
		for (int i = 0; i < LOOK_EVERY; i++)
			cpu_pause();
		if (mn_work_in_sight())
			return true;
	}
	return false;
}

static struct g *
search(struct m *m, struct p *p, bool *inherit)
{
	int64_t begun = mn_os_now(), until = begun + mn_sched.linger_ns;
	struct g *g = NULL;

	if (!load_relaxed(&m->spinning))
		mn_start_spinning(m);
	do {
		if (mn_run_timers_of_others(p, mn_os_now()))
			g = mn_pick(p, inherit);
		if (!g)
			g = mn_steal_work(p);
	} while (!g && linger(until) && !(g = mn_pick(p, inherit)));
	COUNT_BY(p, spin_ns, mn_os_now() - begun);
	return g;
}

// Gives m's P up, unless there is something to run for it after all, which only shows once the P stands on the idle list.
static bool
lie_down(struct m *m)
{
	struct sched *s = &mn_sched;
	struct p *p = m_p(m);

	lock(&s->lock);
	if (globq_len(&s->globq)) {
		unlock(&s->lock);
		return false;
	}
	COUNT(p, parks);
	if (m->woken)
		COUNT(p, wakes_empty);
	m->woken = false;
	mn_pidle_put_locked(mn_release_p(m));
	fence_store_load(); // WK2
	bool more = globq_len(&s->globq) || (!load_relaxed(&m->spinning) && load_relaxed(&s->needspinning));

	if (more && mn_pidle_take_locked(p))
		mn_acquire_p(m, p);
	unlock(&s->lock);
	if (more && !load_relaxed(&m->spinning))
		mn_start_spinning(m);
	return !more;
}

// Blocks until there is something to run. NULL: the scheduler ends.
struct g *
mn_find_runnable(struct m *m, bool *inherit)
{
	for (;;) {
		struct p *p = m_p(m);
		struct g *g = NULL;

		if (p && world_stops()) {
			mn_halt(m);
			continue;
		}
		if (!p && !(p = mn_sleep_for_sources(m, &g)) && !mn_stop_m(m))
			return NULL;
		*inherit = false;
		if (p && g)
			return g;
		p = m_p(m);
		if (timers_due(p))
			mn_run_timers(p);
		if ((g = mn_pick(p, inherit)))
			return g;
		*inherit = false;
		if ((g = mn_poll_nonblocking()))
			return g;
		if (may_search(m) && (g = search(m, p, inherit)))
			return g;
		if (!lie_down(m))
			continue;
		if (load_relaxed(&m->spinning) && (p = mn_stop_spinning_parking(m))) {
			mn_acquire_p(m, p);
			mn_start_spinning(m);
		}
	}
}
