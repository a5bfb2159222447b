// SPDX-License-Identifier: MIT
// turn.c: waiting for one's turn, and handing it to the one who has waited longest.
#include "sched/sync/turn.h"

#include "sched/core/park.h"

// On the waiter's stack, alive until the waiter runs again.
struct turn_waiter {
	struct turn_waiter *next;
	struct g *g;
};

static void
enlist_locked(struct turn *t, struct turn_waiter *w)
{
	if (t->first)
		t->last->next = w;
	else
		t->first = w;
	t->last = w;
}

static bool
commit_wait(struct g *g, void *arg)
{
	struct turn *t = arg;

	(void)g;
	unlock(&t->lock);
	return true;
}

void
mn_turn_wait(struct turn *t)
{
	struct turn_waiter self = { .g = mn_self_g() };

	lock(&t->lock);
	// NP5: given back before the word could say that we wait.
	if (xchg_acquire(&t->word, TURN_WAITED) == TURN_FREE) {
		store_relaxed(&t->word, TURN_TAKEN); // free means that nobody is in the list
		unlock(&t->lock);
		return;
	}
	enlist_locked(t, &self);
	mn_park(commit_wait, t, WAIT_FD);
}

// The turn is never free in between: nobody can slip in.
void
mn_turn_pass_on(struct turn *t)
{
	struct turn_waiter *w;

	lock(&t->lock);
	w = t->first;
	CHECK(w);
	t->first = w->next;
	if (!t->first)
		store_relaxed(&t->word, TURN_TAKEN);
	unlock(&t->lock);
	mn_ready(w->g);
}
