// SPDX-License-Identifier: MIT
// os.h: everything that the scheduler asks of the world, on one page. The floors above call nothing else of the system.
//
// One implementation is linked: linux/. All times are in ns. Calls that can fail return 0 or -errno.
#ifndef SCHED_OS_OS_H
#define SCHED_OS_OS_H

#include "sched/base/atomic.h"
#include "sched/base/base.h"

// ---- Threads

struct mn_os_thread {
	unsigned long handle;
};
// Starts a thread with all signals blocked but those of its own faults. stack_size 0: the system's default.
int mn_os_thread_start(struct mn_os_thread *t, void (*fn)(void *), void *arg, size_t stack_size);
void mn_os_thread_join(struct mn_os_thread *t);
void mn_os_thread_self(struct mn_os_thread *t); // the calling one

// One pointer a thread, NULL at first: the scheduler keeps its M there. Read it anew after everything that may have moved
// the goroutine to another thread; nothing caches it (linux_self.h tells how).
static inline void *mn_os_self(void);
void mn_os_set_self(void *self);

// ---- Sleeping and waking

// Sleeps while *word == expected, until a wake, or timeout ns have passed (negative: no limit). May return early for no
// reason: callers look at the word again.
void mn_os_wait(_Atomic uint32_t *word, uint32_t expected, int64_t timeout);
// Wakes up to n threads that sleep on the word.
void mn_os_wake(_Atomic uint32_t *word, int n);
// Sleeps for about that long.
void mn_os_sleep(int64_t ns);
// The calling thread's timed sleeps end when they should; else they may be joined with others', 50 us late on Linux.
void mn_os_sleep_precisely(void);

// ---- Time

int64_t mn_os_now(void); // monotonic

// ---- Memory

// Address space that reads as zero and costs memory only when touched. NULL: none left.
void *mn_os_map(size_t size);
void mn_os_unmap(void *at, size_t size);
// Asks for large pages on a range of slabs (on), or for none of them (stacks, of which little is touched).
void mn_os_large_pages(void *at, size_t size, bool on);
// Makes a range fault when touched. 0: done, at no further cost. 1: done by splitting the mapping in two, of which a process
// may have only so many (65,530 on Linux): done only if may_split. -errno: the caller does without.
int mn_os_guard(void *at, size_t size, bool may_split);

// ---- Memory faults

// From now on a fault is first shown to ours(address), on the thread's alternate stack; false: not ours, it goes where it went
// before. Async-signal-safe calls only. 0 or -errno.
int mn_os_catch_faults(bool (*ours)(void *address));
void mn_os_release_faults(void);

// The calling thread's alternate stack, and what it had before. enter: 0 or -errno.
struct mn_os_alt_stack {
	void *at, *old_at;
	size_t old_size;
	bool old_off;
};
int mn_os_alt_stack_enter(struct mn_os_alt_stack *alt);
void mn_os_alt_stack_leave(struct mn_os_alt_stack *alt);

// ---- Polling

// One set of descriptors, and a bell beside them. Descriptors are told of once, at each change (edge-triggered): whoever
// uses one does so until the system says that it would block.
struct mn_os_poll {
	int set, bell;
};
enum { MN_OS_READABLE = 1, MN_OS_WRITABLE = 2, MN_OS_BELL = 4 };
struct mn_os_event {
	uint64_t tag; // what the descriptor was added with
	uint32_t ready;
};
int mn_os_poll_open(struct mn_os_poll *p);
void mn_os_poll_close(struct mn_os_poll *p);
// -EPERM: this kind of descriptor cannot be polled; it never waits for long.
int mn_os_poll_add(struct mn_os_poll *p, int fd, uint64_t tag);
void mn_os_poll_remove(struct mn_os_poll *p, int fd);
// Waits up to timeout ns (0: not at all; negative: for ever) for events, up to max of them; how many there are. May answer 0
// early. One event may be the bell's, which goes on ringing until it is silenced.
int mn_os_poll_wait(struct mn_os_poll *p, struct mn_os_event *events, int max, int64_t timeout);
// Async-signal-safe.
void mn_os_poll_ring(struct mn_os_poll *p);
void mn_os_poll_silence(struct mn_os_poll *p);

// ---- Descriptors: the system's calls of these names, with -errno as their result and never -EINTR

intptr_t mn_os_read(int fd, void *buf, size_t n);
// A socket whose other end is gone says so by -EPIPE, and by no signal.
intptr_t mn_os_write(int fd, const void *buf, size_t n, bool socket);
int mn_os_accept(int fd, void *addr, uint32_t *addrlen); // the new one does not block, and is closed by exec
// Interrupted: -EINPROGRESS. Called again it tells how the attempt stands: 0, -EALREADY, or why it failed.
int mn_os_connect(int fd, const void *addr, uint32_t addrlen);
int mn_os_close(int fd);
int mn_os_dont_block(int fd);
bool mn_os_is_socket(int fd);

// ---- Processors and the rest

int mn_os_current_pu(void); // where this thread runs, by the system's number, or -errno
int mn_os_num_pus(void);    // how many this process may run on
uint64_t mn_os_entropy(void);

#include "sched/os/linux/linux_self.h"

#endif
