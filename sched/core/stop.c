// SPDX-License-Identifier: MIT
// stop.c: stopping the world, and changing GOMAXPROCS while it stands.
//
// The one who stops it raises gcwaiting and asks every P's G to give way; Ms halt their Ps when they next pass g0. Idle Ps, and Ps
// whose G is in a system call, it halts itself. It looks every 100 us for what came to be idle, or entered a call, meanwhile: so
// nobody on those paths needs to know of it.
#include <errno.h>

#include "sched/core/scheduler.h"
#include "sched/core/wake.h"

enum { LOOK_AGAIN_NS = 100 * 1000 };

// ---- Halting

static void
halted_locked(struct p *p)
{
	struct sched *s = &mn_sched;

	store_relaxed(&p->status, P_GCSTOP);
	if (--s->stopwait == 0)
		note_wake(&s->stop_bed);
}

void
mn_halt(struct m *m)
{
	struct sched *s = &mn_sched;

	lock(&s->lock);
	if (world_stops()) {
		// Dropped without the look that a searcher owes: the start of the world makes up for it.
		if (load_relaxed(&m->spinning)) {
			store_relaxed(&m->spinning, 0);
			sub_seq_cst(&s->nspinning, 1);
		}
		halted_locked(mn_release_p(m));
	}
	unlock(&s->lock);
}

static void
halt_others_locked(struct p *own)
{
	struct sched *s = &mn_sched;
	struct p *p;

	while ((p = mn_pidle_get_locked()))
		halted_locked(p);
	for (uint32_t i = 0; i < num_ps(); i++) {
		p = &s->allp[i];
		if (p == own || load_relaxed(&p->status) != P_RUNNING)
			continue;
		store_relaxed(&p->preempt, 1);
		if (mn_retake(p))
			halted_locked(p);
	}
}

static void
stop_world(struct p *own)
{
	struct sched *s = &mn_sched;

	lock(&s->lock);
	s->stopwait = num_ps() - 1;
	store_seq_cst(&s->gcwaiting, 1);
	halt_others_locked(own);
	while (s->stopwait > 0) {
		unlock(&s->lock);
		note_sleep(&s->stop_bed, LOOK_AGAIN_NS);
		lock(&s->lock);
		halt_others_locked(own);
	}
	unlock(&s->lock);
}

// Ps without work are idle again; the others get an M each.
static void
start_world(struct p *own)
{
	struct sched *s = &mn_sched;

	lock(&s->lock);
	store_seq_cst(&s->gcwaiting, 0);
	for (uint32_t i = num_ps(); i-- > 0;) {
		struct p *p = &s->allp[i];

		if (p == own)
			continue;
		if (mn_runq_empty(&p->runq)) {
			mn_pidle_put_locked(p);
			continue;
		}
		store_relaxed(&p->status, P_RUNNING);
		mn_start_m_unlock(p, false);
		lock(&s->lock);
	}
	unlock(&s->lock);
	mn_wake_slow();
}

// ---- More or fewer Ps

int64_t
mn_linger_ns(void)
{
	struct sched *s = &mn_sched;

	// Looking on is for a machine with a processor to spare; on a full one it keeps the others from running.
	return s->spin->lingers && num_ps() > 1 && num_ps() <= s->npus ? (int64_t)s->options.spin_us * 1000 : 0;
}

int
mn_ps_grow(uint32_t n)
{
	struct sched *s = &mn_sched;

	for (uint32_t i = load_relaxed(&s->nps); i < n; i++) {
		if (mn_p_init(&s->allp[i], i))
			return -ENOMEM;
		store_release(&s->nps, i + 1); // NP
	}
	return 0;
}

// What stands in its queues goes to the front of the global one: runnext first, then the ring.
static void
empty_queues(struct p *p)
{
	struct g *next = runq_get_next(&p->runq), *g;
	uint32_t n = 0;

	while ((g = runq_get(&p->runq)))
		p->loot[n++] = g;
	COUNT_BY(p, drained, n);
	mn_globq_put_front(&mn_sched.globq, p->loot, n);
	if (next) {
		// By way of the ring, as if a newer one had moved it there.
		CHECK(runq_put(&p->runq, next) && runq_get(&p->runq) == next);
		COUNT(p, runnext_kicked);
		COUNT(p, local_put);
		COUNT(p, drained);
		mn_globq_put_front(&mn_sched.globq, &next, 1);
	}
}

static void
retire(struct p *p, struct p *heir)
{
	const struct timer_source *t = load_relaxed(&mn_sched.timers);

	empty_queues(p);
	if (t)
		t->move(p, heir);
	store_relaxed(&p->status, P_DEAD);
}

// The world is stopped. The caller goes on with its own P if that stays, else with the first.
static struct p *
resize(struct m *m, uint32_t n)
{
	struct sched *s = &mn_sched;
	struct p *own = m_p(m), *heir = own->id < n ? own : &s->allp[0];

	for (uint32_t i = n; i < num_ps(); i++)
		retire(&s->allp[i], heir);
	store_release(&s->nprocs, n); // NP
	s->linger_ns = mn_linger_ns();
	for (uint32_t i = 0; i < n; i++)
		s->allp[i].runq.alone = n == 1;
	if (heir != own) {
		struct g *g = m_g(m);

		store_relaxed(&heir->status, P_RUNNING);
		mn_release_p(m);
		mn_acquire_p(m, heir);
		g->last_p = (uint16_t)heir->id;
	}
	return heir;
}

static int
change(struct m *m, uint32_t n)
{
	struct sched *s = &mn_sched;
	struct p *own = m_p(m);
	uint32_t before = num_ps();
	int error;

	stop_world(own);
	error = mn_ps_grow(n);
	if (!error)
		error = mn_policy_init(n);
	if (!error) {
		own = resize(m, n);
		for (uint32_t i = before; i < n; i++)
			store_relaxed(&s->allp[i].status, P_GCSTOP);
		error = mn_place_ps();
	}
	start_world(own);
	return error ? error : (int)before;
}

int
mn_procs(int n)
{
	struct sched *s = &mn_sched;
	uint32_t nobody = 0;
	int result;

	if (n > MN_PROCS_MAX)
		return -EINVAL;
	if (n <= 0 || (uint32_t)n == num_ps())
		return (int)num_ps();
	// One at a time; whoever waits must not keep its P from stopping.
	while (!cas_acquire(&s->world, &nobody, 1)) { // ST2
		nobody = 0;
		mn_yield();
	}
	result = change(mn_m(), (uint32_t)n);
	store_release(&s->world, 0); // ST2
	return result;
}
