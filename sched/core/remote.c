// SPDX-License-Identifier: MIT
// remote.c: goroutines started from threads that are no Ms.
//
// Such a thread holds no P, hence no supply of descriptors: one supply for all, under a lock, and the new G goes to the global queue.
// While it does, the caller counts as work in progress, so that the scheduler cannot end, or call itself dead, in between.
#include <errno.h>

#include "sched/core/scheduler.h"
#include "sched/core/wake.h"

static struct {
	struct lock lock; // guards all that follows
	bool open;        // a scheduler runs that takes goroutines in
	struct g_cache gs;
	uint64_t next_id, end_id;
} remote;

int
mn_remote_open(void)
{
	int error;

	lock(&remote.lock);
	error = mn_g_cache_init(&remote.gs, &mn_sched.gs);
	remote.next_id = remote.end_id = 0;
	remote.open = error == 0;
	unlock(&remote.lock);
	return error;
}

void
mn_remote_close(void)
{
	lock(&remote.lock);
	if (remote.open)
		mn_g_cache_release(&remote.gs);
	remote.open = false;
	unlock(&remote.lock);
}

// With remote.lock held. False: there is no scheduler, or it is about to end.
static bool
begin_carry_locked(void)
{
	struct sched *s = &mn_sched;
	bool runs = false;

	if (!remote.open)
		return false;
	lock(&s->lock);
	if (!load_relaxed(&s->stopping)) {
		s->ncarried++;
		runs = true;
	}
	unlock(&s->lock);
	return runs;
}

int
mn_hold(void)
{
	lock(&remote.lock);
	bool runs = begin_carry_locked();

	unlock(&remote.lock);
	return runs ? 0 : -ESRCH;
}

void
mn_unhold(void)
{
	mn_end_carry();
}

static struct g *
new_locked(mn_fn fn, void *arg)
{
	struct g *g = g_get(&remote.gs);

	if (!g)
		return NULL;
	mn_g_fill(g, mn_next_id(&remote.next_id, &remote.end_id), fn, arg);
	tally_add(&mn_sched.remote_spawned, 1);
	return g;
}

int
mn_go_remote(mn_fn fn, void *arg)
{
	struct g *g;

	lock(&remote.lock);
	if (!begin_carry_locked()) {
		unlock(&remote.lock);
		return -ESRCH;
	}
	g = new_locked(fn, arg);
	unlock(&remote.lock);
	if (g) {
		mn_globq_put(&mn_sched.globq, &g, 1);
		wake_for_any();
	}
	mn_end_carry();
	return g ? 0 : -ENOMEM;
}
