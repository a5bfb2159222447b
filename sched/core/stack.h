// SPDX-License-Identifier: MIT
// stack.h: the stacks of goroutines.
//
// A stack is bound when its G first runs, not when it is spawned, and goes back when the G ends; the P's cache hands out
// the one used last, so that a burst of a million short Gs touches a handful of them. Stacks are cut from slabs of
// reserved address space and never move; what is not touched costs nothing. A guard page below each catches an overflow;
// where none can be had (small stacks, old kernels with many stacks) a canary at the low end is looked at whenever the G
// is switched away from.
//
// The cold state of a running G lives in the stack's header, at its top, in the page that is touched anyway: struct g is
// then one cache line, and a G that has not run costs nothing else.
#ifndef SCHED_CORE_STACK_H
#define SCHED_CORE_STACK_H

#include "sched/os/depot.h"

enum {
	STACK_CLASS_MIN = 11, // log2 of 2 KiB
	STACK_CLASS_MAX = 23, // log2 of 8 MiB
	STACK_CLASSES = STACK_CLASS_MAX - STACK_CLASS_MIN + 1,
};

struct stack {
	char *low;           // (c) first usable byte
	uint64_t *canary;    // (c) at low, or NULL where a guard page stands below
	uint8_t class;       // (c) log2 of its size
	bool made;           // (g) a context has been made on it that context_forget must be told of
	const char *label;   // (g) mn_go_attr's
	struct m *locked_m;  // (g) the M it is locked to, NULL: none
	uint32_t lock_depth; // (g) calls of mn_lock_thread without their unlock
	void *inline_frame;  // (g) innermost child run in place by mn_join, see join.c
};

struct stack_slab {
	struct stack_slab *next;
	char *base;
	size_t size;
};

// Stacks of one size. Everything under its depot's lock but the caches.
struct stack_class {
	struct depot depot;
	struct lock lock;         // guards what follows
	struct stack_slab *slabs; // newest first
	char *fresh;              // next stack never handed out
	char *end;                // of the newest slab
	uint32_t made;            // stacks cut so far
};

struct stack_pool {
	struct stack_class class[STACK_CLASSES];
	_Atomic uint32_t splits; // mappings spent on guards
};

struct stack_cache {
	struct stack_pool *pool;
	struct cache cache; // of stacks of the default class
	uint8_t class;      // log2 of the default size
};

int mn_stack_cache_init(struct stack_cache *c, struct stack_pool *pool, uint8_t class);
void mn_stack_cache_release(struct stack_cache *c);
// Unmaps all. No stack may be in use.
void mn_stack_pool_release(struct stack_pool *pool);

struct stack *mn_stack_get_slow(struct stack_cache *c, uint8_t class);
void mn_stack_put_slow(struct stack_cache *c, struct stack *s);

// A stack of 1 << class bytes. Owner of the cache only. Out of memory is fatal: the G is due to run and cannot wait.
static inline struct stack *
stack_get(struct stack_cache *c, uint8_t class)
{
	struct stack *s = likely(class == c->class) ? cache_get(&c->cache) : NULL;

	return likely(s != NULL) ? s : mn_stack_get_slow(c, class);
}

static inline void
stack_put(struct stack_cache *c, struct stack *s)
{
	if (likely(s->class == c->class))
		cache_put(&c->cache, s);
	else
		mn_stack_put_slow(c, s);
}

// Where the G's frames begin.
static inline void *
stack_top(struct stack *s)
{
	return s;
}

// Bytes between the caller's frame and the low end.
static inline size_t
stack_left(const struct stack *s)
{
	return (size_t)((char *)__builtin_frame_address(0) - s->low);
}

#define STACK_CANARY 0x5afec0de5afec0deu

static inline bool
stack_intact(const struct stack *s)
{
	return !s->canary || *s->canary == STACK_CANARY;
}

#endif
