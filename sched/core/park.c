// SPDX-License-Identifier: MIT
// park.c: park, ready, yield.
#include "sched/core/park.h"

#include "sched/core/scheduler.h"
#include "sched/core/wake.h"

// clang-format off
static const char *const reasons[WAIT_REASONS] = {
	[WAIT_NONE] = "",
	[WAIT_JOIN] = "join",
	[WAIT_GROUP] = "sync.WaitGroup.Wait",
	[WAIT_SLEEP] = "sleep",
	[WAIT_IO] = "IO wait",
	[WAIT_FD] = "semacquire",
	[WAIT_SEMACQUIRE] = "semacquire",
	[WAIT_MUTEX] = "sync.Mutex.Lock",
	[WAIT_RWMUTEX_READ] = "sync.RWMutex.RLock",
	[WAIT_RWMUTEX_WRITE] = "sync.RWMutex.Lock",
	[WAIT_COND] = "sync.Cond.Wait",
	[WAIT_CHAN_SEND] = "chan send",
	[WAIT_CHAN_RECV] = "chan receive",
	[WAIT_CHAN_SEND_NIL] = "chan send (nil chan)",
	[WAIT_CHAN_RECV_NIL] = "chan receive (nil chan)",
	[WAIT_SELECT] = "select",
	[WAIT_SELECT_NO_CASES] = "select (no cases)",
};
// clang-format on

const char *
mn_wait_reason_name(enum wait_reason reason)
{
	return reason < WAIT_REASONS ? reasons[reason] : "?";
}

struct g *
mn_self_g(void)
{
	return m_g(mn_m());
}

static void
after_park(struct m *m, struct g *g)
{
	park_commit commit = m->commit;
	void *arg = m->commit_arg;

	// PK: before the commit, which lets others find g; mn_ready's CAS takes it from there.
	g_move(g, G_RUNNING, G_WAITING);
	if (!commit(g, arg))
		mn_ready(g);
}

void
mn_park(park_commit commit, void *arg, enum wait_reason reason)
{
	struct m *m = mn_m();
	struct g *g = m_g(m);

	g->reason = (uint8_t)reason;
	m->commit = commit;
	m->commit_arg = arg;
	COUNT(m_p(m), parked);
	mn_leave_g(m, g, after_park);
}

void
mn_make_runnable(struct g *g)
{
	uint16_t was = G_WAITING;

	// PK: acquires what g wrote before it parked; whoever wins queues it, once.
	if (!cas_acq_rel(&g->status, &was, G_RUNNABLE))
		mn_throw("bad g->status in ready: goroutine %llu has status %u, not waiting", (unsigned long long)g->id,
		         was);
}

void
mn_ready(struct g *g)
{
	struct p *p = m_p(mn_m());

	mn_make_runnable(g);
	COUNT(p, readied);
	mn_p_put(p, g, true);
	wake_for_local();
}

// ---- Yield

static void
after_yield_global(struct m *m, struct g *g)
{
	g_move(g, G_RUNNING, G_RUNNABLE);
	mn_globq_put(&mn_sched.globq, &g, 1);
	COUNT(m_p(m), global_put);
	wake_for_work();
}

static void
after_yield_local(struct m *m, struct g *g)
{
	g_move(g, G_RUNNING, G_RUNNABLE);
	mn_p_put(m_p(m), g, false);
	wake_for_local();
}

// Nobody to yield to here. The G we wait for may stand in another P's queue, whose own G never gives way (golang/go#13546):
// now and then we look there.
static struct g *
yield_elsewhere(struct p *p)
{
	enum { LOOK_EVERY = 16 };

	return ++p->lone_yields % LOOK_EVERY == 0 ? mn_steal_once(p) : NULL;
}

static void
yield_to(struct m *m, struct g *g, m_after after)
{
	struct p *p = m_p(m);
	bool inherit = false;
	struct g *next;

	if (must_go_to_g0(m, p)) {
		COUNT(p, yields);
		mn_leave_g_to_g0(m, g, after);
		return;
	}
	next = mn_pick(p, &inherit);
	if (!next && !(next = yield_elsewhere(p)))
		return;
	COUNT(p, yields);
	mn_leave_g_for(m, g, after, next, inherit);
}

enum { YIELD_GLOBAL = 0, YIELD_LOCAL = 1 }; // values of the option yield_to

void
mn_yield(void)
{
	struct m *m = mn_m();

	yield_to(m, m_g(m), mn_sched.options.yield_to == YIELD_LOCAL ? after_yield_local : after_yield_global);
}

// Go wakes nobody here: its ready has just done so. A searcher that ready counted on may have given up in between, though,
// so the queue that we go into is announced like any other; nearly always that is a fence and a load.
void
mn_goyield(void)
{
	struct m *m = mn_m();
	struct p *p = m_p(m);
	bool inherit = false;
	struct g *next;

	if (must_go_to_g0(m, p))
		mn_leave_g_to_g0(m, m_g(m), after_yield_local);
	else if ((next = mn_pick(p, &inherit)))
		mn_leave_g_for(m, m_g(m), after_yield_local, next, inherit);
}

static NOINLINE void
preempted(struct m *m, struct p *p)
{
	COUNT(p, preemptions);
	if (world_stops()) {
		mn_leave_g_to_g0(m, m_g(m), after_yield_global);
		return;
	}
	store_relaxed(&p->preempt, 0);
	yield_to(m, m_g(m), after_yield_global);
}

void
mn_check(void)
{
	struct m *m = mn_m();
	struct p *p = m_p(m);

	if (unlikely(load_relaxed(&p->preempt)))
		preempted(m, p);
}
