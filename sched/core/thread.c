// SPDX-License-Identifier: MIT
// thread.c: the threads of Ms: creating them, ending them, and how many there may be.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sched/core/scheduler.h"

enum { M_STACK = 256 << 10, TRIES = 20, RETRY_NS = 1000000 };

struct m *
mn_m_new_locked(void)
{
	struct sched *s = &mn_sched;
	struct m *m = s->buried;

	s->nm++;
	s->nmade++;
	if (m) {
		s->buried = m->idle_link;
		m->nothread = false;
		return m;
	}
	m = calloc(1, sizeof(*m));
	if (!m)
		mn_throw("out of memory for a thread's descriptor");
	m->id = s->next_m++;
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
	m = mn_m_new_locked();
	unlock(&s->lock);
	m_enter(m);
	return m;
}

static void
thread_main(void *arg)
{
	struct m *m = arg;

	mn_os_thread_self(&m->thread);
	m_enter(m);
	mn_acquire_p(m, m->nextp);
	mn_schedule(m);
	mn_m_leave(m);
}

// Its descriptor counts since before the lock was dropped, so that nobody takes the others for all there are. The thread itself
// writes down which it is: before we come to it, it may have ended, been buried, and its descriptor be another's.
static void
create_thread(struct m *m)
{
	struct mn_os_thread thread;
	int error = 0;

	for (int i = 0; i < TRIES; i++) {
		error = mn_os_thread_start(&thread, thread_main, m, M_STACK);
		if (error != -EAGAIN)
			break;
		mn_os_sleep(RETRY_NS);
	}
	if (error)
		mn_throw("failed to create new OS thread (have %d already; errno=%d): %s; "
		         "may need to raise the limit on user processes (ulimit -u)",
		         m->id, -error, strerror(-error));
}

// A thread inherits its creator's mask, binding and name spaces: a locked one's may be its G's own, a foreign one's the host's. These
// leave it to sysmon, which is as clean as the caller of mn_run was.
void
mn_give_birth(struct m *m)
{
	struct sched *s = &mn_sched;
	struct m *self = mn_m();

	if (self && !self->locked_g) {
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

// ---- Ending one

// m's thread is about to end; whoever buries it joins it first.
void
mn_m_dies_locked(struct m *m)
{
	struct sched *s = &mn_sched;

	lock_assert_held(&s->lock);
	s->nm--;
	m->idle_link = s->dead;
	s->dead = m;
}

// Joins the threads that have ended. Their descriptors, which stale pointers may still lead to, are used again.
void
mn_m_funerals(void)
{
	struct sched *s = &mn_sched;
	struct m *m, *next;

	lock(&s->lock);
	m = s->dead;
	s->dead = NULL;
	unlock(&s->lock);
	for (; m; m = next) {
		next = m->idle_link;
		mn_os_thread_join(&m->thread);
		lock(&s->lock);
		m->doomed = false;
		m->locked_g = NULL;
		m->bound_pu = -1;
		m->nothread = true;
		m->idle_link = s->buried;
		s->buried = m;
		unlock(&s->lock);
	}
}

// ---- How many

enum { THREADS_ABORT = 0 }; // a value of the option threads_full

bool
mn_may_start_locked(void)
{
	struct sched *s = &mn_sched;

	lock_assert_held(&s->lock);
	return s->midle || s->nm < (uint32_t)s->options.threads_max || s->options.threads_full == THREADS_ABORT;
}

bool
mn_may_start(void)
{
	if (mn_sched.options.threads_full == THREADS_ABORT)
		return true;
	lock(&mn_sched.lock);
	bool may = mn_may_start_locked();

	unlock(&mn_sched.lock);
	return may;
}

void
mn_check_threads_locked(void)
{
	struct sched *s = &mn_sched;

	if (s->nm < (uint32_t)s->options.threads_max)
		return;
	dprintf(STDERR_FILENO, "runtime: program exceeds %d-thread limit\n", s->options.threads_max);
	mn_throw("thread exhaustion");
}

void
mn_m_join_all(void)
{
	struct sched *s = &mn_sched;

	mn_m_funerals();
	for (struct m *m = s->allm; m; m = m->all_link)
		if (m->id != 0 && !m->nothread)
			mn_os_thread_join(&m->thread);
}
