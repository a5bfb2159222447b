// SPDX-License-Identifier: MIT
// sysmon.c: a thread without a P that looks after those that have one: takes Ps from long system calls, asks long slices to
// end, calls the trace hook.
//
// It sleeps 20 us between looks while it finds something to do, doubles that after 50 looks in vain up to 10 ms, and sleeps
// for good while every P is idle; whoever takes a P off the full idle list wakes it (p.c). Go leaves that to entersyscall,
// which its I/O passes through and ours need not.
#include "sched/core/sysmon.h"

#include <errno.h>
#include <stdlib.h>

#include "sched/core/scheduler.h"

enum {
	NAP_MIN_NS = 20 * 1000,
	NAP_MAX_NS = 10 * 1000 * 1000,
	VAIN_LOOKS = 50,
	CALL_MAX_NS = 10 * 1000 * 1000, // a P in a call for longer is taken even when nobody needs it
	SYSMON_STACK = 256 << 10,
};

enum { PREEMPT_COOPERATIVE = 0, PREEMPT_OFF = 1, HANDOFF_BY_SYSMON = 0 }; // values of the options preempt, handoff

static void
watch_slice(struct p *p, int64_t now)
{
	uint32_t tick = tally_get(&p->schedtick);

	if (tick != p->seen.schedtick) {
		p->seen.schedtick = tick;
		p->seen.since = now;
	} else if (now - p->seen.since >= (int64_t)mn_sched.options.slice_us * 1000 &&
	           mn_sched.options.preempt != PREEMPT_OFF) {
		store_relaxed(&p->preempt, 1);
	}
}

// Takes a P whose G was in the same call at the last look too, if anybody has a use for it.
static bool
watch_call(struct p *p, int64_t now)
{
	struct sched *s = &mn_sched;
	struct g *g = m_g_of_other(load_acquire(&p->m)); // CG
	uint32_t tick = tally_get(&p->syscalltick);

	if (!g || g_status(g) != G_SYSCALL)
		return false;
	if (tick != p->seen.syscalltick) {
		p->seen.syscalltick = tick;
		p->seen.syscall_since = now;
		return false;
	}
	if (mn_runq_empty(&p->runq) && globq_len(&s->globq) == 0 &&
	    load_relaxed(&s->nspinning) + load_relaxed(&s->npidle) > 0 && now - p->seen.syscall_since < CALL_MAX_NS)
		return false;
	// With all threads there may be in use, the one that blocks keeps its P.
	if (!mn_may_start())
		return false;
	mn_begin_carry();
	bool took = mn_retake(p);

	if (took)
		mn_handoff_p(p);
	mn_end_carry();
	return took;
}

// One look at every P. Whether anything was taken.
static bool
look(int64_t now)
{
	struct sched *s = &mn_sched;
	bool took = false;

	for (uint32_t i = 0; i < num_ps(); i++) {
		struct p *p = &s->allp[i];

		if (load_relaxed(&p->status) != P_RUNNING)
			continue;
		watch_slice(p, now);
		if (s->options.handoff == HANDOFF_BY_SYSMON && watch_call(p, now))
			took = true;
	}
	return took;
}

// While no P is busy there is nothing to look after, unless somebody wants to see the trace go on. Whether it slept.
static bool
sleep_deeply_if_idle(struct sysmon *y)
{
	struct sched *s = &mn_sched;
	bool idle;

	lock(&s->lock);
	idle = load_relaxed(&s->npidle) == num_ps() && !s->on_sysmon && !load_relaxed(&y->stop);
	if (idle)
		s->sysmon_bed = &y->bed;
	unlock(&s->lock);
	if (idle)
		note_sleep(&y->bed, -1);
	return idle;
}

void
mn_sysmon_wake_locked(void)
{
	struct sched *s = &mn_sched;

	lock_assert_held(&s->lock);
	if (s->sysmon_bed)
		note_wake(s->sysmon_bed);
	s->sysmon_bed = NULL;
}

void
mn_sysmon_hurry(void)
{
	note_wake(&mn_sched.sysmon->bed);
}

static int64_t
nap_after(int vain)
{
	int64_t nap = NAP_MIN_NS;

	for (; vain > VAIN_LOOKS && nap < NAP_MAX_NS; vain--)
		nap *= 2;
	return nap < NAP_MAX_NS ? nap : NAP_MAX_NS;
}

static void
sysmon_main(void *arg)
{
	struct sysmon *y = arg;
	int vain = 0;

	mn_os_sleep_precisely();
	while (!load_acquire(&y->stop)) {
		note_sleep(&y->bed, nap_after(vain));
		if (sleep_deeply_if_idle(y))
			vain = 0; // work has just begun: look often
		int64_t now = mn_os_now();

		mn_m_births();
		mn_m_funerals();
		bool found = look(now);

		found |= mn_poll_if_overdue(now);
		vain = found ? 0 : vain + 1;
		if (mn_sched.on_sysmon)
			mn_sched.on_sysmon(now);
	}
}

int
mn_sysmon_start(void)
{
	struct sysmon *y = calloc(1, sizeof(*y));
	int error;

	if (!y)
		return -ENOMEM;
	mn_sched.sysmon = y;
	error = mn_os_thread_start(&y->thread, sysmon_main, y, SYSMON_STACK);
	if (error) {
		mn_sched.sysmon = NULL;
		free(y);
	}
	return error;
}

void
mn_sysmon_stop(void)
{
	struct sysmon *y = mn_sched.sysmon;

	lock(&mn_sched.lock);
	store_release(&y->stop, 1);
	mn_sched.sysmon_bed = NULL;
	unlock(&mn_sched.lock);
	note_wake(&y->bed);
	mn_os_thread_join(&y->thread);
	mn_sched.sysmon = NULL;
	free(y);
}
