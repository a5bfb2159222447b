// SPDX-License-Identifier: MIT
// depot.c: magazines between caches and depots.
#include "sched/os/depot.h"

#include <errno.h>
#include <stdlib.h>

int
mn_cache_init(struct cache *c, struct depot *d)
{
	c->depot = d;
	c->loaded = calloc(1, sizeof(*c->loaded));
	c->previous = calloc(1, sizeof(*c->previous));
	if (c->loaded && c->previous)
		return 0;
	mn_cache_release(c);
	return -ENOMEM;
}

void
mn_cache_release(struct cache *c)
{
	free(c->loaded);
	free(c->previous);
	c->loaded = c->previous = NULL;
}

static void
free_list(struct magazine **list)
{
	for (struct magazine *m = *list, *next; m; m = next) {
		next = m->next;
		free(m);
	}
	*list = NULL;
}

void
mn_depot_release(struct depot *d)
{
	free_list(&d->full);
	free_list(&d->empty);
	store_relaxed(&d->nfull, 0);
}

static struct magazine *
pop(struct magazine **list)
{
	struct magazine *m = *list;

	if (m)
		*list = m->next;
	return m;
}

static void
push(struct magazine **list, struct magazine *m)
{
	m->next = *list;
	*list = m;
}

static void
swap(struct cache *c)
{
	struct magazine *m = c->loaded;

	c->loaded = c->previous;
	c->previous = m;
}

// An empty magazine for a full one. False: the depot has none.
static bool
refill(struct cache *c)
{
	struct depot *d = c->depot;
	struct magazine *full;

	if (load_relaxed(&d->nfull) == 0)
		return false;
	spin_lock(&d->lock);
	full = pop(&d->full);
	if (full) {
		store_relaxed(&d->nfull, load_relaxed(&d->nfull) - 1);
		push(&d->empty, c->loaded);
		c->loaded = full;
	}
	spin_unlock(&d->lock);
	return full != NULL;
}

void *
mn_cache_get_slow(struct cache *c)
{
	if (c->previous->n)
		swap(c);
	else if (!refill(c))
		return NULL;
	return c->loaded->item[--c->loaded->n];
}

void
mn_cache_put_slow(struct cache *c, void *item)
{
	struct depot *d = c->depot;
	struct magazine *empty;

	if (c->previous->n < MAGAZINE_CAP) {
		swap(c);
		c->loaded->item[c->loaded->n++] = item;
		return;
	}
	spin_lock(&d->lock);
	empty = pop(&d->empty);
	if (!empty) {
		spin_unlock(&d->lock);
		empty = malloc(sizeof(*empty));
		if (!empty)
			mn_throw("out of memory for a magazine of %d free objects", MAGAZINE_CAP);
		spin_lock(&d->lock);
	}
	empty->n = 0;
	push(&d->full, c->loaded);
	store_relaxed(&d->nfull, load_relaxed(&d->nfull) + 1);
	spin_unlock(&d->lock);
	empty->item[empty->n++] = item;
	c->loaded = empty;
}
