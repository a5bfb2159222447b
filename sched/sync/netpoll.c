// SPDX-License-Identifier: MIT
// netpoll.c: the poller. Goroutines park on a side of a descriptor; whoever polls gets those whose descriptors are ready.
//
// Descriptors are registered once, edge-triggered, for both directions: no call to the system when a goroutine waits, and none
// when it is woken. What an event is about is told by its tag: the number, and a generation that close raises, so that an event
// of a file that is gone reaches nobody, whatever has come under its number. The table goes by number and never moves, and its
// memory stays until the end of the run.
//
// Rejected: the descriptor's address as the tag (a stale one would need the generation beside it, in the spare bits of a
// pointer); one-shot registration (a call to the system at each wait); a thread of its own that polls (two more switches on
// the way of every byte).
#include "sched/sync/netpoll.h"

#include <errno.h>
#include <string.h>

#include "sched/core/park.h"
#include "sched/core/source.h"

enum {
	PAGE = 1024,            // descriptors a page, of which only those in use cost memory
	PAGES = 1 << (31 - 10), // for every number that an int can hold
	EVENTS = 128,           // most that one call takes from the system
};

struct page {
	struct page *next; // of all pages
	struct poll_desc desc[PAGE];
};

static struct {
	_Atomic uint32_t open; // NP3
	struct lock lock;      // for opening, and for adding pages
	struct mn_os_poll os;
	_Atomic(struct page *) *pages; // PAGES of them, of which few are ever touched
	struct page *first;            // (l)

	_Atomic uint32_t waiters; // (a) parked, or about to
	_Atomic uint32_t asleep;  // (a) NP2: somebody is in a poll that may block
	_Atomic uint32_t rung;    // (a) NP4: the bell has been rung and not yet heard
} np;

// ---- The table

static struct page *
add_page(_Atomic(struct page *) *slot)
{
	struct page *page;

	lock(&np.lock);
	page = load_relaxed(slot);
	if (!page && (page = mn_os_map(sizeof(*page)))) {
		page->next = np.first;
		np.first = page;
		store_release(slot, page); // NP3
	}
	unlock(&np.lock);
	return page;
}

struct poll_desc *
mn_netpoll_desc(int fd)
{
	_Atomic(struct page *) *slot = &np.pages[fd / PAGE];
	struct page *page = load_acquire(slot); // NP3: finds it zeroed

	if (unlikely(!page) && !(page = add_page(slot)))
		return NULL;
	return &page->desc[fd % PAGE];
}

static uint64_t
tag_of(struct poll_desc *d, int fd)
{
	return (uint64_t)load_relaxed(&d->generation) << 32 | (uint32_t)fd;
}

int
mn_netpoll_add(struct poll_desc *d, int fd)
{
	return mn_os_poll_add(&np.os, fd, tag_of(d, fd));
}

void
mn_netpoll_remove(int fd)
{
	mn_os_poll_remove(&np.os, fd);
}

// ---- Waiting

uint32_t
mn_netpoll_waiters(void)
{
	return load_relaxed(&np.waiters);
}

static void
interrupt(void)
{
	// NP4: an exchange even when it is 1 already. Whoever lowers it then sees what was done before this call; and whoever
	// finds it lowered rings.
	if (xchg_acq_rel(&np.rung, 1) == 0)
		mn_os_poll_ring(&np.os);
}

// Fewer wait than before, and not because a poll found them. If nobody is left, one who sleeps in a poll without a limit
// would sleep for ever: the run may be at its end.
static void
uncount(void)
{
	// NP2: the number, then whether anybody sleeps; the sleeper does it the other way round.
	if (sub_seq_cst(&np.waiters, 1) == 1 && load_seq_cst(&np.asleep))
		interrupt();
}

static bool
commit_wait(struct g *g, void *arg)
{
	struct poll_side *side = arg;
	uintptr_t was = POLL_WAIT;

	// Counted before it can be found: whoever finds it counts it out.
	add_seq_cst(&np.waiters, 1);
	if (cas_acq_rel(&side->word, &was, (uintptr_t)g))
		return true;
	uncount();
	return false;
}

int
mn_netpoll_trouble(struct poll_desc *d, enum poll_dir dir)
{
	if (load_seq_cst(&d->state) & DESC_CLOSING) // NP1
		return -ECANCELED;
	return load_seq_cst(&d->side[dir].expired) ? -ETIMEDOUT : 0; // NP1
}

int
mn_netpoll_wait(struct poll_desc *d, enum poll_dir dir)
{
	struct poll_side *side = &d->side[dir];
	uintptr_t was = POLL_NIL;

	if (cas_seq_cst(&side->word, &was, POLL_WAIT)) { // NP1
		if (mn_netpoll_trouble(d, dir) == 0)
			mn_park(commit_wait, side, WAIT_IO);
	} else if (was != POLL_READY) {
		mn_throw("netpoll: double wait");
	}
	was = xchg_acq_rel(&side->word, POLL_NIL);
	if (was > POLL_WAIT)
		mn_throw("netpoll: corrupted polldesc");
	return was == POLL_READY ? 0 : mn_netpoll_trouble(d, dir);
}

// ---- Waking

// Who has to be woken for it, or NULL.
static struct g *
unblock(struct poll_side *side, bool ready)
{
	uintptr_t was = load_seq_cst(&side->word); // NP1

	do
		if (was == POLL_READY || (was == POLL_NIL && !ready))
			return NULL;
	while (!cas_seq_cst(&side->word, &was, ready ? POLL_READY : POLL_NIL));
	return was > POLL_WAIT ? (struct g *)was : NULL;
}

void
mn_netpoll_give_up(struct poll_side *side)
{
	struct g *g = unblock(side, false);

	if (!g)
		return;
	mn_ready(g);
	uncount(); // after: a deadlock would be seen in between (golang/go#61454)
}

static uint32_t
wake_side(struct poll_side *side, struct g **out)
{
	struct g *g = unblock(side, true);

	if (!g)
		return 0;
	mn_make_runnable(g);
	*out = g;
	return 1;
}

uint32_t
mn_netpoll_event(uint64_t tag, uint32_t ready, struct g **out)
{
	struct poll_desc *d = mn_netpoll_desc((int)(uint32_t)tag);
	uint32_t n = 0;

	// Closed right after this look, it is woken for no reason.
	if (load_relaxed(&d->generation) != tag >> 32)
		return 0;
	if (ready & MN_OS_READABLE)
		n += wake_side(&d->side[POLL_READ], out);
	if (ready & MN_OS_WRITABLE)
		n += wake_side(&d->side[POLL_WRITE], out + n);
	return n;
}

// ---- Polling

// The bell rings until a poll that may block hears it: one that may not would take it from another that does.
static void
hear_bell(int64_t timeout)
{
	if (timeout == 0)
		return;
	mn_os_poll_silence(&np.os);
	xchg_acq_rel(&np.rung, 0); // NP4: only now may it be rung again
}

static int
sleep_in_poll(struct mn_os_event *e, int max, int64_t timeout)
{
	int n = 0;

	store_seq_cst(&np.asleep, 1);                     // NP2
	if (timeout > 0 || load_seq_cst(&np.waiters) > 0) // NP2
		n = mn_os_poll_wait(&np.os, e, max, timeout);
	store_relaxed(&np.asleep, 0);
	return n;
}

static uint32_t
poll_events(struct g **out, uint32_t max, int64_t timeout)
{
	struct mn_os_event e[EVENTS];
	// One event may wake two.
	int room = max / 2 < EVENTS ? (int)(max / 2) : EVENTS;
	int got;
	uint32_t n = 0;

	CHECK(room > 0);
	got = timeout ? sleep_in_poll(e, room, timeout) : mn_os_poll_wait(&np.os, e, room, 0);
	for (int i = 0; i < got; i++)
		if (e[i].ready & MN_OS_BELL)
			hear_bell(timeout);
		else
			n += mn_netpoll_event(e[i].tag, e[i].ready, out + n);
	if (n > 0)
		sub_seq_cst(&np.waiters, n); // after they are runnable
	return n;
}

// ---- From the first use to the end of the run

static void
release(void)
{
	struct page *next;

	CHECK(load_relaxed(&np.waiters) == 0);
	mn_os_poll_close(&np.os);
	for (struct page *page = np.first; page; page = next) {
		next = page->next;
		mn_os_unmap(page, sizeof(*page));
	}
	mn_os_unmap(np.pages, PAGES * sizeof(*np.pages));
	memset(&np, 0, sizeof(np));
}

static const struct poll_source source = { mn_netpoll_waiters, poll_events, interrupt, release };

static int
open_locked(void)
{
	int error;

	np.pages = mn_os_map(PAGES * sizeof(*np.pages));
	if (!np.pages)
		return -ENOMEM;
	error = mn_os_poll_open(&np.os);
	if (error) {
		mn_os_unmap(np.pages, PAGES * sizeof(*np.pages));
		return error;
	}
	mn_source_poller(&source);
	store_release(&np.open, 1); // NP3
	return 0;
}

int
mn_netpoll_open(void)
{
	int error = 0;

	if (likely(load_acquire(&np.open))) // NP3
		return 0;
	lock(&np.lock);
	if (!load_relaxed(&np.open))
		error = open_locked();
	unlock(&np.lock);
	return error;
}
