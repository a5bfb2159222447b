// SPDX-License-Identifier: MIT
// join.c: starting goroutines, and waiting for one of them.
//
// A child that nobody has started yet is taken back and called like a function, on the joiner's stack: fork and join then
// cost no switch and no stack. Only that child, never other work: a joiner that ran whatever it found would run, on top of
// its frames, goroutines that wait for locks it holds (rayon#592), and without a bound on depth (rayon#854). Hence also the
// half of the stack that must be free.
#include "sched/core/park.h"
#include "sched/core/scheduler.h"
#include "sched/core/wake.h"

#include <errno.h>

// Puts a new G where its spawner's P looks first.
static void
submit(struct p *p, struct g *g)
{
	mn_p_put(p, g, true);
	wake_for_local();
}

int
mn_go(mn_fn fn, void *arg)
{
	struct m *m = mn_m();
	struct p *p;
	struct g *g;

	if (unlikely(!m))
		return -EPERM;
	p = m_p(m);
	g = mn_g_new(p, fn, arg);
	if (unlikely(!g))
		return -ENOMEM;
	submit(p, g);
	return 0;
}

static int
stack_class_of(int kb)
{
	for (int class = STACK_CLASS_MIN; class <= STACK_CLASS_MAX; class ++)
		if (1 << (class - 10) == kb)
			return class;
	return -EINVAL;
}

int
mn_go_with(const struct mn_go_attr *attr, mn_fn fn, void *arg)
{
	struct m *m = mn_m();
	int class = attr->stack_kb ? stack_class_of(attr->stack_kb) : mn_sched.stack_class;
	struct g *g;

	if (!m)
		return -EPERM;
	if (class < 0)
		return class;
	g = mn_g_new(m_p(m), fn, arg);
	if (!g)
		return -ENOMEM;
	g->stack_class = (uint8_t) class;
	g->label = attr->label;
	submit(m_p(m), g);
	return 0;
}

struct mn_task *
mn_spawn(mn_fn fn, void *arg)
{
	struct m *m = mn_m();
	struct p *p;
	struct g *g;

	if (unlikely(!m))
		return NULL;
	p = m_p(m);
	g = mn_g_new(p, fn, arg);
	if (unlikely(!g))
		return NULL;
	g->flags = G_JOINABLE;
	submit(p, g);
	return (struct mn_task *)g;
}

// ---- Running a child in place

struct inline_frame {
	void *outer;              // the next child outwards that runs in place on this stack
	struct context_mark mark; // for mn_exit: where to go on
};

// A function of its own: the compiler's longjmp may not go to where it stands.
static NOINLINE void
call(struct inline_frame *f, mn_fn fn, void *arg)
{
	if (context_mark_set(&f->mark))
		fn(arg);
	// Nor may the call be the last thing: the frame that the mark is in must outlive it.
	__asm__ volatile("" ::: "memory");
}

static void
run_in_place(struct g *g, struct g *child)
{
	struct inline_frame frame = { .outer = g->stack->inline_frame };
	uint64_t id = g->id;

	g_move(child, G_RUNNABLE, G_RUNNING);
	g->id = child->id;
	g->stack->inline_frame = &frame;
	call(&frame, child->fn, child->arg);
	g->stack->inline_frame = frame.outer;
	// A child that ended locked had no thread of its own to lose.
	while (unlikely(g->stack->lock_depth > 0))
		mn_unlock_thread();
	g->id = id;
	g_move(child, G_RUNNING, G_DEAD);
}

void
mn_exit(void)
{
	struct g *g = m_g(mn_m());
	struct inline_frame *f = g->stack->inline_frame;

	if (f)
		context_go_to_mark(&f->mark);
	mn_exit_g(g);
}

// A child that has begun may stand in our queue too: it gave way, or was readied. If it has not begun now, and then is found
// there, it has not begun at all: whoever takes a G puts it back into no queue but his own.
static bool
unstarted(struct g *child)
{
	return load_relaxed(&child->m) == NULL;
}

static bool
take_back(struct p *p, struct g *child)
{
	struct g *next = child;

	if (load_relaxed(&p->runq.runnext) == child) {
		if (!cas_acq_rel(&p->runq.runnext, &next, NULL)) // RN
			return false;
		COUNT(p, joined_runnext);
		return true;
	}
	if (!mn_runq_take_back(&p->runq, child))
		return false;
	COUNT(p, joined_local);
	return true;
}

static bool
half_free(struct g *g)
{
	return stack_left(g->stack) > ((size_t)1 << g->stack_class) / 2;
}

// ---- Waiting for it

static bool
commit_join(struct g *g, void *arg)
{
	struct g *child = arg;
	struct g *nobody = NULL;

	return cas_acq_rel(&child->join, &nobody, g); // JN: fails if the child has ended meanwhile
}

void
mn_join(struct mn_task *task)
{
	struct g *child = (struct g *)task;
	struct m *m = mn_m();
	struct p *p = m_p(m);
	struct g *g = m_g(m);

	if (load_acquire(&child->join) != JOIN_DONE) { // JN
		// Not once the slice is over: a chain of children in place would never come by the others. Nor on a locked
		// thread, which is for the joiner alone.
		bool never = load_relaxed(&p->preempt) != 0 || m->locked_g;

		if (!never && half_free(g) && unstarted(child) && take_back(p, child)) {
			run_in_place(g, child);
			p = m_p(mn_m());
			COUNT(p, run_joined);
			COUNT(p, finished);
		} else {
			mn_park(commit_join, child, WAIT_JOIN);
			p = m_p(mn_m());
			CHECK(load_acquire(&child->join) == JOIN_DONE); // JN
		}
	}
	g_put(&p->gs, child);
}
