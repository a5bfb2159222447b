// SPDX-License-Identifier: MIT
// timer_heap.c: the pool of timers, and the 4-ary heap of a P.
#include "sched/sync/timer_heap.h"

#include <stdlib.h>

#include "sched/core/source.h"

// All timers of the run, in blocks: unmapped, and forgotten, at its end.
enum { BLOCK = 128 };
struct block {
	struct block *next;
	struct timer timer[BLOCK];
};
static struct {
	struct spin_lock lock;
	struct block *blocks;
	struct timer *free;
	uint64_t run; // raised at the end of each: handles of an earlier one are worth nothing
} pool = { .run = 1 };

// ---- The pool

struct timer *
mn_timer_new(void)
{
	struct timer *t;

	spin_lock(&pool.lock);
	if (!pool.free) {
		struct block *b = calloc(1, sizeof(*b));

		if (!b)
			mn_throw("out of memory for %d timers", BLOCK);
		b->next = pool.blocks;
		pool.blocks = b;
		for (int i = 0; i < BLOCK; i++) {
			b->timer[i].next = pool.free;
			pool.free = &b->timer[i];
		}
	}
	t = pool.free;
	pool.free = t->next;
	spin_unlock(&pool.lock);
	return t;
}

void
mn_timer_free_unlock(struct timer *t)
{
	t->generation++;
	spin_unlock(&t->lock);
	spin_lock(&pool.lock);
	t->next = pool.free;
	pool.free = t;
	spin_unlock(&pool.lock);
}

void
mn_timer_pool_release(void)
{
	for (struct block *b = pool.blocks, *next; b; b = next) {
		next = b->next;
		free(b);
	}
	pool.blocks = NULL;
	pool.free = NULL;
	pool.run++;
}

uint64_t
mn_timer_run(void)
{
	return pool.run;
}

// ---- The heap

static void
rise(struct heap *h, size_t i)
{
	struct entry e = h->e[i];

	while (i > 0 && e.when < h->e[(i - 1) / ARITY].when) {
		h->e[i] = h->e[(i - 1) / ARITY];
		i = (i - 1) / ARITY;
	}
	h->e[i] = e;
}

static size_t
least_child(const struct heap *h, size_t i)
{
	size_t first = i * ARITY + 1, least = first;

	for (size_t c = first + 1; c < first + ARITY && c < h->n; c++)
		if (h->e[c].when < h->e[least].when)
			least = c;
	return least;
}

void
mn_heap_sink(struct heap *h, size_t i)
{
	struct entry e = h->e[i];

	while (i * ARITY + 1 < h->n) {
		size_t c = least_child(h, i);

		if (h->e[c].when >= e.when)
			break;
		h->e[i] = h->e[c];
		i = c;
	}
	h->e[i] = e;
}

void
mn_heap_push(struct heap *h, int64_t when, struct timer *t)
{
	if (h->n == h->room) {
		size_t room = h->room ? h->room * 2 : 16;
		struct entry *e = realloc(h->e, room * sizeof(*e));

		if (!e)
			mn_throw("out of memory for %zu timers of P%u", room, h->p->id);
		h->e = e;
		h->room = room;
	}
	h->e[h->n] = (struct entry){ when, t };
	rise(h, h->n++);
}

void
mn_heap_pop(struct heap *h)
{
	h->e[0] = h->e[--h->n];
	if (h->n)
		mn_heap_sink(h, 0);
}

// TI: a mover lowers `sooner` and then next_timer by CAS; we store next_timer from both. A mover that comes between is seen
// by the second look.
void
mn_heap_publish(struct heap *h)
{
	int64_t first = h->n ? h->e[0].when : SOURCE_NEVER;

	for (;;) {
		int64_t sooner = load_seq_cst(&h->sooner); // TI

		store_seq_cst(&h->p->next_timer, sooner < first ? sooner : first); // TI
		if (load_seq_cst(&h->sooner) == sooner)                            // TI
			return;
	}
}

struct heap *
mn_heap_of(struct p *p)
{
	struct heap *h = p->timers;

	if (h)
		return h;
	h = calloc(1, sizeof(*h));
	if (!h)
		mn_throw("out of memory for the timers of P%u", p->id);
	h->p = p;
	store_relaxed(&h->sooner, SOURCE_NEVER);
	p->timers = h;
	return h;
}

// ---- Coming across entries

void
mn_heap_tidy_locked(struct heap *h)
{
	size_t kept = 0;

	store_seq_cst(&h->sooner, SOURCE_NEVER); // TI: before the timers are read: a later move is told again
	store_relaxed(&h->stopped, 0);
	for (size_t i = 0; i < h->n; i++) {
		struct timer *t = h->e[i].timer;

		spin_lock(&t->lock);
		if (!t->armed) {
			t->heap = NULL;
			mn_timer_free_unlock(t);
			continue;
		}
		h->e[kept++] = (struct entry){ t->when, t };
		spin_unlock(&t->lock);
	}
	h->n = kept;
	for (size_t i = kept / ARITY + 1; i-- > 0;)
		if (i < kept)
			mn_heap_sink(h, i);
}

int64_t
mn_next_tick(int64_t when, int64_t period, int64_t now)
{
	int64_t late = now > when ? now - when : 0;
	int64_t last = when + (late - late % period);

	return period > SOURCE_NEVER - 1 - last ? SOURCE_NEVER - 1 : last + period;
}
