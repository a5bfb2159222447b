// SPDX-License-Identifier: MIT
// echo.h: what the forms of the echo workload share: requests, answers, and how to tell whether one is right.
#ifndef WORKLOADS_ECHO_H
#define WORKLOADS_ECHO_H

#include "workloads/crew.h"
#include "workloads/message.h"
#include "workloads/net.h"

enum { ECHO_CLIENTS, ECHO_ROUNDS, ECHO_SIZE, ECHO_GRAIN_NS };
enum { ECHO_SIZE_MIN = sizeof(struct message), ECHO_SIZE_MAX = 4096 };

// Ends 2k and 2k + 1 are a client and its server.
struct echo_wires {
	const struct net *net;
	int *fd;
};

// What a client sends and takes back: its message, and bytes that depend on client, round and place. answer checks all
// that came back, and counts the round; 0 or -EPROTO. serve does the server's part.
struct echo_client {
	long number;
	struct message m;
	struct crew_part part;
};
void echo_ask(const struct workload_run *run, const struct echo_client *c, void *request);
int echo_take(const struct workload_run *run, struct echo_client *c, const void *answer);
void echo_serve(const struct workload_run *run, void *request);

// The form of one thread and epoll: 0 or -errno.
int echo_evloop(struct workload_run *run);

#endif
