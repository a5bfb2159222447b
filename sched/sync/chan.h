// SPDX-License-Identifier: MIT
// chan.h: the inside of a channel, for select.c and the tests.
//
// At least one of the queues is empty, but for selects that stand in both. count > 0: no receiver waits. count < cap: no
// sender waits. Locks of several channels are taken in the order of their addresses.
//
//	              send            recv            close           select           try that fails
//	excluded by   c->lock         c->lock         c->lock         all its locks    nothing: reads count, first, closed
#ifndef SCHED_SYNC_CHAN_H
#define SCHED_SYNC_CHAN_H

#include "sched/sync/chan_queue.h"

struct mn_chan {
	// A spin_lock, because its release touches nothing afterwards: whoever is let in may free the channel. Held for one
	// buffered value's copy at most, but by close, for as long as it collects who waits.
	struct spin_lock lock;
	_Atomic bool closed;              // (l) to write, once; (a) to read: CH1
	size_t elem_size, cap;            // (c)
	_Atomic size_t count;             // (l) to write; (a) to read: CH1. Values in the ring
	size_t head, tail;                // (l) next to leave; next to fill
	struct chan_queue recvq, sendq;   // (l)
	alignas(max_align_t) char ring[]; // (l)
};

// With the lock held: carries the operation out, if that can be done at once. 0 done, -EAGAIN it would have to wait, -EPIPE
// closed. A waiter that took part is left in *peer (else NULL), for finish, which must follow once no lock is held: there a
// value goes straight from one goroutine's variable into the other's, and the peer is woken.
int mn_chan_send_locked(struct mn_chan *c, const void *value, struct chan_waiter **peer);
int mn_chan_recv_locked(struct mn_chan *c, void *value, struct chan_waiter **peer);
void mn_chan_send_finish(struct mn_chan *c, const void *value, struct chan_waiter *peer);
void mn_chan_recv_finish(struct mn_chan *c, void *value, struct chan_waiter *peer);

// Parks for good: nobody knows of it.
_Noreturn void mn_chan_park_for_ever(enum wait_reason reason);

#endif
