// SPDX-License-Identifier: MIT
// syscall.c: what happens to the P of a goroutine that leaves for the system.
//
// The G keeps its thread. Its P stays attached, but from the moment the G's status is SYSCALL the P is whoever's who takes
// it: sysmon, or another M that comes back. The lock for that is the SCAN bit on the G's status, so that entering and
// leaving costs two moves of one word and no lock:
//
//	G:      RUNNING -> SYSCALL (release, SC1) .. SYSCALL -> RUNNING (CAS; fails while SCAN is on)
//	taker:  SYSCALL -> SYSCALL|SCAN (CAS, SC1), detaches the P, SCAN off (release, SC2)
//
// G whose P is gone takes an idle one, or goes to the global queue while its thread lies down.
#include <errno.h>

#include "sched/core/scheduler.h"
#include "sched/core/wake.h"

enum { HANDOFF_SYSMON = 0, HANDOFF_IMMEDIATE = 1, HANDOFF_NONE = 2 }; // values of the option handoff

bool
mn_retake(struct p *p)
{
	struct m *m = load_acquire(&p->m); // CG
	struct g *g = m_g_of_other(m);
	uint16_t was = G_SYSCALL;

	// Ms and Gs are never freed while we run: at worst these are no longer each other's, which shows under the bit.
	if (!g || g_status(g) != G_SYSCALL || !cas_acq_rel(&g->status, &was, G_SYSCALL | G_SCAN)) // SC1
		return false;
	bool ours = load_relaxed(&g->m) == m && load_relaxed(&m->p) == p && load_relaxed(&p->m) == m;

	if (ours) {
		store_relaxed(&m->p, NULL);
		store_relaxed(&p->m, NULL);
		tally_add(&p->syscalltick, 1);
		COUNT(p, handoffs);
	}
	store_release(&g->status, G_SYSCALL); // SC2
	return ours;
}

// Whatever find_runnable would find on this P, an M must be started for. Else the P is idle.
void
mn_handoff_p(struct p *p)
{
	struct sched *s = &mn_sched;
	uint32_t nobody = 0;

	if (!mn_runq_empty(&p->runq) || globq_len(&s->globq)) {
		mn_start_m(p, false);
		return;
	}
	// All others are busy and nobody searches: without one who does, nobody would notice new work.
	if (load_relaxed(&s->nspinning) + load_relaxed(&s->npidle) == 0 && cas_seq_cst(&s->nspinning, &nobody, 1)) {
		mn_start_m(p, true);
		return;
	}
	lock(&s->lock);
	mn_pidle_put_locked(p);
	fence_store_load(); // WK2
	if ((globq_len(&s->globq) || load_relaxed(&s->needspinning)) && mn_pidle_take_locked(p)) {
		mn_start_m_unlock(p, false);
		return;
	}
	unlock(&s->lock);
}

static void
enter(bool give_away)
{
	struct m *m = mn_m();
	struct g *g = m_g(m);
	struct p *p = m_p(m);

	if (unlikely(!p))
		mn_misplaced("mn_syscall_enter");
	m->oldp = p;
	COUNT(p, syscalls);
	give_away = give_away && mn_may_start();
	if (give_away) {
		COUNT(p, handoffs);
		tally_add(&p->syscalltick, 1);
		mn_release_p(m);
	}
	CHECK(g_status(g) == G_RUNNING);
	store_release(&g->status, G_SYSCALL); // SC1: from here on p may be another's
	if (give_away)
		mn_handoff_p(p);
}

void
mn_syscall_enter(void)
{
	enter(mn_sched.options.handoff == HANDOFF_IMMEDIATE);
}

void
mn_blocking_enter(void)
{
	enter(mn_sched.options.handoff != HANDOFF_NONE);
}

// ---- The way back

static void
leave_syscall_status(struct g *g)
{
	uint16_t was = G_SYSCALL;

	while (!cas_acq_rel(&g->status, &was, G_RUNNING)) { // SC2
		CHECK(was == (G_SYSCALL | G_SCAN));
		was = G_SYSCALL;
		cpu_pause();
	}
}

// The old P if it is idle, or if its present M is itself in a system call; else any idle one. NULL: none.
static struct p *
find_p(struct p *old)
{
	struct sched *s = &mn_sched;
	struct p *p = NULL;

	if (mn_retake(old))
		return old;
	if (load_relaxed(&s->npidle) == 0)
		return NULL;
	lock(&s->lock);
	p = mn_pidle_take_locked(old) ? old : mn_pidle_get_locked();
	unlock(&s->lock);
	return p;
}

static void
go_on_with(struct m *m, struct g *g, struct p *p)
{
	mn_acquire_p(m, p);
	g_move(g, G_RUNNING, G_RUNNABLE);
	COUNT(p, run_returned);
	mn_begin(m, p, g, false);
}

static void
after_exit_without_p(struct m *m, struct g *g)
{
	g_move(g, G_RUNNING, G_RUNNABLE);
	m->owed_global_puts++;
	mn_globq_put(&mn_sched.globq, &g, 1);
	wake_for_any();
}

// errno belongs to the thread; what the call left there belongs to the goroutine. Read and written by calls, whose address of
// errno is of the moment.
static NOINLINE int
errno_get(void)
{
	return errno;
}

static NOINLINE void
errno_set(int value)
{
	errno = value;
}

static void
leave_syscall(void)
{
	struct m *m = mn_m();
	struct g *g = m_g(m);
	struct p *p;

	leave_syscall_status(g);
	p = m_p(m);
	if (likely(p != NULL)) {
		tally_add(&p->syscalltick, 1);
		COUNT(p, syscalls_kept);
		return;
	}
	p = find_p(m->oldp);
	if (p)
		go_on_with(m, g, p);
	else
		mn_leave_g_to_g0(m, g, after_exit_without_p);
}

void
mn_syscall_exit(void)
{
	int kept = errno_get();

	leave_syscall();
	errno_set(kept);
}

void
mn_blocking_exit(void)
{
	mn_syscall_exit();
}
