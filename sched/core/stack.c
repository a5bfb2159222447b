// SPDX-License-Identifier: MIT
// stack.c: slabs of stacks, their guards, and the way back into the pool.
#include "sched/core/stack.h"

#include <errno.h>
#include <stdlib.h>

#include "sched/core/context.h"

enum {
	PAGE = 4096,
	SLAB_BYTES = 4 << 20, // or one stack, if that is larger
	GUARD_CLASS_MIN = 14, // a guard page in less than 16 KiB would take a quarter of it or more
	SPLITS_MAX = 16000,   // of the 65,530 mappings a process may have; a guard by mprotect costs two
	COLOURS = 8,
	COLOUR = 192, // tops that all share low address bits would all compete for the same cache sets
};

int
mn_stack_cache_init(struct stack_cache *c, struct stack_pool *pool, uint8_t class)
{
	c->pool = pool;
	c->class = class;
	return mn_cache_init(&c->cache, &pool->class[class - STACK_CLASS_MIN].depot);
}

void
mn_stack_cache_release(struct stack_cache *c)
{
	mn_cache_release(&c->cache);
}

static bool
new_slab(struct stack_class *k, uint8_t class)
{
	size_t size = (size_t)1 << class;
	struct stack_slab *slab = malloc(sizeof(*slab));

	if (!slab)
		return false;
	slab->size = size > SLAB_BYTES ? size : SLAB_BYTES;
	slab->base = mn_os_map(slab->size);
	if (!slab->base) {
		free(slab);
		return false;
	}
	// A large page would make the first touch of any stack commit a whole slab's half.
	mn_os_large_pages(slab->base, slab->size, false);
	slab->next = k->slabs;
	k->slabs = slab;
	k->fresh = slab->base;
	k->end = slab->base + slab->size;
	// Small stacks have no guards between them, but what runs over the lowest shall not end in somebody else's memory.
	if (class < GUARD_CLASS_MIN && mn_os_guard(slab->base, PAGE, false) == 0)
		k->fresh += size > PAGE ? size : PAGE;
	return true;
}

// The low end of a new stack: a guard page, or a canary where that is not to be had.
static void
protect(struct stack_pool *pool, struct stack *s, char *base, uint8_t class)
{
	int guarded = -ENOSPC;

	if (class >= GUARD_CLASS_MIN)
		guarded = mn_os_guard(base, PAGE, load_relaxed(&pool->splits) < SPLITS_MAX);
	if (guarded >= 0) {
		if (guarded == 1)
			add_relaxed(&pool->splits, 1);
		s->low = base + PAGE;
		s->canary = NULL;
		return;
	}
	s->canary = (uint64_t *)base;
	*s->canary = STACK_CANARY;
	s->low = base + sizeof(*s->canary);
}

static struct stack *
cut(struct stack_pool *pool, struct stack_class *k, uint8_t class)
{
	size_t size = (size_t)1 << class;
	size_t colour;
	struct stack *s;
	char *base;

	lock(&k->lock);
	if (k->fresh == k->end && !new_slab(k, class)) {
		unlock(&k->lock);
		return NULL;
	}
	base = k->fresh;
	k->fresh += size;
	colour = class >= GUARD_CLASS_MIN ? (k->made % COLOURS) * COLOUR : 0;
	k->made++;
	unlock(&k->lock);
	s = (struct stack *)((uintptr_t)(base + size - sizeof(*s) - colour) & ~(uintptr_t)15);
	s->class = class;
	protect(pool, s, base, class);
	return s;
}

// Other sizes than the default have no cache: one magazine of the depot is worked on under the lock.
static struct stack *
depot_get(struct stack_class *k)
{
	struct stack *s = NULL;

	spin_lock(&k->depot.lock);
	struct magazine *m = k->depot.full;

	if (m) {
		s = m->item[--m->n];
		if (m->n == 0) {
			k->depot.full = m->next;
			m->next = k->depot.empty;
			k->depot.empty = m;
			store_relaxed(&k->depot.nfull, load_relaxed(&k->depot.nfull) - 1);
		}
	}
	spin_unlock(&k->depot.lock);
	return s;
}

struct stack *
mn_stack_get_slow(struct stack_cache *c, uint8_t class)
{
	struct stack_class *k = &c->pool->class[class - STACK_CLASS_MIN];
	struct stack *s = class == c->class ? NULL : depot_get(k);

	if (!s)
		s = cut(c->pool, k, class);
	if (!s)
		mn_throw("out of memory for a goroutine stack of %zu KiB", ((size_t)1 << class) / 1024);
	return s;
}

void
mn_stack_put_slow(struct stack_cache *c, struct stack *s)
{
	struct depot *d = &c->pool->class[s->class - STACK_CLASS_MIN].depot;

	spin_lock(&d->lock);
	struct magazine *m = d->full;

	if (!m || m->n == MAGAZINE_CAP) {
		m = d->empty;
		if (m)
			d->empty = m->next;
		else if (!(m = malloc(sizeof(*m))))
			mn_throw("out of memory for a magazine of %d free stacks", MAGAZINE_CAP);
		m->n = 0;
		m->next = d->full;
		d->full = m;
		store_relaxed(&d->nfull, load_relaxed(&d->nfull) + 1);
	}
	m->item[m->n++] = s;
	spin_unlock(&d->lock);
}

static void
release_class(struct stack_class *k)
{
	for (struct stack_slab *slab = k->slabs, *next; slab; slab = next) {
		next = slab->next;
		mn_os_unmap(slab->base, slab->size);
		free(slab);
	}
	k->slabs = NULL;
	k->fresh = k->end = NULL;
	k->made = 0;
	mn_depot_release(&k->depot);
}

void
mn_stack_pool_release(struct stack_pool *pool)
{
	for (int i = 0; i < STACK_CLASSES; i++)
		release_class(&pool->class[i]);
	store_relaxed(&pool->splits, 0);
}
