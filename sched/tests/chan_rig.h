// SPDX-License-Identifier: MIT
// chan_rig.h: what the channel tests share. Opens the channel to see who waits: "let it sleep for a while, it will have parked"
// would depend on the machine.
#ifndef SCHED_TESTS_CHAN_RIG_H
#define SCHED_TESTS_CHAN_RIG_H

#include "sched/sync/chan.h"
#include "sched/tests/rig.h"

// EXPECT for goroutines, which may fail at once on several threads. chan_run_all reports the count.
extern _Atomic int chan_wrong;
#define WRONG_UNLESS(condition)                                                                                \
	do {                                                                                                   \
		if (!(condition) && add_relaxed(&chan_wrong, 1) < 20)                                          \
			fprintf(stderr, "%s:%d: %s: expected %s\n", __FILE__, __LINE__, __func__, #condition); \
	} while (0)

// Gives way to other goroutines until it holds.
#define YIELD_UNTIL(condition) \
	while (!(condition))   \
	mn_yield()

// Runs fn(arg) as goroutine 1 with 1, 2 and 4 Ps.
void chan_run_all(mn_fn fn, void *arg);

// Nodes in the queues.
size_t chan_receivers(struct mn_chan *c);
size_t chan_senders(struct mn_chan *c);

// Channels of int.
struct mn_chan *chan_of_int(size_t capacity);
bool send_int(struct mn_chan *c, int value);
int recv_int(struct mn_chan *c); // -1: closed and empty

// A case of a select.
struct mn_case case_send(struct mn_chan *c, int *value);
struct mn_case case_recv(struct mn_chan *c, int *value);

#endif
