// SPDX-License-Identifier: MIT
// link.h: a queue of messages between the members of a workload: a channel of libmn when these are goroutines, a mutex and
// two conditions when they are threads. So one body serves both, and what is compared is the waiting.
#ifndef WORKLOADS_LINK_H
#define WORKLOADS_LINK_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "workloads/message.h"

struct link {
	struct mn_chan *chan; // in goroutines; else NULL, and the rest is in use
	pthread_mutex_t lock;
	pthread_cond_t filled, emptied;
	struct message *slot; // (l) of capacity
	size_t capacity, first, n;
	bool closed; // (l)
};

// Makes a link of that capacity. With 0, goroutines meet to hand a message over; threads, which would gain nothing by it,
// have room for one. In goroutines, to be called in one. 0 or -ENOMEM. free: when nobody uses it any more.
int link_open(struct link *l, size_t capacity, bool in_goroutines);
void link_free(struct link *l);

// n links in a row, all or none.
struct link *links_open(long n, size_t capacity, bool in_goroutines);
void links_free(struct link *l, long n);

// Both block. recv is false when the link is closed and empty.
void link_send(struct link *l, const struct message *m);
bool link_recv(struct link *l, struct message *m);
void link_close(struct link *l);

#endif
