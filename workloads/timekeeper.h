// SPDX-License-Identifier: MIT
// timekeeper.h: somebody outside the scheduler who answers through a pipe after a while, so that a read blocks for a
// known time. It is a plain thread: were the other end a goroutine, handoff=none at procs=1 would wait for ever.
#ifndef WORKLOADS_TIMEKEEPER_H
#define WORKLOADS_TIMEKEEPER_H

#include <pthread.h>
#include <stdint.h>

struct timekeeper {
	int request[2], reply[2]; // pipes
	int64_t delay_ns;
	pthread_t thread;
};

// 0 or -errno. stop may be called when nobody waits any more.
int timekeeper_start(struct timekeeper *k, int64_t delay_ns);
void timekeeper_stop(struct timekeeper *k);

// Sends a byte and blocks in read(2) until a byte comes back, delay_ns later. Which of the callers that wait gets which
// byte is left to the kernel, but each byte comes back once. Returns the byte, or -errno.
int timekeeper_wait(struct timekeeper *k, uint8_t byte);

#endif
