// SPDX-License-Identifier: MIT
// proc.c: the life of a goroutine on its M, and the loop that finds the next one.
//
// Switches go straight from G to G where there is work at hand; g0 runs only when there is none, or when a G without a P is
// to be left. What has to happen to the G that was left happens on the far side (arrive): only there is it off its stack.
// A G that ends does not switch at all if the next one has not run yet: that one takes the stack over.
//
// The order in which work is looked for is Go's findRunnable; mn_handoff_p must start an M whenever find would find
// something for that P.
#include "sched/core/park.h"
#include "sched/core/scheduler.h"
#include "sched/core/wake.h"

struct sched mn_sched;

// ---- Making a G

// Numbers come in runs of 16 a P, so that spawning shares no counter.
enum { ID_RUN = 16 };

uint64_t
mn_next_id(uint64_t *next, uint64_t *end)
{
	if (*next == *end) {
		*next = add_relaxed(&mn_sched.ids, ID_RUN) + 1;
		*end = *next + ID_RUN;
	}
	return (*next)++;
}

// With nothing but a fresh or recycled descriptor: RUNNABLE, to be put into a queue.
inline void
mn_g_fill(struct g *g, uint64_t id, mn_fn fn, void *arg)
{
	g->label = NULL;
	g->stack = NULL;
	g->fn = fn;
	g->arg = arg;
	g->id = id;
	store_relaxed(&g->join, NULL);
	store_relaxed(&g->m, NULL);
	g->last_p = NO_P;
	g->flags = 0;
	g->stack_class = mn_sched.stack_class;
	store_relaxed(&g->status, G_RUNNABLE);
}

struct g *
mn_g_new(struct p *p, mn_fn fn, void *arg)
{
	struct g *g;

	if (unlikely(!p))
		mn_misplaced("mn_go");
	g = g_get(&p->gs);
	if (unlikely(!g))
		return NULL;
	mn_g_fill(g, mn_next_id(&p->next_id, &p->end_id), fn, arg);
	COUNT(p, spawned);
	return g;
}

// ---- Switching

// The one call site of the switch: its `ret` is then predicted.
static NOINLINE void
leave(struct context *from, struct context *to, bool for_good)
{
	context_switch(from, to, for_good);
}

// First thing on every context that is switched to.
static void
arrive(void)
{
	struct m *m = mn_m();
	m_after after = m->after;

	if (after) {
		m->after = NULL;
		after(m, m->left);
	}
}

static void begin_on_new_stack(void *unused);

// Where g goes on; a G that has not run yet gets its stack here.
static struct context *
context_of(struct p *p, struct g *g)
{
	if (!g->stack) {
		const char *label = g->label;
		struct stack *s = stack_get(&p->stacks, g->stack_class);

		s->label = label;
		s->inline_frame = NULL;
		s->locked_m = NULL;
		s->lock_depth = 0;
		g->stack = s;
		mn_context_make(&g->ctx, s->low, stack_top(s), begin_on_new_stack, NULL);
	}
	return &g->ctx;
}

static _Noreturn void
tell_overflow(void *arg)
{
	struct g *g = arg;

	mn_throw("stack overflow in goroutine %llu (%u KiB)", (unsigned long long)g->id, 1u << (g->stack_class - 10));
}

// Told on the thread's own stack: printing takes more than there is of a small one.
static void
check_stack(struct m *m, struct g *g)
{
	if (unlikely(!stack_intact(g->stack)))
		mn_context_restart(m->g0.sp, tell_overflow, g);
}

static void
next_slice(struct p *p)
{
	tally_add(&p->schedtick, 1);
	COUNT(p, slices);
	// Due at slices 0, n, 2n ..; a P that stands at a due one looks at each pass, as in Go.
	if (p->tick_left == 0)
		p->tick_left = mn_sched.slice_ticks;
	p->tick_left--;
	if (load_relaxed(&p->preempt))
		store_relaxed(&p->preempt, 0);
}

void
mn_begin(struct m *m, struct p *p, struct g *g, bool inherit)
{
	g_move(g, G_RUNNABLE, G_RUNNING);
	store_relaxed(&g->m, m);
	if (g->last_p != p->id) {
		if (g->last_p != NO_P)
			COUNT(p, migrations);
		g->last_p = (uint16_t)p->id;
	}
	if (!inherit)
		next_slice(p);
	COUNT(p, executed);
	m->woken = false;
	store_release(&m->curg, g); // CG: who follows the pointer finds a G, made before
}

static struct context *
prepare(struct m *m, struct p *p, struct g *next, bool inherit)
{
	if (next && unlikely(next->flags & G_LOCKED) && next->stack->locked_m != m) {
		m->pending = next;
		m->pending_inherit = inherit;
		next = NULL;
	}
	if (!next) {
		store_relaxed(&m->curg, NULL);
		return &m->g0;
	}
	mn_begin(m, p, next, inherit);
	return context_of(p, next);
}

bool
mn_must_go_to_g0(struct m *m, struct p *p)
{
	return timers_due(p) || m->locked_g || (load_relaxed(&p->preempt) && world_stops());
}

static void
leave_for(struct m *m, struct g *g, m_after after, struct g *next, bool inherit)
{
	struct context *to = prepare(m, m_p(m), next, inherit);

	check_stack(m, g);
	m->after = after;
	m->left = g;
	leave(&g->ctx, to, false);
	arrive();
}

void
mn_leave_g(struct m *m, struct g *g, m_after after)
{
	bool inherit = false;
	struct g *next = must_go_to_g0(m, m_p(m)) ? NULL : mn_pick(m_p(m), &inherit);

	leave_for(m, g, after, next, inherit);
}

void
mn_leave_g_for(struct m *m, struct g *g, m_after after, struct g *next, bool inherit)
{
	leave_for(m, g, after, next, inherit);
}

void
mn_leave_g_to_g0(struct m *m, struct g *g, m_after after)
{
	leave_for(m, g, after, NULL, false);
}

// ---- The end of a G

static void
after_end(struct m *m, struct g *left)
{
	(void)left;
	context_forget(&m->grave);
	stack_put(&m_p(m)->stacks, m->dead_stack);
}

// The descriptor goes back, or to the joiner; g must not be touched after.
static void
bury(struct p *p, struct g *g)
{
	struct g *joiner;

	CHECK(g_status(g) == G_RUNNING); // in a system call it may not end
	COUNT(p, finished);
	g_move(g, G_RUNNING, G_DEAD);
	if (!(g->flags & G_JOINABLE)) {
		g_put(&p->gs, g);
		return;
	}
	joiner = xchg_acq_rel(&g->join, JOIN_DONE); // JN: what the child wrote is the joiner's to read
	if (joiner)
		mn_ready(joiner);
}

// Ends the running G. Returns when the next one, not run before, is to run on the same stack; else not at all.
static void
end_g(void)
{
	struct m *m = mn_m();
	struct p *p = m_p(m);
	struct g *g = m_g(m), *next;
	struct stack *s = g->stack;
	bool inherit = false;

	check_stack(m, g);
	m->grave = g->ctx;
	bury(p, g);
	m->doomed = m->locked_g != NULL;
	next = must_go_to_g0(m, p) ? NULL : mn_pick(p, &inherit);
	if (next && !next->stack && next->stack_class == s->class) {
		s->label = next->label;
		next->ctx = m->grave;
		next->stack = s;
		mn_begin(m, p, next, inherit);
		return;
	}
	struct context *to = prepare(m, p, next, inherit);

	m->after = after_end;
	m->left = NULL;
	m->dead_stack = s;
	leave(&m->grave, to, true);
	__builtin_unreachable();
}

static _Noreturn void
run_gs(void)
{
	for (;;) {
		struct g *g = m_g(mn_m());

		g->fn(g->arg);
		end_g();
	}
}

static void
begin_on_new_stack(void *unused)
{
	(void)unused;
	context_begun();
	arrive();
	run_gs();
}

static void
end_and_go_on(void *unused)
{
	(void)unused;
	end_g();
	run_gs();
}

void
mn_exit_g(struct g *g)
{
	context_abandon_frames(&g->ctx);
	mn_context_restart(stack_top(g->stack), end_and_go_on, NULL);
}

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
static struct g *
find_runnable(struct m *m, bool *inherit)
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

static struct g *
next_for(struct m *m, bool *inherit)
{
	struct g *g = m->pending;

	*inherit = false;
	if (g) {
		*inherit = m->pending_inherit;
		m->pending = NULL;
		return g;
	}
	return m->locked_g ? mn_wait_for_locked_g(m) : find_runnable(m, inherit);
}

static void
run_from_g0(struct m *m, struct g *g, bool inherit)
{
	if (load_relaxed(&m->spinning))
		mn_stop_spinning_found(m);
	if (unlikely(g->flags & G_LOCKED) && g->stack->locked_m != m) {
		mn_start_locked_m(m, g);
		return;
	}
	leave(&m->g0, prepare(m, m_p(m), g, inherit), false);
	arrive();
}

void
mn_schedule(struct m *m)
{
	struct g *g;
	bool inherit;

	while (!m->doomed && (g = next_for(m, &inherit)))
		run_from_g0(m, g, inherit);
	if (m->doomed)
		mn_m_die(m);
}
