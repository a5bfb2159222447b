// SPDX-License-Identifier: MIT
// proc.c: the life of a goroutine on its M, and the loop that finds the next one.
//
// Switches go straight from G to G where there is work at hand; g0 runs only when there is none, or when a G without a P is
// to be left. What has to happen to the G that was left happens on the far side (arrive): only there is it off its stack.
// A G that ends does not switch at all if the next one has not run yet: that one takes the stack over.
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

// ---- The loop on g0

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
	return m->locked_g ? mn_wait_for_locked_g(m) : mn_find_runnable(m, inherit);
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
