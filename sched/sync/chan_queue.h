// SPDX-License-Identifier: MIT
// chan_queue.h: goroutines that wait for a channel, oldest first.
//
// A waiter's node stands on its stack, so that waiting allocates nothing. A plain send or receive has one node and is taken by
// whoever dequeues it under the channel's lock. A select has one node for each of its cases, in the queues of several
// channels, under several locks: who dequeues such a node must also win the select, by one CAS on a word that all its nodes
// point to. Nodes of a select that another has won are thrown away by whoever meets them, or withdrawn by the select itself
// when it runs again, whichever comes first.
//
// Who has taken a waiter alone may touch its node, its `value` and its G, without any lock, until mn_ready: the frame that
// holds them cannot go before.
#ifndef SCHED_SYNC_CHAN_QUEUE_H
#define SCHED_SYNC_CHAN_QUEUE_H

#include "sched/core/park.h"
#include "sched/os/lock.h"

// (l) under the lock of the channel in whose queue it stands; (c) constant once it is there.
struct chan_waiter {
	struct chan_waiter *next, *prev; // (l) next is the taker's to use once it has taken the node
	struct g *g;                     // (c)
	void *value;                     // (c) what it sends, or where it receives; NULL: dropped
	// (c) The word of the select that it belongs to, NULL: of none. The word is (a): NULL, then the node that was taken.
	//     Moved once, by a relaxed CAS: a loser looks at nothing else, and the select is told by mn_ready.
	_Atomic(struct chan_waiter *) *winner;
	bool queued; // (l)
	bool ok;     // its taker's, before mn_ready: the operation was carried out
};

struct chan_queue {
	_Atomic(struct chan_waiter *) first; // (l) to write; (a) to read whether there is one: CH1
	struct chan_waiter *last;            // (l)
};

void mn_chan_queue_put(struct chan_queue *q, struct chan_waiter *w);
// Takes w out, if it stands there. Not a dequeue: nobody is taken.
void mn_chan_queue_remove(struct chan_queue *q, struct chan_waiter *w);
// The oldest waiter that the caller has now taken; NULL: nobody waits.
struct chan_waiter *mn_chan_queue_take(struct chan_queue *q);
// All of them, oldest first, linked by next.
struct chan_waiter *mn_chan_queue_take_all(struct chan_queue *q);

#endif
