// SPDX-License-Identifier: MIT
// source.h: where runnable goroutines come from besides queues: timers and the network poller. They stand on the floor above
// and register here, so that find_runnable and sysmon never name them. Both tables are NULL until first used: a run without
// timers or I/O pays one load.
#ifndef SCHED_CORE_SOURCE_H
#define SCHED_CORE_SOURCE_H

#include "sched/core/g.h"

struct p;

// When nothing is due: later than every time.
#define SOURCE_NEVER INT64_MAX

struct timer_source {
	// Fires what is due at `now` in p's timers; keeps p->next_timer at the earliest, never later. The caller holds `on`, a P; callbacks make Gs runnable there. Answers whether
	// anything fired. p is the caller's own P, or a victim's (lock inside).
	bool (*run)(struct p *p, struct p *on, int64_t now);
	// p goes out of use (GOMAXPROCS shrinks): its timers move to `to`. The world is stopped.
	void (*move)(struct p *p, struct p *to);
	// End of a run: forget everything.
	void (*release)(void);
};

struct poll_source {
	// Gs that wait for I/O. 0: nobody needs to poll but for timers.
	uint32_t (*waiters)(void);
	// Collects up to `max` Gs whose I/O is ready, WAITING -> RUNNABLE done here, in no queue. timeout in ns: 0 does not block,
	// negative: for ever. Returns early after interrupt().
	uint32_t (*poll)(struct g **out, uint32_t max, int64_t timeout);
	// Ends a blocking poll now, or the next one at once. Async-signal-safe, may be called without a P.
	void (*interrupt)(void);
	void (*release)(void);
};

// First use; may be called by any M that holds a P, more than once.
void mn_source_timers(const struct timer_source *t);
void mn_source_poller(const struct poll_source *p);

// A timer was started on the caller's P that is due at `when`: whoever sleeps longer than that is woken.
void mn_source_earlier(int64_t when);

#endif
