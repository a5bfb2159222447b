// SPDX-License-Identifier: MIT
// chan_queue.c: a doubly linked list, because a select withdraws from the middle.
#include "sched/sync/chan_queue.h"

static struct chan_waiter *
first_of(struct chan_queue *q)
{
	return load_relaxed(&q->first); // written under the lock that the caller holds
}

void
mn_chan_queue_put(struct chan_queue *q, struct chan_waiter *w)
{
	w->next = NULL;
	w->prev = q->last;
	w->queued = true;
	if (q->last)
		q->last->next = w;
	else
		store_release(&q->first, w); // CH1
	q->last = w;
}

void
mn_chan_queue_remove(struct chan_queue *q, struct chan_waiter *w)
{
	if (!w->queued)
		return;
	w->queued = false;
	if (w->prev)
		w->prev->next = w->next;
	else
		store_release(&q->first, w->next); // CH1
	if (w->next)
		w->next->prev = w->prev;
	else
		q->last = w->prev;
}

// Whether the caller may have w: always, or if it is the first to win w's select.
static bool
win(struct chan_waiter *w)
{
	struct chan_waiter *nobody = NULL;

#if defined(MN_FAULT_SELECT_TWICE)
	if (w->winner)
		store_relaxed(w->winner, w);
	return !nobody;
#endif
	return !w->winner || cas_relaxed(w->winner, &nobody, w);
}

struct chan_waiter *
mn_chan_queue_take(struct chan_queue *q)
{
	struct chan_waiter *w;

	while ((w = first_of(q))) {
		mn_chan_queue_remove(q, w);
		if (win(w))
			return w;
	}
	return NULL;
}

struct chan_waiter *
mn_chan_queue_take_all(struct chan_queue *q)
{
	struct chan_waiter *all = NULL, **end = &all, *w;

	while ((w = mn_chan_queue_take(q))) {
		*end = w;
		end = &w->next;
	}
	*end = NULL;
	return all;
}
