// SPDX-License-Identifier: MIT
// netpoll.h: goroutines that wait for descriptors. What a descriptor's number stands for at present, and the poller that wakes
// whoever waits for it. The calls that users see are in io.c; their common part, from first use to close, in descriptor.c.
#ifndef SCHED_SYNC_NETPOLL_H
#define SCHED_SYNC_NETPOLL_H

#include "sched/core/g.h"
#include "sched/sync/turn.h"

enum poll_dir { POLL_READ = 0, POLL_WRITE = 1, POLL_DIRS };

// What the word of a side holds; anything else is the struct g that waits.
enum { POLL_NIL = 0, POLL_READY = 1, POLL_WAIT = 2 };

// One direction of a descriptor: a semaphore of one bit with at most one waiter.
//
//	the waiter           READY -> NIL: goes on.  NIL -> WAIT; looks at the reasons to give up; parks: WAIT -> G
//	                     (fails if it is ready by now); awake: whatever -> NIL
//	an event             NIL, WAIT -> READY;  G -> READY, and wakes G
//	deadline or close    publishes the reason; WAIT -> NIL;  G -> NIL, and wakes G
//
// NP1: the waiter writes the word and reads the reasons, the others write a reason and read the word. Were either pair
// reordered, both could miss; all four are sequentially consistent. A wake for no reason is harmless: the call is tried again.
struct poll_side {
	_Atomic uintptr_t word;   // (a)
	_Atomic uint32_t expired; // (a) NP1: the deadline is over. Written under the lock
	struct turn turn;         // who uses the descriptor this way
	struct lock lock;         // guards deadline
	int64_t deadline;         // (l) 0: none
	struct mn_timer timer;    // of the deadline; started and stopped by the holder of `setting`
};

// Kinds: not used yet; cannot be polled; pipes, terminals and the like; sockets.
enum poll_kind { POLL_UNKNOWN = 0, POLL_FILE, POLL_STREAM, POLL_SOCKET };

// DESC_CLOSING: nobody new comes in. DESC_FREEING: all are out, and the number is being given back: it may come again at any
// moment, and its next user waits until we have forgotten the last one.
enum { DESC_CLOSING = 1 << 29, DESC_FREEING = 1 << 30 };

// One a number, type-stable while a scheduler runs, zeroed at first.
struct poll_desc {
	struct poll_side side[POLL_DIRS];
	_Atomic uint32_t state;      // (a) NP6: how many calls are in progress, and the bits above
	_Atomic uint32_t generation; // (a) raised by each close: events tagged with another are about a former file
	_Atomic uint32_t kind;       // (a) enum poll_kind. Written by the holder of `setting`, or the closer when alone
	struct turn setting;         // who makes it known, or sets deadlines
	struct g *closer;            // NP6: published by the closer's leaving
};

// ---- descriptor.c

// Begins a call on fd by the calling goroutine, and ends it. -EPERM: not a goroutine; -EBADF; -ECANCELED: being closed.
int mn_desc_enter(int fd, struct poll_desc **d);
void mn_desc_leave(struct poll_desc *d);

// ---- netpoll.c

// Sets the poller up, at its first use in a run.
int mn_netpoll_open(void);
// What fd, not negative, stands for. NULL: no memory.
struct poll_desc *mn_netpoll_desc(int fd);
int mn_netpoll_add(struct poll_desc *d, int fd);
void mn_netpoll_remove(int fd);

// The calling goroutine, which has the turn, waits until d may be ready. 0: try again. -ECANCELED: it is being closed.
// -ETIMEDOUT: the deadline is over.
int mn_netpoll_wait(struct poll_desc *d, enum poll_dir dir);
// Why a call should give up, as above, 0: it should not.
int mn_netpoll_trouble(struct poll_desc *d, enum poll_dir dir);
// Wakes who waits there, after a reason has been published. The caller holds a P.
void mn_netpoll_give_up(struct poll_side *side);

// How many goroutines wait for the poller.
uint32_t mn_netpoll_waiters(void);
// One event as the system told it. Answers how many goroutines it has put into out[0..2), runnable and in no queue.
uint32_t mn_netpoll_event(uint64_t tag, uint32_t ready, struct g **out);

#endif
