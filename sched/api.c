// SPDX-License-Identifier: MIT
// api.c: a run from start to end: checks, Ps, the caller's M, goroutine 1, and everything back where it was.
#include "sched/mn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/core/scheduler.h"
#include "sched/os/affinity.h"
#include "sched/watch/watch.h"

static _Atomic uint32_t running;

// ---- Setting up

static uint8_t
class_of_kb(int kb)
{
	return (uint8_t)(10 + __builtin_ctz((unsigned int)kb));
}

static void
adopt_options(const struct mn_options *o)
{
	struct sched *s = &mn_sched;

	s->options = *o;
	store_release(&s->nprocs, (uint32_t)(o->procs ? o->procs : mn_default_procs(NULL, 0))); // NP
	s->npus = (uint32_t)mn_os_num_pus();
	s->how_many = mn_amount_policies[o->steal].how_many;
	s->victims = &mn_victim_policies[o->victim];
	s->spin = &mn_spin_policies[o->spin];
	s->global_only = o->queue != 0;
	s->runnext = o->runnext == 0;
	s->stack_class = class_of_kb(o->stack_kb);
	s->batch = s->global_only || o->local_cap == 1 ? 1 : (uint32_t)o->local_cap / 2;
	s->slice_ticks = (uint32_t)o->global_tick;
	s->seed = o->seed ? o->seed : mn_os_entropy();
	s->linger_ns = mn_linger_ns();
	s->started = mn_os_now();
	store_relaxed(&s->lastpoll, s->started);
}

// Room for all that mn_procs may ask for; what is not used is never touched.
enum { PS_BYTES = MN_PROCS_MAX * sizeof(struct p) };

static int
make_ps(void)
{
	struct sched *s = &mn_sched;
	int error = mn_policy_init(num_ps());

	if (error)
		return error;
	s->allp = mn_os_map(PS_BYTES);
	if (!s->allp)
		return -ENOMEM;
	return mn_ps_grow(num_ps());
}

static void
tear_down(void)
{
	struct sched *s = &mn_sched;

	for (struct m *m = s->allm, *next; m; m = next) {
		next = m->all_link;
		free(m);
	}
	if (load_relaxed(&s->timers))
		load_relaxed(&s->timers)->release();
	if (load_relaxed(&s->poller))
		load_relaxed(&s->poller)->release();
	for (uint32_t i = 0; i < load_relaxed(&s->nps); i++)
		mn_p_release(&s->allp[i]);
	if (s->allp)
		mn_os_unmap(s->allp, PS_BYTES);
	mn_policy_release();
	mn_globq_release(&s->globq);
	mn_g_arena_release(&s->gs);
	mn_stack_pool_release(&s->stacks);
	mn_topo_free(s->topo);
	memset(s, 0, sizeof(*s));
}

// ---- Running

// P0 is the caller's; the others are idle, the lowest number on top.
static void
hand_out_ps(struct m *m)
{
	struct sched *s = &mn_sched;

	lock(&s->lock);
	for (uint32_t i = num_ps(); i-- > 1;)
		mn_pidle_put_locked(&s->allp[i]);
	unlock(&s->lock);
	store_relaxed(&s->allp[0].status, P_RUNNING);
	mn_acquire_p(m, &s->allp[0]);
}

// Counted while nobody held a P: the figures are settled on P 0.
static void
settle_debts(void)
{
	struct sched *s = &mn_sched;

	for (struct m *m = s->allm; m; m = m->all_link) {
		COUNT_BY(&s->allp[0], global_put, m->owed_global_puts);
		COUNT_BY(&s->allp[0], readied, m->owed_readied);
	}
	COUNT_BY(&s->allp[0], global_put, s->sysmon_puts);
	COUNT_BY(&s->allp[0], readied, s->sysmon_puts);
	COUNT_BY(&s->allp[0], spawned, tally_get(&s->remote_spawned));
	COUNT_BY(&s->allp[0], global_put, tally_get(&s->remote_spawned));
	tally_set(&s->remote_spawned, 0);
}

// Before any M is bound, for threads inherit the binding of whoever creates them.
static int
start_watchers(void)
{
	int error = mn_watch_start();

	if (!error && (error = mn_sysmon_start()))
		mn_watch_stop();
	return error;
}

static int
run(mn_fn fn, void *arg)
{
	struct p *p = &mn_sched.allp[0];
	struct g *g = mn_g_new(p, fn, arg);
	struct m *m;
	int error = g ? start_watchers() : -ENOMEM;

	if (error)
		return error;
	CHECK(mn_overflow_watch() == 0 && mn_remote_open() == 0);
	m = mn_m_adopt();
	hand_out_ps(m);
	mn_p_put(p, g, true);
	mn_schedule(m);
	mn_remote_close();
	mn_m_leave(m);
	mn_os_release_faults();
	mn_sysmon_stop(); // first: it may just be creating an M
	mn_m_join_all();
	settle_debts();
	return mn_watch_stop();
}

static int
run_bound(mn_fn fn, void *arg)
{
	struct mn_topo_mask *mask = NULL;
	int error = mn_sched.topo ? mn_topo_save_self(&mask) : 0;

	if (error)
		return error;
	error = run(fn, arg);
	if (mask) {
		mn_topo_restore_self(mask);
		mn_topo_mask_free(mask);
	}
	return error;
}

int
mn_run(const struct mn_options *given, mn_fn fn, void *arg)
{
	struct mn_options o;
	char err[MN_ERROR_MAX];
	uint32_t none = 0;
	int error;

	if (given)
		o = *given;
	else
		mn_options_init(&o);
	if (mn_options_check(&o, err, sizeof(err)))
		return -EINVAL;
	if (!cas_acquire(&running, &none, 1)) // RU: one run's end is visible to the next
		return -EBUSY;
	mn_stats_forget();
	adopt_options(&o);
	error = make_ps();
	if (!error)
		error = mn_place_ps();
	if (!error) {
		mn_stats_open(true);
		error = run_bound(fn, arg);
		mn_stats_open(false);
	}
	tear_down();
	store_release(&running, 0); // RU
	return error;
}

// ---- Asking

uint64_t
mn_id(void)
{
	struct m *m = mn_m();
	struct g *g = m ? m_g(m) : NULL;

	return g ? g->id : 0;
}

int
mn_p(void)
{
	struct m *m = mn_m();
	struct p *p = m ? m_p(m) : NULL;

	return p ? (int)p->id : -1;
}
