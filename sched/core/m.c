// SPDX-License-Identifier: MIT
// m.c: threads: creating, waking, putting to sleep, and the moment when all of them sleep.
#include "sched/core/m.h"

#include "sched/core/scheduler.h"

// An idle thread that nobody has needed for that long, of more than so many beyond GOMAXPROCS, ends.
#define IDLE_MAX_NS ((int64_t)2000 * 1000 * 1000)
enum { SPARE_MS = 2 };

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

// ---- Waking and sleeping

// No thread may be had: the P waits for one that comes back from a system call. What is in its queue waits too.
static void
give_back_unlock(struct p *p, bool spinning)
{
	struct sched *s = &mn_sched;

	if (spinning)
		sub_seq_cst(&s->nspinning, 1);
	mn_pidle_put_full_locked(p);
	unlock(&s->lock);
}

void
mn_start_m_unlock(struct p *p, bool spinning)
{
	struct sched *s = &mn_sched;
	struct m *m = s->midle;

	lock_assert_held(&s->lock);
	if (!mn_may_start_locked()) {
		give_back_unlock(p, spinning);
		return;
	}
	COUNT(p, wakes);
	if (m) {
		s->midle = m->idle_link;
		s->nmidle--;
	}
	bool create = !m;

	if (create) {
		mn_check_threads_locked();
		m = mn_m_new_locked();
	}
	unlock(&s->lock);
	m->nextp = p;
	m->woken = true;
	store_relaxed(&m->spinning, spinning);
	if (create)
		mn_give_birth(m);
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
	uint64_t alive = tally_get(&s->remote_spawned);

	for (uint32_t i = 0; i < load_acquire(&s->nps); i++)
		alive += tally_get(&s->allp[i].n.spawned) - tally_get(&s->allp[i].n.finished);
	return alive;
}

static bool
any_runnable_locked(void)
{
	struct sched *s = &mn_sched;

	for (uint32_t i = 0; i < num_ps(); i++)
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
void
mn_check_dead_locked(void)
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
	mn_check_dead_locked();
	unlock(&mn_sched.lock);
}

void
mn_in_bed(bool in)
{
	lock(&mn_sched.lock);
	mn_sched.nbed = in;
	mn_check_dead_locked();
	unlock(&mn_sched.lock);
}

static bool
leave_idle_list_locked(struct m *m)
{
	for (struct m **link = &mn_sched.midle; *link; link = &(*link)->idle_link)
		if (*link == m) {
			*link = m->idle_link;
			mn_sched.nmidle--;
			return true;
		}
	return false;
}

// Nobody has needed m for long. Whoever took it off the list meanwhile is about to wake it: then it stays.
static bool
end_if_idle(struct m *m)
{
	lock(&mn_sched.lock);
	bool idle = !load_relaxed(&mn_sched.stopping) && leave_idle_list_locked(m);

	if (idle)
		mn_m_dies_locked(m);
	unlock(&mn_sched.lock);
	return idle;
}

static bool
too_many_locked(struct m *m)
{
	return m->id != 0 && mn_sched.nm > num_ps() + SPARE_MS;
}

// Until woken. False: it was idle for so long that its thread ends.
static bool
sleep_or_end(struct m *m, bool mortal)
{
	if (note_sleep(&m->note, mortal ? IDLE_MAX_NS : -1))
		return true;
	if (mortal && end_if_idle(m))
		return false;
	return note_sleep(&m->note, -1);
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
	bool mortal = too_many_locked(m);

	mn_check_dead_locked();
	unlock(&s->lock);
	if (!sleep_or_end(m, mortal))
		return false;
	if (!m->nextp) {
		CHECK(load_acquire(&s->stopping)); // ST
		return false;
	}
	mn_acquire_p(m, m->nextp);
	return true;
}
