// SPDX-License-Identifier: MIT
// select.c: one of several channel operations, whichever can be carried out.
//
// All channels are locked at once, in the order of their addresses, so that the cases are judged at one moment: a select that
// does not wait never answers "none" while one of them was always ready. The cases are tried in random order, so that none
// starves. If none is ready the select stands in every queue, parks, and is woken by the one who wins its word (chan_queue.h);
// then it withdraws its other nodes.
//
// Parking unlocks the channels one by one, and with each the select may be woken: it may run elsewhere before the last unlock.
// That is harmless up to there, because withdrawing takes every one of the locks, and so waits until the parking side has
// dropped it; and nothing of the frame is touched after the last one.
#include <errno.h>
#include <stdlib.h>

#include "sched/core/m.h"
#include "sched/mn.h"
#include "sched/sync/chan.h"

enum {
	CASES_MAX = 65536,
	// Cases that find room on the stack, 416 bytes: of 2 KiB that is not too much. More are rare, and cost an allocation.
	SMALL = 8,
};

struct select {
	struct mn_case *cases;
	struct chan_waiter *nodes; // one a case
	uint16_t *poll;            // cases that have a channel, in random order
	uint16_t *order;           // the same by address of the channel
	uint32_t n;                // how many
	// (a) see struct chan_waiter
	_Atomic(struct chan_waiter *) winner;
};

static struct mn_chan *
chan_at(const struct select *s, uint32_t k)
{
	return s->cases[s->order[k]].chan;
}

// ---- Orders

// Fisher and Yates, growing from the front. The P's own generator; no switch between the reading of the P and its use.
static void
shuffle(struct select *s, int n)
{
	struct rng *rng = &m_p(mn_m())->rng;

	s->n = 0;
	for (int i = 0; i < n; i++) {
		uint32_t j;

		if (!s->cases[i].chan)
			continue;
		j = rng_below(rng, s->n + 1);
		s->poll[s->n++] = s->poll[j];
		s->poll[j] = (uint16_t)i;
	}
}

static uintptr_t
address_at(const struct select *s, uint32_t k)
{
	return (uintptr_t)chan_at(s, k);
}

static void
swap_order(struct select *s, uint32_t a, uint32_t b)
{
	uint16_t was = s->order[a];

	s->order[a] = s->order[b];
	s->order[b] = was;
}

// Lets what stands at k sink to its place in the heap of the first n, largest on top.
static void
sink(struct select *s, uint32_t k, uint32_t n)
{
	for (uint32_t child; (child = 2 * k + 1) < n; k = child) {
		if (child + 1 < n && address_at(s, child) < address_at(s, child + 1))
			child++;
		if (address_at(s, k) >= address_at(s, child))
			return;
		swap_order(s, k, child);
	}
}

// Heap sort: no recursion and no quadratic case, whatever the caller's channels are.
static void
sort(struct select *s)
{
	for (uint32_t k = 0; k < s->n; k++)
		s->order[k] = s->poll[k];
	for (uint32_t k = s->n / 2; k-- > 0;)
		sink(s, k, s->n);
	for (uint32_t n = s->n; n-- > 1;) {
		swap_order(s, 0, n);
		sink(s, 0, n);
	}
}

// ---- Locks

static void
lock_all(const struct select *s)
{
	struct mn_chan *last = NULL;

	for (uint32_t k = 0; k < s->n; k++) {
		struct mn_chan *c = chan_at(s, k);

		if (c != last)
			spin_lock(&c->lock);
		last = c;
	}
}

// Everything is read before the unlock that may let the select go: at park it may run from then on, and its frame be gone.
static void
unlock_all(const struct select *s)
{
	uint32_t n = s->n;
	struct mn_chan *c = chan_at(s, 0);

	for (uint32_t k = 1; k < n; k++) {
		struct mn_chan *next = chan_at(s, k);

		if (next != c)
			spin_unlock(&c->lock);
		c = next;
	}
	spin_unlock(&c->lock);
}

// ---- A case that is ready

static int
try_locked(struct mn_case *k, struct chan_waiter **peer)
{
	return k->kind == MN_CASE_SEND ? mn_chan_send_locked(k->chan, k->value, peer)
	                               : mn_chan_recv_locked(k->chan, k->value, peer);
}

static void
finish(struct mn_case *k, struct chan_waiter *peer)
{
	if (k->kind == MN_CASE_SEND)
		mn_chan_send_finish(k->chan, k->value, peer);
	else
		mn_chan_recv_finish(k->chan, k->value, peer);
}

// With all locks held. Carries out the first that is ready, and unlocks; or -EAGAIN, and they stay locked.
static int
one_that_is_ready(struct select *s)
{
	for (uint32_t k = 0; k < s->n; k++) {
		struct mn_case *ready = &s->cases[s->poll[k]];
		struct chan_waiter *peer;
		int error = try_locked(ready, &peer);

		if (error == -EAGAIN)
			continue;
		unlock_all(s);
		ready->ok = !error;
		finish(ready, peer);
		return s->poll[k];
	}
	return -EAGAIN;
}

// ---- None is ready

static struct chan_queue *
queue_of(const struct mn_case *k)
{
	return k->kind == MN_CASE_SEND ? &k->chan->sendq : &k->chan->recvq;
}

static void
enlist_locked(struct select *s)
{
	struct g *g = mn_self_g();

	store_relaxed(&s->winner, NULL); // the locks publish it with the nodes
	for (uint32_t k = 0; k < s->n; k++) {
		uint16_t i = s->order[k];
		struct mn_case *waits = &s->cases[i];

		s->nodes[i] = (struct chan_waiter){ .g = g, .value = waits->value, .winner = &s->winner };
		mn_chan_queue_put(queue_of(waits), &s->nodes[i]);
	}
}

static bool
commit_unlock_all(struct g *g, void *s)
{
	(void)g;
	unlock_all(s);
	return true;
}

// Lock after lock, also those under which there is nothing to do: see the top.
static void
withdraw(struct select *s)
{
	for (uint32_t k = 0; k < s->n;) {
		struct mn_chan *c = chan_at(s, k);

		spin_lock(&c->lock);
		for (; k < s->n && chan_at(s, k) == c; k++)
			mn_chan_queue_remove(queue_of(&s->cases[s->order[k]]), &s->nodes[s->order[k]]);
		spin_unlock(&c->lock);
	}
}

// With all locks held.
static int
wait_locked(struct select *s)
{
	struct chan_waiter *winner;
	int i;

	enlist_locked(s);
	mn_park(commit_unlock_all, s, WAIT_SELECT);
	withdraw(s);
	winner = load_relaxed(&s->winner); // mn_ready came after it
	i = (int)(winner - s->nodes);
	s->cases[i].ok = winner->ok;
	return i;
}

static int
run(struct select *s, int n, bool block)
{
	int i;

	shuffle(s, n);
	if (s->n == 0) {
		if (block)
			mn_chan_park_for_ever(WAIT_SELECT);
		return -EAGAIN;
	}
	sort(s);
	lock_all(s);
	i = one_that_is_ready(s);
	if (i == -EAGAIN && block)
		return wait_locked(s);
	if (i == -EAGAIN)
		unlock_all(s);
	return i;
}

// ---- Sizes

static NOINLINE int
run_small(struct mn_case *cases, int n, bool block)
{
	struct chan_waiter nodes[SMALL];
	uint16_t poll[SMALL], order[SMALL];
	struct select s = { .cases = cases, .nodes = nodes, .poll = poll, .order = order };

	return run(&s, n, block);
}

static NOINLINE int
run_large(struct mn_case *cases, int n, bool block)
{
	size_t count = (size_t)n;
	struct chan_waiter *nodes = malloc(count * (sizeof(*nodes) + 2 * sizeof(uint16_t)));
	struct select s = { .cases = cases, .nodes = nodes };
	int i;

	if (!nodes)
		return -ENOMEM;
	s.poll = (uint16_t *)(void *)(nodes + count);
	s.order = s.poll + count;
	i = run(&s, n, block);
	free(nodes);
	return i;
}

// A select of one case is that operation.
static int
run_one(struct mn_case *k, bool block)
{
	int error;

	if (block) {
		k->ok = k->kind == MN_CASE_SEND ? mn_chan_send(k->chan, k->value) : mn_chan_recv(k->chan, k->value);
		return 0;
	}
	error = k->kind == MN_CASE_SEND ? mn_chan_try_send(k->chan, k->value) : mn_chan_try_recv(k->chan, k->value);
	if (error == -EAGAIN)
		return error;
	k->ok = !error;
	return 0;
}

int
mn_select(struct mn_case *cases, int n, bool block)
{
	if (n < 0 || n > CASES_MAX)
		return -EINVAL;
	if (n == 0 && block)
		mn_chan_park_for_ever(WAIT_SELECT_NO_CASES);
	if (n == 0)
		return -EAGAIN;
	if (n == 1)
		return run_one(cases, block);
	return n <= SMALL ? run_small(cases, n, block) : run_large(cases, n, block);
}
