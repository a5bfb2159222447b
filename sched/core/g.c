// SPDX-License-Identifier: MIT
// g.c: slabs of goroutine descriptors.
#include "sched/core/g.h"

#include <errno.h>
#include <stdlib.h>

// A P cuts a page of descriptors at a time. Slabs double, so that a small run stays small and a run of a million Gs asks
// the system a dozen times; from 2 MiB on they are of large pages, of which a million Gs touch 32 instead of 16,000.
enum { RUN = 64, SLAB_MIN = 64 << 10, SLAB_MAX = 16 << 20, LARGE = 2 << 20 };

int
mn_g_cache_init(struct g_cache *c, struct g_arena *arena)
{
	c->arena = arena;
	c->fresh = c->end = NULL;
	return mn_cache_init(&c->cache, &arena->depot);
}

void
mn_g_cache_release(struct g_cache *c)
{
	mn_cache_release(&c->cache);
}

static bool
new_slab(struct g_arena *a)
{
	size_t size = a->slabs ? a->slabs->size * 2 : SLAB_MIN;
	struct g_slab *slab = malloc(sizeof(*slab));

	if (!slab)
		return false;
	if (size > SLAB_MAX)
		size = SLAB_MAX;
	slab->first = mn_os_map(size);
	if (!slab->first) {
		free(slab);
		return false;
	}
	mn_os_large_pages(slab->first, size, size >= LARGE);
	slab->size = size;
	slab->n = size / sizeof(struct g) / RUN * RUN;
	slab->used = 0;
	slab->next = a->slabs;
	a->slabs = slab;
	return true;
}

struct g *
mn_g_fresh(struct g_cache *c)
{
	if (c->fresh == c->end) {
		struct g_arena *a = c->arena;

		lock(&a->lock);
		if ((!a->slabs || a->slabs->used == a->slabs->n) && !new_slab(a)) {
			unlock(&a->lock);
			return NULL;
		}
		c->fresh = a->slabs->first + a->slabs->used;
		c->end = c->fresh + RUN;
		a->slabs->used += RUN;
		unlock(&a->lock);
	}
	return c->fresh++;
}

void
mn_g_arena_release(struct g_arena *a)
{
	for (struct g_slab *slab = a->slabs, *next; slab; slab = next) {
		next = slab->next;
		mn_os_unmap(slab->first, slab->size);
		free(slab);
	}
	a->slabs = NULL;
	mn_depot_release(&a->depot);
}

void
mn_g_each(struct g_arena *a, void (*visit)(struct g *, void *), void *arg)
{
	lock(&a->lock);
	for (struct g_slab *slab = a->slabs; slab; slab = slab->next)
		for (size_t i = 0; i < slab->used; i++)
			visit(&slab->first[i], arg);
	unlock(&a->lock);
}
