// SPDX-License-Identifier: MIT
// m.c: threads: creating, waking, putting to sleep, and the moment when all of them sleep.
#include "sched/core/m.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/core/scheduler.h"

enum { M_STACK = 256 << 10, TRIES = 20, RETRY_NS = 1000000 };

void
mn_misplaced(const char *what)
{
	mn_throw("%s called between mn_syscall_enter and mn_syscall_exit", what);
}

// ---- Holding a P

static void
bind_to(struct m *m, struct p *p)
{
	struct sched *s = &mn_sched;

	// A locked thread's binding is its goroutine's business.
	if (p->pu < 0 || m->locked_g)
		return;
	if (m->bound_pu != p->pu && mn_topo_bind_self(s->topo, p->pu) == 0)
		m->bound_pu = p->pu;
	// The system may be late, or have been overruled: seen from here it counts.
	if (mn_os_current_pu() != p->pu)
		COUNT(p, pin_violations);
}

void
mn_acquire_p(struct m *m, struct p *p)
{
	CHECK(!m_p(m) && !load_relaxed(&p->m) && load_relaxed(&p->status) == P_RUNNING);
	store_release(&p->m, m); // CG: likewise an M
	store_relaxed(&m->p, p);
	if (m->owed_global_puts) {
		COUNT_BY(p, global_put, m->owed_global_puts);
		COUNT_BY(p, readied, m->owed_readied);
		m->owed_global_puts = m->owed_readied = 0;
	}
	bind_to(m, p);
}

struct p *
mn_release_p(struct m *m)
{
	struct p *p = m_p(m);

	CHECK(p && load_relaxed(&p->m) == m);
	if (p->pu >= 0 && m->bound_pu == p->pu && mn_os_current_pu() != p->pu)
		COUNT(p, pin_violations);
	store_relaxed(&p->m, NULL);
	store_relaxed(&m->p, NULL);
	return p;
}

// ---- Making one

static struct m *
new_locked(void)
{
	struct sched *s = &mn_sched;
	struct m *m = calloc(1, sizeof(*m));

	if (!m)
		mn_throw("out of memory for a thread's descriptor");
	m->id = (int)s->nmade++;
	s->nm++;
	m->bound_pu = -1;
	m->all_link = s->allm;
	s->allm = m;
	return m;
}

// Without an alternate stack an overflow ends the process without a word, as it would without us.
static void
m_enter(struct m *m)
{
	mn_os_alt_stack_enter(&m->alt_stack);
	mn_os_set_self(m);
	mn_context_adopt(&m->g0);
}

void
mn_m_leave(struct m *m)
{
	mn_os_set_self(NULL);
	mn_os_alt_stack_leave(&m->alt_stack);
}

struct m *
mn_m_adopt(void)
{
	struct sched *s = &mn_sched;
	struct m *m;

	lock(&s->lock);
	m = new_locked();
	unlock(&s->lock);
	m_enter(m);
	return m;
}

static void
thread_main(void *arg)
{
	struct m *m = arg;

	m_enter(m);
	mn_acquire_p(m, m->nextp);
	mn_schedule(m);
	mn_m_leave(m);
}

// Its descriptor counts since before the lock was dropped, so that nobody takes the others for all there are.
static void
create_thread(struct m *m)
{
	int error = 0;

	for (int i = 0; i < TRIES; i++) {
		error = mn_os_thread_start(&m->thread, thread_main, m, M_STACK);
		if (error != -EAGAIN)
			break;
		mn_os_sleep(RETRY_NS);
	}
	if (error)
		mn_throw("failed to create new OS thread (have %d already; errno=%d): %s; "
		         "may need to raise the limit on user processes (ulimit -u)",
		         m->id, -error, strerror(-error));
}

// A locked thread has none: its mask, binding, name spaces may be its G's own.
static void
give_birth(struct m *m)
{
	struct sched *s = &mn_sched;
	struct m *self = mn_m();

	if (!self || !self->locked_g) { // sysmon, which is clean, has no M
		create_thread(m);
		return;
	}
	lock(&s->lock);
	m->idle_link = s->births;
	s->births = m;
	unlock(&s->lock);
	mn_sysmon_hurry();
}

void
mn_m_births(void)
{
	struct sched *s = &mn_sched;
	struct m *m, *next;

	lock(&s->lock);
	m = s->births;
	s->births = NULL;
	unlock(&s->lock);
	for (; m; m = next) {
		next = m->idle_link;
		create_thread(m);
	}
}

void
mn_m_join_all(void)
{
	struct sched *s = &mn_sched;

	for (struct m *m = s->allm, *next; m; m = next) {
		next = m->all_link;
		if (m->id != 0)
			mn_os_thread_join(&m->thread);
	}
}

// ---- Waking and sleeping

void
mn_start_m_unlock(struct p *p, bool spinning)
{
	struct sched *s = &mn_sched;
	struct m *m = s->midle;

	lock_assert_held(&s->lock);
	COUNT(p, wakes);
	if (m) {
		s->midle = m->idle_link;
		s->nmidle--;
	}
	bool create = !m;

	if (create)
		m = new_locked();
	unlock(&s->lock);
	m->nextp = p;
	m->woken = true;
	store_relaxed(&m->spinning, spinning);
	if (create)
		give_birth(m);
	else
		note_wake(&m->note);
}

void
mn_start_m(struct p *p, bool spinning)
{
	lock(&mn_sched.lock);
	mn_start_m_unlock(p, spinning);
}

// Figures of a moment at which no M runs: they no longer change.
static uint64_t
alive_locked(void)
{
	struct sched *s = &mn_sched;
	uint64_t alive = 0;

	for (uint32_t i = 0; i < s->nps; i++)
		alive += tally_get(&s->allp[i].n.spawned) - tally_get(&s->allp[i].n.finished);
	return alive;
}

static bool
any_runnable_locked(void)
{
	struct sched *s = &mn_sched;

	for (uint32_t i = 0; i < s->nprocs; i++)
		if (!mn_runq_empty(&s->allp[i].runq))
			return true;
	return globq_len(&s->globq) > 0;
}

static void
end_locked(void)
{
	struct sched *s = &mn_sched;

	store_release(&s->stopping, 1); // ST: pairs with the look in mn_stop_m
	for (struct m *m = s->midle; m; m = m->idle_link)
		note_wake(&m->note);
	if (s->nbed)
		mn_source_stop();
	if (s->wedged)
		note_wake(s->wedged);
}

// Called whenever an M lies down. When all do, either all goroutines have ended, or those left wait for each other.
static void
check_dead_locked(void)
{
	struct sched *s = &mn_sched;

	int64_t asleep = (int64_t)s->nmidle + s->nbed + s->nlocked_idle;

	CHECK(asleep <= s->nm);
	if (asleep < s->nm || s->ncarried > 0 || load_relaxed(&s->stopping))
		return;
	if (any_runnable_locked())
		mn_throw("checkdead: runnable g: all threads sleep though a goroutine could run");
	if (alive_locked() == 0)
		end_locked();
	else if (!s->nbed)
		mn_throw("all goroutines are asleep - deadlock!");
}

void
mn_begin_carry(void)
{
	lock(&mn_sched.lock);
	mn_sched.ncarried++;
	unlock(&mn_sched.lock);
}

// The last M may have lain down meanwhile, and left it to us to see that it was the last.
void
mn_end_carry(void)
{
	lock(&mn_sched.lock);
	mn_sched.ncarried--;
	check_dead_locked();
	unlock(&mn_sched.lock);
}

void
mn_in_bed(bool in)
{
	lock(&mn_sched.lock);
	mn_sched.nbed = in;
	check_dead_locked();
	unlock(&mn_sched.lock);
}

bool
mn_stop_m(struct m *m)
{
	struct sched *s = &mn_sched;

	CHECK(!m_p(m) && !load_relaxed(&m->spinning));
	lock(&s->lock);
	if (load_relaxed(&s->stopping)) {
		unlock(&s->lock);
		return false;
	}
	m->nextp = NULL;
	m->idle_link = s->midle;
	s->midle = m;
	s->nmidle++;
	check_dead_locked();
	unlock(&s->lock);
	note_sleep(&m->note, -1);
	if (!m->nextp) {
		CHECK(load_acquire(&s->stopping)); // ST
		return false;
	}
	mn_acquire_p(m, m->nextp);
	return true;
}

// ---- Locked Ms

struct g *
mn_wait_for_locked_g(struct m *m)
{
	struct sched *s = &mn_sched;

	if (m_p(m))
		mn_handoff_p(mn_release_p(m));
	lock(&s->lock);
	s->nlocked_idle++;
	check_dead_locked();
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
	s->nm--;
	if (m->id == 0)
		s->wedged = &m->note;
	check_dead_locked();
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
