// SPDX-License-Identifier: MIT
// depot.h: recycling of equal objects in two layers (Bonwick and Adams, "Magazines and Vmem", 2001).
//
// A cache belongs to one P: two magazines, so that get and put in turn at a border do not run to the depot each time. A
// depot is shared, under its lock, and deals in whole magazines only. Objects are made elsewhere: an empty cache with an
// empty depot answers NULL.
#ifndef SCHED_OS_DEPOT_H
#define SCHED_OS_DEPOT_H

#include "sched/base/magazine.h"
#include "sched/os/lock.h"

struct depot {
	struct spin_lock lock;
	// (a) Full magazines. Written under the lock, read without: a miss costs one allocation too many, no more.
	_Atomic uint32_t nfull;
	struct magazine *full;  // under the lock
	struct magazine *empty; // under the lock
};

struct cache {
	struct depot *depot;       // (c)
	struct magazine *loaded;   // (o) never NULL
	struct magazine *previous; // (o) never NULL; empty, full, or partly full after a swap
};

int mn_cache_init(struct cache *c, struct depot *d); // 0 or -ENOMEM
void mn_cache_release(struct cache *c);              // the objects in it are forgotten
void mn_depot_release(struct depot *d);              // likewise

void *mn_cache_get_slow(struct cache *c);
void mn_cache_put_slow(struct cache *c, void *item);

// An object, or NULL: then make one. Owner only.
static inline void *
cache_get(struct cache *c)
{
	struct magazine *m = c->loaded;

	return likely(m->n) ? m->item[--m->n] : mn_cache_get_slow(c);
}

static inline void
cache_put(struct cache *c, void *item)
{
	struct magazine *m = c->loaded;

	if (likely(m->n < MAGAZINE_CAP))
		m->item[m->n++] = item;
	else
		mn_cache_put_slow(c, item);
}

// How many objects it holds; near enough when asked by another than the owner.
static inline uint32_t
cache_count(const struct cache *c)
{
	return c->loaded->n + c->previous->n;
}

#endif
