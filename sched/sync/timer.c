// SPDX-License-Identifier: MIT
// timer.c: timers: a heap a P, stopped and moved lazily.
//
// A timer is started on the caller's P, into its 4-ary heap. Stopping and moving it touch the timer alone, under its own lock:
// the heap's entry keeps the old time until somebody comes across it, takes a stopped one out and sinks a moved one. Only a move
// to an earlier time is told to the heap (`sooner`), which is then set in order before anything fires. The heap is run by
// its P's M, or by any M that has nothing to do (source.c).
//
// What users hold (struct mn_timer) is a handle: their memory may go as soon as the timer is stopped, while the heap still has its
// entry. The timer proper comes from a pool, is type-stable during a run, and carries a generation that the handle knows.
//
// Locks: a heap's, then a timer's. Callbacks run with neither.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/core/park.h"
#include "sched/core/scheduler.h"
#include "sched/core/source.h"
#include "sched/mn.h"

struct heap;

struct timer {
	struct spin_lock lock;
	bool armed;           // (l) will fire at `when`
	struct heap *heap;    // (l) the heap that has its entry; NULL: none has
	uint64_t generation;  // (l) raised when it goes back to the pool
	int64_t when, period; // (l)
	mn_fn fn;             // (l)
	void *arg;            // (l)
	struct timer *next;   // in the pool
};

struct entry {
	int64_t when; // its timer's at the time of the last look: never later than the truth, but for `sooner`
	struct timer *timer;
};

struct heap {
	struct spin_lock lock;
	struct p *p;
	struct entry *e;          // (l)
	size_t n, room;           // (l)
	_Atomic int64_t sooner;   // (a) earliest new time of a timer that was moved forward; SOURCE_NEVER
	_Atomic uint32_t stopped; // (a) about how many entries are of stopped timers
};

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

// What struct mn_timer is.
struct handle {
	struct timer *timer;
	uint64_t generation, run;
	mn_fn fn;
	void *arg;
	int64_t period;
};
_Static_assert(sizeof(struct handle) <= sizeof(struct mn_timer), "struct mn_timer has room for it");

// ---- The pool

static struct timer *
timer_new(void)
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

// With its lock held, released here: no handle knows it any more.
static void
timer_free_unlock(struct timer *t)
{
	t->generation++;
	spin_unlock(&t->lock);
	spin_lock(&pool.lock);
	t->next = pool.free;
	pool.free = t;
	spin_unlock(&pool.lock);
}

// ---- The heap: e[0] is the earliest; the children of i are 4i+1 .. 4i+4

enum { ARITY = 4 };

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

static void
sink(struct heap *h, size_t i)
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

static void
push(struct heap *h, int64_t when, struct timer *t)
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

static void
pop(struct heap *h)
{
	h->e[0] = h->e[--h->n];
	if (h->n)
		sink(h, 0);
}

// TI: a mover lowers `sooner` and then next_timer by CAS; we store next_timer from both. A mover that comes between is seen
// by the second look.
static void
publish(struct heap *h)
{
	int64_t first = h->n ? h->e[0].when : SOURCE_NEVER;

	for (;;) {
		int64_t sooner = load_seq_cst(&h->sooner); // TI

		store_seq_cst(&h->p->next_timer, sooner < first ? sooner : first); // TI
		if (load_seq_cst(&h->sooner) == sooner)                            // TI
			return;
	}
}

static struct heap *
heap_of(struct p *p)
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

// With the heap's lock. Takes stopped ones out, and gives every entry its timer's time of now. All in order afterwards.
static void
tidy_locked(struct heap *h)
{
	size_t kept = 0;

	store_seq_cst(&h->sooner, SOURCE_NEVER); // TI: before the timers are read: a later move is told again
	store_relaxed(&h->stopped, 0);
	for (size_t i = 0; i < h->n; i++) {
		struct timer *t = h->e[i].timer;

		spin_lock(&t->lock);
		if (!t->armed) {
			t->heap = NULL;
			timer_free_unlock(t);
			continue;
		}
		h->e[kept++] = (struct entry){ t->when, t };
		spin_unlock(&t->lock);
	}
	h->n = kept;
	for (size_t i = kept / ARITY + 1; i-- > 0;)
		if (i < kept)
			sink(h, i);
}

// Late ticks are dropped: the next one is the first that is still to come. A period may reach past the end of time.
static int64_t
next_tick(int64_t when, int64_t period, int64_t now)
{
	int64_t late = now > when ? now - when : 0;
	int64_t last = when + (late - late % period);

	return period > SOURCE_NEVER - 1 - last ? SOURCE_NEVER - 1 : last + period;
}

// With the heap's lock and the top due by its entry. Answers whether there is a callback to run.
static bool
take_top_locked(struct heap *h, int64_t now, mn_fn *fn, void **arg)
{
	struct timer *t = h->e[0].timer;

	spin_lock(&t->lock);
	if (!t->armed) {
		t->heap = NULL;
		pop(h);
		timer_free_unlock(t);
		return false;
	}
	if (t->when > now) { // moved meanwhile
		h->e[0].when = t->when;
		spin_unlock(&t->lock);
		sink(h, 0);
		return false;
	}
	*fn = t->fn;
	*arg = t->arg;
	if (t->period > 0) {
		t->when = h->e[0].when = next_tick(t->when, t->period, now);
		spin_unlock(&t->lock);
		sink(h, 0);
		return true;
	}
	t->armed = false;
	t->heap = NULL;
	pop(h);
	timer_free_unlock(t);
	return true;
}

static bool
littered(struct heap *h)
{
	return load_relaxed(&h->stopped) > h->n / 4;
}

static bool
untidy(struct heap *h, int64_t now)
{
	return load_seq_cst(&h->sooner) <= now || littered(h); // TI
}

static bool
run(struct p *p, struct p *on, int64_t now)
{
	struct heap *h = p->timers;
	bool fired = false;

	(void)on; // callbacks find it: it is the caller's P
	spin_lock(&h->lock);
	if (untidy(h, now))
		tidy_locked(h);
	while (h->n && h->e[0].when <= now) {
		mn_fn fn;
		void *arg;

		if (!take_top_locked(h, now, &fn, &arg))
			continue;
		publish(h);
		spin_unlock(&h->lock);
		fn(arg);
		fired = true;
		spin_lock(&h->lock);
	}
	publish(h);
	spin_unlock(&h->lock);
	return fired;
}

// ---- Ends

static void
release(void)
{
	for (uint32_t i = 0; i < load_relaxed(&mn_sched.nps); i++) { // those out of use have theirs still
		struct heap *h = mn_sched.allp[i].timers;

		if (h)
			free(h->e);
		free(h);
	}
	for (struct block *b = pool.blocks, *next; b; b = next) {
		next = b->next;
		free(b);
	}
	pool.blocks = NULL;
	pool.free = NULL;
	pool.run++;
}

static void
move(struct p *from, struct p *to)
{
	struct heap *h = from->timers, *other;

	if (!h)
		return;
	other = heap_of(to);
	tidy_locked(h);
	for (size_t i = 0; i < h->n; i++) {
		h->e[i].timer->heap = other;
		push(other, h->e[i].when, h->e[i].timer);
	}
	h->n = 0;
	publish(h);
	publish(other);
	// Whoever is lying down may have looked at `to` before, and at `from` after.
	if (other->n)
		mn_source_earlier(other->e[0].when);
}

static const struct timer_source source = { .run = run, .move = move, .release = release };

// ---- Starting, stopping, moving

static int64_t
in(int64_t delay)
{
	int64_t now = mn_os_now();

	return delay > SOURCE_NEVER - 1 - now ? SOURCE_NEVER - 1 : now + delay;
}

// A new timer on the caller's P. Its handle, if it has one, is filled in before anybody can fire it: the callback may use it.
static void
start(int64_t when, int64_t period, mn_fn fn, void *arg, struct handle *handle)
{
	struct p *p = m_p(mn_m());
	struct heap *h = heap_of(p);
	struct timer *t = timer_new();

	if (!load_relaxed(&mn_sched.timers))
		mn_source_timers(&source);
	spin_lock(&h->lock);
	// Far-off timers that are started and stopped in turn never come due, and would pile up.
	if (littered(h))
		tidy_locked(h);
	spin_lock(&t->lock);
	t->armed = true;
	t->heap = h;
	t->when = when;
	t->period = period;
	t->fn = fn;
	t->arg = arg;
	if (handle)
		*handle = (struct handle){ t, t->generation, pool.run, fn, arg, period };
	spin_unlock(&t->lock);
	push(h, when, t);
	bool first = h->e[0].timer == t;

	publish(h);
	spin_unlock(&h->lock);
	if (first)
		mn_source_earlier(when);
}

static struct handle *
handle_of(struct mn_timer *public)
{
	return (struct handle *)public->opaque;
}

// The timer of a handle, locked, if it still is the handle's and armed; else NULL.
static struct timer *
lock_armed(struct handle *h)
{
	struct timer *t = h->timer;

	if (!t || h->run != pool.run)
		return NULL;
	spin_lock(&t->lock);
	if (t->generation == h->generation && t->armed)
		return t;
	spin_unlock(&t->lock);
	return NULL;
}

bool
mn_timer_stop(struct mn_timer *public)
{
	struct timer *t = lock_armed(handle_of(public));

	if (!t)
		return false;
	t->armed = false;
	add_relaxed(&t->heap->stopped, 1);
	spin_unlock(&t->lock);
	return true;
}

int
mn_timer_start(struct mn_timer *public, int64_t delay, int64_t period, mn_fn fn, void *arg)
{
	struct handle *h = handle_of(public);

	if (delay < 0 || period < 0)
		return -EINVAL;
	mn_timer_stop(public);
	start(in(delay), period, fn, arg, h);
	return 0;
}

int
mn_timer_after(struct mn_timer *t, int64_t delay, mn_fn fn, void *arg)
{
	return mn_timer_start(t, delay, 0, fn, arg);
}

static void
lower(_Atomic int64_t *word, int64_t when)
{
	int64_t was = load_seq_cst(word); // TI

	while (when < was && !cas_seq_cst(word, &was, when)) // TI
		continue;
}

bool
mn_timer_reset(struct mn_timer *public, int64_t delay)
{
	struct handle *h = handle_of(public);
	struct timer *t = lock_armed(h);
	int64_t when = in(delay < 0 ? 0 : delay);

	if (!t) {
		if (h->fn)
			mn_timer_start(public, delay < 0 ? 0 : delay, h->period, h->fn, h->arg);
		return false;
	}
	bool forward = when < t->when;

	t->when = when;
	if (forward) {
		lower(&t->heap->sooner, when);
		lower(&t->heap->p->next_timer, when);
	}
	spin_unlock(&t->lock);
	if (forward)
		mn_source_earlier(when);
	return true;
}

// ---- Sleep

static void
wake(void *arg)
{
	mn_ready(arg);
}

// Started only once the G is parked: a short sleep could be over before.
static bool
commit_sleep(struct g *g, void *arg)
{
	start(*(int64_t *)arg, 0, wake, g, NULL);
	return true;
}

void
mn_sleep(int64_t ns)
{
	int64_t when;

	if (ns <= 0)
		return;
	when = in(ns);
	mn_park(commit_sleep, &when, WAIT_SLEEP);
}

int64_t
mn_now(void)
{
	return mn_os_now();
}
