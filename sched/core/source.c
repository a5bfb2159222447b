// SPDX-License-Identifier: MIT
// source.c: looking at timers and the network, and sleeping until one of them has something.
//
// One M at a time sleeps for all sources, without a P: in the poller if there is one, else on a note with a timeout.
// sched.lastpoll is 0 while it does, and poll_until says when it means to wake. Whoever starts a timer that is due earlier
// interrupts it; with nobody asleep there, an idle M is woken, which finds nothing and lies down there itself.
//
//	start a timer                       lie down
//	  into the heap, p->next_timer        lastpoll = 0, poll_until = earliest
//	  fence                 (TM1)         fence                    (TM2)
//	  read lastpoll, poll_until           look at every next_timer again
#include "sched/core/source.h"

#include "sched/core/scheduler.h"
#include "sched/core/wake.h"

void
mn_source_timers(const struct timer_source *t)
{
	store_release(&mn_sched.timers, t); // SO: the table is constant; release for what its floor set up before
}

void
mn_source_poller(const struct poll_source *p)
{
	store_release(&mn_sched.poller, p); // SO
	fence_store_load();                 // TM1
	// Who sleeps for timers alone must come and sleep here.
	if (load_relaxed(&mn_sched.lastpoll) == 0)
		note_wake(&mn_sched.poll_bed);
}

// ---- Timers

bool
mn_run_timers_of_others(struct p *on, int64_t now)
{
	struct sched *s = &mn_sched;
	const struct timer_source *t = load_acquire(&s->timers); // SO
	bool fired = false;

	if (!t)
		return false;
	for (uint32_t i = 0; i < num_ps(); i++)
		// TI: who sees the time sees the heap it is of.
		if (&s->allp[i] != on && load_acquire(&s->allp[i].next_timer) <= now)
			fired |= t->run(&s->allp[i], on, now);
	return fired;
}

void
mn_run_timers(struct p *p)
{
	const struct timer_source *t = load_acquire(&mn_sched.timers); // SO

	t->run(p, p, mn_os_now());
}

static int64_t
earliest(void)
{
	struct sched *s = &mn_sched;
	int64_t first = SOURCE_NEVER;

	if (!load_acquire(&s->timers)) // SO
		return first;
	for (uint32_t i = 0; i < num_ps(); i++) {
		int64_t when = load_relaxed(&s->allp[i].next_timer);

		first = when < first ? when : first;
	}
	return first;
}

bool
mn_source_unattended(void)
{
	return load_relaxed(&mn_sched.timers) && load_relaxed(&mn_sched.lastpoll) != 0 && earliest() != SOURCE_NEVER;
}

// ---- Being woken early

static void
interrupt_sleeper(void)
{
	struct sched *s = &mn_sched;
	const struct poll_source *poller = load_acquire(&s->poller); // SO

	note_wake(&s->poll_bed);
	if (poller)
		poller->interrupt();
}

void
mn_source_earlier(int64_t when)
{
	struct sched *s = &mn_sched;

	fence_store_load(); // TM1
	if (load_relaxed(&s->lastpoll) == 0) {
		if (load_relaxed(&s->poll_until) > when)
			interrupt_sleeper();
	} else if (load_relaxed(&s->npidle) > 0) {
		mn_wake_slow();
	}
}

void
mn_source_stop(void)
{
	if (load_relaxed(&mn_sched.lastpoll) == 0)
		interrupt_sleeper();
}

// ---- Making what was polled runnable

void
mn_inject(struct g **g, uint32_t n)
{
	struct sched *s = &mn_sched;
	struct m *m = mn_m();
	struct p *p = m ? m_p(m) : NULL;

	if (n == 0)
		return;
	if (p)
		COUNT_BY(p, readied, n);
	if (p && !s->global_only) {
		for (uint32_t i = 0; i < n; i++)
			mn_p_put(p, g[i], false);
		wake_for_local();
		return;
	}
	mn_globq_put(&s->globq, g, n);
	if (p)
		COUNT_BY(p, global_put, n);
	else if (m) {
		m->owed_global_puts += n;
		m->owed_readied += n;
	} else {
		s->sysmon_puts += n;
	}
	// As many Ms as there are Gs and idle Ps; the first wake would start a chain, but the Gs are ready now.
	wake_for_any();
}

static struct g *
keep_first(struct p *p, struct g **g, uint32_t n)
{
	COUNT(p, readied);
	COUNT(p, run_polled);
	mn_inject(g + 1, n - 1);
	return g[0];
}

static uint32_t
poll_now(struct g **out, uint32_t max)
{
	struct sched *s = &mn_sched;
	const struct poll_source *poller = load_acquire(&s->poller); // SO
	int64_t last = load_relaxed(&s->lastpoll);
	uint32_t nobody = 0, n;

	if (!poller || poller->waiters() == 0 || last == 0)
		return 0;
	// One at a time: the system's lock on the poller is contended otherwise (golang/go#65064).
	if (!cas_acquire(&s->polling, &nobody, 1)) // SO
		return 0;
	n = poller->poll(out, max, 0);
	// By CAS: an M that has lain down meanwhile must stay known as lying there.
	cas_relaxed(&s->lastpoll, &last, mn_os_now());
	store_release(&s->polling, 0); // SO
	return n;
}

struct g *
mn_poll_nonblocking(void)
{
	struct g *g[POLL_MAX];
	uint32_t n;

	if (!load_relaxed(&mn_sched.poller))
		return NULL;
	n = poll_now(g, POLL_MAX);
	if (n == 0)
		return NULL;
	return keep_first(m_p(mn_m()), g, n);
}

// Called by sysmon: when every P is busy with work of its own, nobody else may look at the network for long.
bool
mn_poll_if_overdue(int64_t now)
{
	enum { OVERDUE_NS = 10 * 1000 * 1000 };
	struct g *g[POLL_MAX];
	int64_t last = load_relaxed(&mn_sched.lastpoll);
	uint32_t n;

	if (!load_relaxed(&mn_sched.poller) || last == 0 || now - last < OVERDUE_NS)
		return false;
	// With Gs in hand we count as work in progress.
	mn_begin_carry();
	n = poll_now(g, POLL_MAX);
	mn_inject(g, n);
	mn_end_carry();
	return n > 0;
}

// ---- Sleeping for all sources

static uint32_t
sleep_until(struct g **out, int64_t until)
{
	struct sched *s = &mn_sched;
	const struct poll_source *poller = load_acquire(&s->poller); // SO
	int64_t now = mn_os_now();
	int64_t timeout = until == SOURCE_NEVER ? -1 : until > now ? until - now : 0;

	// In the poller even while nobody waits for I/O: the next one who does must find an M there.
	if (poller)
		return poller->poll(out, POLL_MAX, timeout);
	note_sleep(&s->poll_bed, timeout);
	return 0;
}

// Takes the role of the one who sleeps for all, if it is free and there is something to sleep for. *until: until when.
static bool
take_bed(int64_t *until)
{
	struct sched *s = &mn_sched;
	const struct poll_source *poller = load_acquire(&s->poller); // SO

	*until = earliest();
	if (*until == SOURCE_NEVER && !(poller && poller->waiters() > 0))
		return false;
	// An exchange: a CAS could fail because of somebody's look in passing, and leave the role to nobody.
	if (load_acquire(&s->stopping) || xchg_acq_rel(&s->lastpoll, 0) == 0) // SO, ST
		return false;
	for (;;) {
		int64_t first;

		store_relaxed(&s->poll_until, *until);
		fence_store_load(); // TM2
		first = earliest();
		if (first >= *until)
			break;
		*until = first;
	}
	mn_in_bed(true);
	return true;
}

static void
leave_bed(void)
{
	struct sched *s = &mn_sched;
	uint32_t set = NOTE_SET;

	mn_in_bed(false);
	// A wake meant for this sleep should not end the next one; one that comes later wakes it for a look in vain. Before the
	// role is given up: a wake that is meant for the next one must stay.
	cas_relaxed(&s->poll_bed.word, &set, NOTE_CLEAR);
	store_relaxed(&s->poll_until, 0);
	store_release(&s->lastpoll, mn_os_now()); // SO
}

static struct p *
any_idle_p(void)
{
	struct p *p;

	lock(&mn_sched.lock);
	p = mn_pidle_get_locked();
	unlock(&mn_sched.lock);
	return p;
}

// What was found goes to an idle P; if none is left, the busy ones will come across it.
static struct p *
wake_with(struct m *m, struct g **ready, uint32_t n, struct g **g)
{
	struct p *p = any_idle_p();

	if (!p) {
		mn_inject(ready, n);
		return NULL;
	}
	mn_acquire_p(m, p);
	if (n == 0) {
		mn_run_timers_of_others(p, mn_os_now());
		return p;
	}
	*g = keep_first(p, ready, n);
	// It may run for long, and we with it. The network is looked at by sysmon then; timers by nobody.
	if (mn_source_unattended())
		mn_wake_slow();
	return p;
}

struct p *
mn_sleep_for_sources(struct m *m, struct g **g)
{
	struct g *ready[POLL_MAX];
	int64_t until;
	uint32_t n;

	if (!take_bed(&until))
		return NULL;
	n = sleep_until(ready, until);
	leave_bed();
	return load_acquire(&mn_sched.stopping) ? NULL : wake_with(m, ready, n, g); // ST
}
