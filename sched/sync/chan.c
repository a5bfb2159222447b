// SPDX-License-Identifier: MIT
// chan.c: channels: send, receive, close, and their forms that do not wait.
//
// The one idea: whoever finds the other side waiting carries out both halves of the meeting, and then wakes it. A woken
// goroutine never competes again: its operation is done, `ok` says how. So nobody barges, and values pass in order of arrival.
// Values are copied, and waiters woken, after the lock has been dropped: a taken waiter is its taker's alone (chan_queue.h).
// Only what passes through the ring is copied under the lock.
//
// Failing without waiting takes no lock (send_would_block). Rejected: waking under the lock, as the woken would run into it;
// a count of waiters beside the queues, as `first` says all that is needed.
#include "sched/sync/chan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/mn.h"

struct mn_chan *
mn_chan_new(size_t elem_size, size_t capacity)
{
	enum { LINE = 64 };
	struct mn_chan *c;
	size_t size;

	if (__builtin_mul_overflow(elem_size, capacity, &size) ||
	    __builtin_add_overflow(size, sizeof(*c) + LINE - 1, &size) || size > PTRDIFF_MAX)
		return NULL;
	c = aligned_alloc(LINE, size - size % LINE);
	if (c) {
		memset(c, 0, sizeof(*c));
		c->elem_size = elem_size;
		c->cap = capacity;
	}
	return c;
}

void
mn_chan_free(struct mn_chan *c)
{
	if (c && (load_relaxed(&c->recvq.first) || load_relaxed(&c->sendq.first)))
		mn_throw("free of a channel that goroutines wait for");
	free(c);
}

size_t
mn_chan_len(const struct mn_chan *c)
{
	return c ? load_relaxed(&c->count) : 0; // a figure that may be old before it is read
}

size_t
mn_chan_cap(const struct mn_chan *c)
{
	return c ? c->cap : 0;
}

// ---- Moving values

// Pointers and numbers are what is mostly sent: their copy is two instructions. It must also be so because a call of libc that
// is resolved lazily at its first use takes 3 KiB of stack, more than the smallest has.
static void
copy(const struct mn_chan *c, void *to, const void *from)
{
	if (likely(c->elem_size == sizeof(uint64_t)))
		memcpy(to, from, sizeof(uint64_t));
	else if (c->elem_size == sizeof(uint32_t))
		memcpy(to, from, sizeof(uint32_t));
	else if (c->elem_size)
		memcpy(to, from, c->elem_size);
}

static void
zero(const struct mn_chan *c, void *value)
{
	if (value && c->elem_size)
		memset(value, 0, c->elem_size);
}

static size_t
after(const struct mn_chan *c, size_t i)
{
	return i + 1 == c->cap ? 0 : i + 1;
}

static void
ring_put(struct mn_chan *c, const void *value)
{
	copy(c, c->ring + c->tail * c->elem_size, value);
	c->tail = after(c, c->tail);
}

static void
ring_get(struct mn_chan *c, void *value)
{
	if (value)
		copy(c, value, c->ring + c->head * c->elem_size);
	c->head = after(c, c->head);
}

// CH1: count, closed and the queues' first are written under the lock, by release. A reader without the lock that acquires
// what one critical section wrote sees all that this section and those before it wrote.
static void
set_count(struct mn_chan *c, size_t count)
{
	store_release(&c->count, count); // CH1
}

// ---- With the lock held

int
mn_chan_send_locked(struct mn_chan *c, const void *value, struct chan_waiter **peer)
{
	size_t count = load_relaxed(&c->count);

	*peer = NULL;
	if (unlikely(load_relaxed(&c->closed)))
		return -EPIPE;
	if ((*peer = mn_chan_queue_take(&c->recvq)))
		return 0;
	if (count == c->cap)
		return -EAGAIN;
	ring_put(c, value);
	set_count(c, count + 1);
	return 0;
}

// A full ring with a sender waiting behind it is still full afterwards: count does not move, lest somebody without the lock
// believes that there was room.
static void
take_turns(struct mn_chan *c, void *value, struct chan_waiter *sender)
{
	ring_get(c, value);
	ring_put(c, sender->value);
}

int
mn_chan_recv_locked(struct mn_chan *c, void *value, struct chan_waiter **peer)
{
	size_t count = load_relaxed(&c->count);

	if ((*peer = mn_chan_queue_take(&c->sendq))) {
		if (c->cap)
			take_turns(c, value, *peer);
		return 0;
	}
	if (count) {
		ring_get(c, value);
		set_count(c, count - 1);
		return 0;
	}
	if (!load_relaxed(&c->closed))
		return -EAGAIN;
	zero(c, value);
	return -EPIPE;
}

// ---- After it

static void
wake(struct chan_waiter *w, bool ok)
{
	w->ok = ok;
	mn_ready(w->g); // w may be gone from here on
}

void
mn_chan_send_finish(struct mn_chan *c, const void *value, struct chan_waiter *receiver)
{
	if (!receiver)
		return;
	if (receiver->value)
		copy(c, receiver->value, value);
	wake(receiver, true);
}

void
mn_chan_recv_finish(struct mn_chan *c, void *value, struct chan_waiter *sender)
{
	if (!sender)
		return;
	if (!c->cap && value)
		copy(c, value, sender->value);
	wake(sender, true);
}

// ---- Waiting

static bool
commit_unlock(struct g *g, void *lock)
{
	(void)g;
	spin_unlock(lock);
	return true;
}

// With the lock held, which is dropped. Answers whether the operation was carried out: if not, the channel was closed.
static NOINLINE bool
wait_locked(struct mn_chan *c, struct chan_queue *q, void *value, enum wait_reason reason)
{
	struct chan_waiter self = { .g = mn_self_g(), .value = value };

	mn_chan_queue_put(q, &self);
	mn_park(commit_unlock, &c->lock, reason);
	return self.ok;
}

static bool
commit_nothing(struct g *g, void *unused)
{
	(void)g;
	(void)unused;
	return true;
}

void
mn_chan_park_for_ever(enum wait_reason reason)
{
	for (;;)
		mn_park(commit_nothing, NULL, reason);
}

bool
mn_chan_send(struct mn_chan *c, const void *value)
{
	struct chan_waiter *receiver;
	int error;

	if (unlikely(!c))
		mn_chan_park_for_ever(WAIT_CHAN_SEND_NIL);
	spin_lock(&c->lock);
	error = mn_chan_send_locked(c, value, &receiver);
	if (error == -EAGAIN) // the value is only read: casting const away is for the node that serves both sides
		return wait_locked(c, &c->sendq, (void *)(uintptr_t)value, WAIT_CHAN_SEND);
	spin_unlock(&c->lock);
	mn_chan_send_finish(c, value, receiver);
	return !error;
}

bool
mn_chan_recv(struct mn_chan *c, void *value)
{
	struct chan_waiter *sender;
	int error;

	if (unlikely(!c))
		mn_chan_park_for_ever(WAIT_CHAN_RECV_NIL);
	spin_lock(&c->lock);
	error = mn_chan_recv_locked(c, value, &sender);
	if (error == -EAGAIN)
		return wait_locked(c, &c->recvq, value, WAIT_CHAN_RECV);
	spin_unlock(&c->lock);
	mn_chan_recv_finish(c, value, sender);
	return !error;
}

// ---- Without waiting

static bool
nowhere_to_send(struct mn_chan *c)
{
	return c->cap ? load_acquire(&c->count) == c->cap : !load_acquire(&c->recvq.first); // CH1
}

static bool
nothing_to_receive(struct mn_chan *c)
{
	return c->cap ? load_acquire(&c->count) == 0 : !load_acquire(&c->sendq.first); // CH1
}

// Both look at two words, and must not answer from two moments. "Not ready" is read first: it acquires all critical sections
// up to the one that made it so. If then "not closed" is read, close is not among these: at the end of that section the
// channel was both. In the other order a send would fail although at first a receiver waited, and then close took it away.
//
// CH2: what this goroutine did to other channels is visible before it looks at this one; its partner is the same fence of
// another goroutine. Two that each send on one channel and then look at the other's do not both find nothing.
static bool
send_would_block(struct mn_chan *c)
{
	fence_store_load();                                     // CH2
	return nowhere_to_send(c) && !load_acquire(&c->closed); // CH1
}

// 0: worth the lock. A closed channel stays so, but may have been filled between the first look and the close: only nothing
// to receive after the close is the end.
static int
recv_fails(struct mn_chan *c)
{
	fence_store_load(); // CH2
	if (!nothing_to_receive(c))
		return 0;
	if (!load_acquire(&c->closed)) // CH1
		return -EAGAIN;
	return nothing_to_receive(c) ? -EPIPE : 0;
}

int
mn_chan_try_send(struct mn_chan *c, const void *value)
{
	struct chan_waiter *receiver;
	int error;

	if (!c || send_would_block(c))
		return -EAGAIN;
	spin_lock(&c->lock);
	error = mn_chan_send_locked(c, value, &receiver);
	spin_unlock(&c->lock);
	mn_chan_send_finish(c, value, receiver);
	return error;
}

int
mn_chan_try_recv(struct mn_chan *c, void *value)
{
	struct chan_waiter *sender;
	int error = c ? recv_fails(c) : -EAGAIN;

	if (error == -EPIPE)
		zero(c, value);
	if (error)
		return error;
	spin_lock(&c->lock);
	error = mn_chan_recv_locked(c, value, &sender);
	spin_unlock(&c->lock);
	mn_chan_recv_finish(c, value, sender);
	return error;
}

// ---- Close

// The nodes die when their owners run.
static void
wake_all(struct mn_chan *c, struct chan_waiter *w, bool receivers)
{
	struct chan_waiter *next;

	for (; w; w = next) {
		next = w->next;
		if (receivers)
			zero(c, w->value);
		wake(w, false);
	}
}

void
mn_chan_close(struct mn_chan *c)
{
	struct chan_waiter *receivers, *senders;

	if (!c)
		mn_throw("close of nil channel");
	spin_lock(&c->lock);
	if (load_relaxed(&c->closed))
		mn_throw("close of closed channel");
	store_release(&c->closed, true); // CH1: before the queues empty
	receivers = mn_chan_queue_take_all(&c->recvq);
	senders = mn_chan_queue_take_all(&c->sendq);
	spin_unlock(&c->lock);
	wake_all(c, receivers, true);
	wake_all(c, senders, false);
}
