// SPDX-License-Identifier: MIT
// cond.c: the condition variable: a list of waiters in order of their tickets.
//
// A waiter draws a ticket while it still holds the user's mutex, and joins the list after it has let go of it. A signal in
// between is not lost: signals are numbered as well, and one that is for a ticket not yet in the list leaves only the number
// behind, which the waiter finds when it comes. So the n-th signal wakes whoever drew the n-th ticket, however late the
// two come to the list, and nobody can steal a signal that was sent before he came.
#include "sched/core/park.h"
#include "sched/mn.h"
#include "sched/os/lock.h"

// On the waiter's stack, alive until the waiter runs again.
struct waiter {
	struct waiter *next;
	struct g *g;
	uint32_t ticket;
};

struct cond {
	_Atomic uint32_t drawn; // (a) CN1: tickets given out; the next one's number
	_Atomic uint32_t
	        called;   // (a) tickets below this one have been woken, or need not sleep; written under the lock
	struct lock lock; // guards the list
	struct waiter *first, *last;
};

_Static_assert(sizeof(struct cond) <= sizeof(struct mn_cond), "struct mn_cond has room for it");

static struct cond *
cond_of(struct mn_cond *c)
{
	return (struct cond *)c->opaque;
}

static void
append_locked(struct cond *c, struct waiter *w)
{
	if (c->first)
		c->last->next = w;
	else
		c->first = w;
	c->last = w;
}

static bool
commit_wait(struct g *g, void *arg)
{
	struct cond *c = arg;

	(void)g;
	unlock(&c->lock);
	return true;
}

// Numbers go round: a ticket has been called if it lies behind.
static bool
called_locked(struct cond *c, uint32_t ticket)
{
	return (int32_t)(ticket - load_relaxed(&c->called)) < 0;
}

static void
sleep_until_called(struct cond *c, uint32_t ticket)
{
	struct waiter self = { .g = mn_self_g(), .ticket = ticket };

	lock(&c->lock);
	if (called_locked(c, ticket)) {
		unlock(&c->lock);
		return;
	}
	append_locked(c, &self);
	mn_park(commit_wait, c, WAIT_COND);
}

void
mn_cond_wait(struct mn_cond *public, struct mn_mutex *m)
{
	struct cond *c = cond_of(public);
	uint32_t ticket = add_acq_rel(&c->drawn, 1); // CN1

	mn_mutex_unlock(m);
	sleep_until_called(c, ticket);
	mn_mutex_lock(m);
}

// Nobody waits who has not been called. Who changed the condition under the user's mutex, after a waiter looked at it, sees
// that waiter's ticket, which was drawn before the waiter let the mutex go.
static bool
nobody_waits(struct cond *c)
{
	return load_acquire(&c->drawn) == load_relaxed(&c->called); // CN1
}

// Tickets reach the list nearly in order, so this is nearly always the first.
static struct waiter *
take_locked(struct cond *c, uint32_t ticket)
{
	struct waiter *before = NULL, *w;

	for (w = c->first; w && w->ticket != ticket; w = w->next)
		before = w;
	if (!w)
		return NULL;
	if (before)
		before->next = w->next;
	else
		c->first = w->next;
	if (c->last == w)
		c->last = before;
	return w;
}

void
mn_cond_signal(struct mn_cond *public)
{
	struct cond *c = cond_of(public);
	struct waiter *w = NULL;

	if (nobody_waits(c))
		return;
	lock(&c->lock);
	if (!nobody_waits(c)) {
		uint32_t ticket = load_relaxed(&c->called);

		store_relaxed(&c->called, ticket + 1);
		w = take_locked(c, ticket);
	}
	unlock(&c->lock);
	if (w)
		mn_ready(w->g);
}

void
mn_cond_broadcast(struct mn_cond *public)
{
	struct cond *c = cond_of(public);
	struct waiter *w, *next;

	if (nobody_waits(c))
		return;
	lock(&c->lock);
	w = c->first;
	c->first = NULL;
	c->last = NULL;
	store_relaxed(&c->called, load_acquire(&c->drawn)); // CN1
	unlock(&c->lock);
	for (; w; w = next) {
		next = w->next; // the node dies when its owner runs
		mn_ready(w->g);
	}
}
