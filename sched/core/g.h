// SPDX-License-Identifier: MIT
// g.h: the goroutine's descriptor. One cache line, cut from slabs, never freed while a scheduler runs: whoever holds a
// stale pointer (a thief, sysmon, a dump) reads a G, if perhaps not the one he thought.
//
// States are ownership. Legal moves, each with who makes it:
//	DEAD     -> RUNNABLE   mn_go: the spawner, before anybody else can see the G
//	RUNNABLE -> RUNNING    the M that took it from a queue; a G stands in one queue at most
//	RUNNING  -> RUNNABLE   yield, and a system call's end without a P: on the far side of the switch
//	RUNNING  -> WAITING    park: on the far side of the switch, before the commit that lets others find it
//	WAITING  -> RUNNABLE   ready, by CAS: whoever wins owns it until it stands in a queue
//	RUNNING <-> SYSCALL    the G itself; SCAN on top is the lock of whoever takes its P (syscall.c)
//	RUNNING  -> DEAD       its end; the descriptor then goes back, or to its joiner
#ifndef SCHED_CORE_G_H
#define SCHED_CORE_G_H

#include "sched/core/context.h"
#include "sched/core/stack.h"
#include "sched/mn.h"

// Go's numbers, which schedtrace's readers know.
enum g_status {
	G_IDLE = 0,
	G_RUNNABLE = 1,
	G_RUNNING = 2,
	G_SYSCALL = 3,
	G_WAITING = 4,
	G_DEAD = 6,
	G_SCAN = 0x1000,
};

enum g_flags {
	G_JOINABLE = 1, // from mn_spawn: the joiner frees it
	G_LOCKED = 2,   // runs on stack->locked_m only
};

enum { NO_P = 0xffff };

struct m;

struct g {
	// (g) ctx: where to continue. Before the first run there is nothing to continue, and the word holds the label.
	union {
		struct context ctx;
		const char *label;
	};
	struct stack *stack;      // (g) NULL until it first runs
	mn_fn fn;                 // (g)
	void *arg;                // (g)
	uint64_t id;              // (g)
	_Atomic(struct g *) join; // (a) JN: NULL, the joiner that waits, or JOIN_DONE
	_Atomic(struct m *)
	        m; // (a) where it runs, or ran last; NULL: it has not begun. Relaxed, for retake, join, dumps
	_Atomic uint16_t status; // (a) enum g_status
	uint16_t last_p;         // (g) P it last ran on, NO_P: none
	uint8_t flags;           // (g) enum g_flags
	uint8_t reason;          // (g) enum wait_reason, while WAITING
	uint8_t stack_class;     // (c) log2 of the stack it wants
};

#if !MN_ASAN && !MN_TSAN
_Static_assert(sizeof(struct g) == 64, "struct g is one cache line");
#endif

#define JOIN_DONE ((struct g *)1)

static inline enum g_status
g_status(struct g *g)
{
	return load_relaxed(&g->status);
}

// For moves that only the G's owner can make: a plain store, checked in debug builds.
static inline void
g_move(struct g *g, enum g_status from, enum g_status to)
{
	DCHECK(g_status(g) == from);
	(void)from;
	store_relaxed(&g->status, (uint16_t)to);
}

// ---- Slabs of descriptors

struct g_slab {
	struct g_slab *next;
	struct g *first;
	size_t size; // bytes mapped
	size_t n;    // room
	size_t used; // handed out, in order
};

struct g_arena {
	struct depot depot;
	struct lock lock;
	struct g_slab *slabs; // newest first; under the lock
};

// A P's own supply: recycled ones in the cache, else fresh ones from a run cut off a slab.
struct g_cache {
	struct cache cache;
	struct g_arena *arena;
	struct g *fresh, *end;
};

int mn_g_cache_init(struct g_cache *c, struct g_arena *arena);
void mn_g_cache_release(struct g_cache *c);
void mn_g_arena_release(struct g_arena *arena);
// Calls visit for every G ever handed out. Racy on purpose, for dumps.
void mn_g_each(struct g_arena *arena, void (*visit)(struct g *, void *), void *arg);

struct g *mn_g_fresh(struct g_cache *c);

// A descriptor in state DEAD or IDLE, NULL: no memory.
static inline struct g *
g_get(struct g_cache *c)
{
	struct g *g = cache_get(&c->cache);

	return likely(g != NULL) ? g : mn_g_fresh(c);
}

static inline void
g_put(struct g_cache *c, struct g *g)
{
	cache_put(&c->cache, g);
}

#endif
