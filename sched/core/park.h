// SPDX-License-Identifier: MIT
// park.h: a goroutine goes to sleep and is woken; on this every way of blocking is built.
#ifndef SCHED_CORE_PARK_H
#define SCHED_CORE_PARK_H

#include "sched/core/g.h"

// Why a G waits, for dumps. Go's words, by mn_wait_reason_name.
enum wait_reason {
	WAIT_NONE,
	WAIT_JOIN,
	WAIT_GROUP,
	WAIT_SLEEP,
	WAIT_IO,
	WAIT_FD,
	WAIT_SEMACQUIRE,
	WAIT_MUTEX,
	WAIT_RWMUTEX_READ,
	WAIT_RWMUTEX_WRITE,
	WAIT_COND,
	WAIT_CHAN_SEND,
	WAIT_CHAN_RECV,
	WAIT_CHAN_SEND_NIL,
	WAIT_CHAN_RECV_NIL,
	WAIT_SELECT,
	WAIT_SELECT_NO_CASES,
	WAIT_REASONS
};
const char *mn_wait_reason_name(enum wait_reason reason);

// Run on the far side of the switch, when the G is WAITING and off its stack: makes it findable by whoever will ready it
// (unlocks, publishes). From the moment it does, the G may run elsewhere, or be dead: commit must not touch g, nor anything
// that only g keeps alive, after that. false: the reason to wait is gone; the G is made runnable again.
typedef bool (*park_commit)(struct g *g, void *arg);

// Parks the calling G. Returns when it has been readied and runs again.
void mn_park(park_commit commit, void *arg, enum wait_reason reason);

// The calling goroutine.
struct g *mn_self_g(void);

// Makes a parked G runnable: it goes into runnext of the caller's P, wherever it ran before. The caller must hold a P. A G
// that is not waiting is a fatal error: it catches every double wake.
void mn_ready(struct g *g);

// The first half of it: WAITING -> RUNNABLE, and no more. g is the caller's, to be put into a queue once and counted as
// readied. May be called without a P.
void mn_make_runnable(struct g *g);

// Gives the rest of the slice to whoever stands first at the caller's P, which after mn_ready is the G just readied; the
// caller goes to the tail of the local queue, whatever yield_to says. Returns at once if nobody stands there. For hand-overs.
void mn_goyield(void);

#endif
