// SPDX-License-Identifier: MIT
// message.h: work that goes from one to the other, and is the same work whoever does it.
#ifndef WORKLOADS_MESSAGE_H
#define WORKLOADS_MESSAGE_H

#include <stdint.h>

// What goes from one to the other: how often it has been worked on, and the answers so far.
struct message {
	uint64_t hop, sum;
};

// Works on a message for grain_ns: adds the answer that belongs to its hop, and counts the hop.
void message_work(struct message *m, int64_t grain_ns);

// What n hops from 0 add up to.
uint64_t message_sum(uint64_t n, int64_t grain_ns);

#endif
