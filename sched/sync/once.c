// SPDX-License-Identifier: MIT
// once.c: the first caller runs a function, all others wait for its end. A flag before a mutex: afterwards it is one load.
//
// The flag is raised after the function, not before: a caller that finds it raised may use what the function made. One that
// calls the same once from within its function waits for itself, for ever; the scheduler then reports a deadlock.
#include "sched/base/atomic.h"
#include "sched/mn.h"

struct once {
	_Atomic uint32_t done; // (a) ON1: release after fn, acquire by whoever relies on it
	struct mn_mutex mutex;
};

_Static_assert(sizeof(struct once) <= sizeof(struct mn_once), "struct mn_once has room for it");

static NOINLINE void
run_once(struct once *o, mn_fn fn, void *arg)
{
	mn_mutex_lock(&o->mutex);
	if (!load_relaxed(&o->done)) {
		fn(arg);
		store_release(&o->done, 1); // ON1
	}
	mn_mutex_unlock(&o->mutex);
}

void
mn_once_do(struct mn_once *public, mn_fn fn, void *arg)
{
	struct once *o = (struct once *)public->opaque;

	if (unlikely(!load_acquire(&o->done))) // ON1
		run_once(o, fn, arg);
}
