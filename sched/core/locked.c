// SPDX-License-Identifier: MIT
// locked.c: a goroutine and a thread that belong together (LockOSThread).
//
// A locked M runs its G only, and the G runs there only. When the G leaves, its M gives the P away and sleeps; whoever takes the G
// from a queue hands its own P over to that M. Two thread switches for each time: the price of it in Go too.
#include "sched/core/scheduler.h"

struct g *
mn_wait_for_locked_g(struct m *m)
{
	struct sched *s = &mn_sched;

	// The P halts here if it is to: whoever it was handed to would hand it to the next locked M, and so on without end.
	if (m_p(m) && world_stops())
		mn_halt(m);
	if (m_p(m))
		mn_handoff_p(mn_release_p(m));
	lock(&s->lock);
	s->nlocked_idle++;
	mn_check_dead_locked();
	unlock(&s->lock);
	note_sleep(&m->note, -1);
	mn_acquire_p(m, m->nextp);
	return m->locked_g;
}

void
mn_start_locked_m(struct m *m, struct g *g)
{
	struct m *other = g->stack->locked_m;

	lock(&mn_sched.lock);
	mn_sched.nlocked_idle--;
	unlock(&mn_sched.lock);
	other->nextp = mn_release_p(m);
	note_wake(&other->note);
}

// The state of the thread is no longer known to be clean: nobody else may run on it. The caller's thread cannot be ended: it sleeps
// until the scheduler does.
void
mn_m_die(struct m *m)
{
	struct sched *s = &mn_sched;

	mn_handoff_p(mn_release_p(m));
	lock(&s->lock);
	if (m->id == 0) {
		s->nm--;
		s->wedged = &m->note;
	} else {
		mn_m_dies_locked(m);
	}
	mn_check_dead_locked();
	unlock(&s->lock);
	if (m->id == 0)
		note_sleep(&m->note, -1);
}

void
mn_lock_thread(void)
{
	struct m *m = mn_m();
	struct g *g = m_g(m);

	if (g->stack->lock_depth++ > 0)
		return;
	g->flags |= G_LOCKED;
	g->stack->locked_m = m;
	m->locked_g = g;
}

void
mn_unlock_thread(void)
{
	struct m *m = mn_m();
	struct g *g = m_g(m);

	if (g->stack->lock_depth == 0 || --g->stack->lock_depth > 0)
		return;
	g->flags &= (uint8_t)~G_LOCKED;
	g->stack->locked_m = NULL;
	m->locked_g = NULL;
}
