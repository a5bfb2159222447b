// SPDX-License-Identifier: MIT
// chan_rig.c: see the header. Opens the internals of channels.
#include "sched/tests/chan_rig.h"

#include <stdlib.h>

_Atomic int chan_wrong;

void
chan_run_all(mn_fn fn, void *arg)
{
	static const int procs[] = { 1, 2, 4 };

	for (size_t i = 0; i < array_len(procs); i++) {
		store_relaxed(&chan_wrong, 0);
		EXPECT_EQ(rig_run_at("procs=%d", procs[i], fn, arg), 0);
		EXPECT_EQ(load_relaxed(&chan_wrong), 0);
	}
}

static size_t
length(struct mn_chan *c, struct chan_queue *q)
{
	size_t n = 0;

	spin_lock(&c->lock);
	for (struct chan_waiter *w = load_relaxed(&q->first); w; w = w->next)
		n++;
	spin_unlock(&c->lock);
	return n;
}

size_t
chan_receivers(struct mn_chan *c)
{
	return length(c, &c->recvq);
}

size_t
chan_senders(struct mn_chan *c)
{
	return length(c, &c->sendq);
}

struct mn_chan *
chan_of_int(size_t capacity)
{
	struct mn_chan *c = mn_chan_new(sizeof(int), capacity);

	if (!c)
		abort();
	return c;
}

bool
send_int(struct mn_chan *c, int value)
{
	return mn_chan_send(c, &value);
}

int
recv_int(struct mn_chan *c)
{
	int value;

	return mn_chan_recv(c, &value) ? value : -1;
}

struct mn_case
case_send(struct mn_chan *c, int *value)
{
	return (struct mn_case){ .kind = MN_CASE_SEND, .chan = c, .value = value };
}

struct mn_case
case_recv(struct mn_chan *c, int *value)
{
	return (struct mn_case){ .kind = MN_CASE_RECV, .chan = c, .value = value };
}
