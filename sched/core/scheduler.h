// SPDX-License-Identifier: MIT
// scheduler.h: the scheduler as a whole: what all Ms share.
#ifndef SCHED_CORE_SCHEDULER_H
#define SCHED_CORE_SCHEDULER_H

#include "sched/core/globq.h"
#include "sched/core/m.h"
#include "sched/core/p.h"
#include "sched/core/policy.h"
#include "sched/core/source.h"
#include "sched/os/topo.h"

enum {
	IDLE_WORDS = MN_PROCS_MAX / 64,
	POLL_MAX = 128, // events a poll
};

struct sched {
	// ---- (c) from start to end of a run
	struct mn_options options;
	// (a) GOMAXPROCS, by num_ps. NP: changed while the world is stopped; who needs no P to look (sysmon, samplers, a sleeper) may see
	// either number, and finds that many Ps made.
	_Atomic uint32_t nprocs;
	_Atomic uint32_t nps; // Ps ever made; those from nprocs on are DEAD
	uint32_t npus;        // processors that the process may use
	struct p *allp;       // nprocs of them
	runq_amount how_many; // NULL: no stealing
	const struct victim_policy *victims;
	const struct spin_policy *spin;
	bool global_only;     // queue=global
	bool runnext;         // runnext=on
	uint8_t stack_class;  // log2 of the default stack
	uint32_t batch;       // most Gs taken from the global queue at once: half of cap, at least 1
	uint32_t slice_ticks; // global_tick, 0: never
	int64_t linger_ns;    // how long a search that found nothing goes on looking
	uint64_t seed;
	int64_t started;                // when, ns
	struct mn_topo *topo;           // NULL unless something is bound or victim=nearest
	void (*on_sysmon)(int64_t now); // watch's hook: called by sysmon each round; NULL: none

	// ---- (a) the line that every spawn reads: see wake.c for the protocol of all three
	alignas(CACHE_LINE) _Atomic uint32_t nspinning; // Ms that search, or are woken to
	_Atomic uint32_t npidle;                        // Ps on the idle list. Written under the lock
	_Atomic uint32_t needspinning;                  // work was submitted when no P was idle and no M searched
	_Atomic uint32_t gcwaiting;                     // the world is being stopped. Written under the lock
	_Atomic uint32_t stopping;                      // written under the lock, once

	// ---- (a) sources.c: who sleeps for timers and the network
	_Atomic(const struct timer_source *) timers; // NULL until the first timer
	_Atomic(const struct poll_source *) poller;  // NULL until the first I/O
	_Atomic int64_t lastpoll;                    // when the network was last looked at; 0: an M sleeps there
	_Atomic int64_t poll_until;                  // when that M means to wake
	_Atomic uint32_t polling;                    // somebody takes a look
	uint64_t sysmon_puts;   // (sysmon) Gs that it put into the global queue, all from the poller
	struct note stop_bed;   // where the one who stops the world waits
	_Atomic uint32_t world; // held by the one who stops it
	struct note poll_bed;   // where that M sleeps when nobody waits for I/O

	// ---- (l) under lock
	alignas(CACHE_LINE) struct lock lock;
	struct p *pidle;      // most recently idle first
	struct m *midle;      // most recently parked first
	struct m *allm;       // newest first
	uint32_t ncarried;    // Ps that sysmon took and has not found a place for: as good as a running M
	int32_t nlocked_idle; // Ms asleep until their locked G may run; -1 for a moment if one was woken before it slept
	uint32_t nmade;       // Ms made so far
	uint32_t stopwait;    // Ps that have not stopped yet
	int next_m;           // number of the next descriptor
	struct m *dead;       // Ms whose threads end, not joined yet
	struct m *buried;     // descriptors without a thread
	struct m *births;     // Ms without a thread, see mn_m_births
	struct note *wedged;  // the caller's M, when its locked G has ended
	uint32_t nbed;        // 1: an M sleeps for timers and the network
	uint32_t nm, nmidle;  // Ms, with those being created; Ms asleep on their note
	struct note *sysmon_bed; // where sysmon sleeps deeply, NULL: it does not
	// (a) One bit a P: on the idle list. Written under the lock; others read hints.
	_Atomic uint64_t idle_mask[IDLE_WORDS];

	struct globq globq; // own lock

	// ---- own locks or atomic
	_Atomic uint64_t
	        remote_spawned; // by threads that are no Ms, all through the global queue. Written under remote.c's lock
	_Atomic uint64_t ids;   // goroutine numbers given out, in runs
	struct g_arena gs;
	struct stack_pool stacks;
	struct sysmon *sysmon;
};

extern struct sched mn_sched;

static inline uint32_t
num_ps(void)
{
	return load_acquire(&mn_sched.nprocs); // NP
}

static inline bool
p_looks_idle(const struct p *p)
{
	return load_relaxed(&mn_sched.idle_mask[p->id / 64]) >> (p->id % 64) & 1;
}

// ---- find.c

// What p runs next, without a look at other Ps; NULL: nothing. *inherit: in the slice that is running.
struct g *mn_pick(struct p *p, bool *inherit);
// Blocks until there is something for m to run. NULL: the scheduler ends. m may hold a P, and does if it answers a G.
struct g *mn_find_runnable(struct m *m, bool *inherit);

// ---- proc.c: the loop

// Runs gs on m's own stack until the scheduler ends.
void mn_schedule(struct m *m);
// A number for a new G, from a stock of them.
uint64_t mn_next_id(uint64_t *next, uint64_t *end);
void mn_g_fill(struct g *g, uint64_t id, mn_fn fn, void *arg);
// A new G that will run fn(arg), RUNNABLE and in nobody's queue. NULL: no memory. p is held by the caller.
struct g *mn_g_new(struct p *p, mn_fn fn, void *arg);
// Leaves the calling G. after runs on the far side. Returns when the G runs again, perhaps on another M.
void mn_leave_g(struct m *m, struct g *g, m_after after);
// Leaves it for next, which stands in no queue.
void mn_leave_g_for(struct m *m, struct g *g, m_after after, struct g *next, bool inherit);
// Leaves it for g0, although there may be work at hand: for a G that has no P.
void mn_leave_g_to_g0(struct m *m, struct g *g, m_after after);
// Accounts for g going on on p: in no queue before, now running.
void mn_begin(struct m *m, struct p *p, struct g *g, bool inherit);
// Ends the running G from within its calls.
_Noreturn void mn_exit_g(struct g *g);

// Puts g into runnext (next) or the tail of p's queue, or into the global queue if that is all there is. Owner.
static inline void
mn_p_put(struct p *p, struct g *g, bool next)
{
	if (unlikely(mn_sched.global_only)) {
		mn_globq_put(&mn_sched.globq, &g, 1);
		COUNT(p, global_put);
		return;
	}
	if (next && likely(mn_sched.runnext)) {
		COUNT(p, runnext_put);
		g = runq_put_next(&p->runq, g);
		if (!g)
			return;
		COUNT(p, runnext_kicked);
	}
	if (unlikely(!runq_put(&p->runq, g)))
		mn_p_spill(p, g);
	else
		COUNT(p, local_put);
}

// ---- idle.c: the lists of idle Ps; all under sched.lock

void mn_pidle_put_locked(struct p *p);
void mn_pidle_put_full_locked(struct p *p); // though there may be something in its queue: no thread is to be had
struct p *mn_pidle_get_locked(void);        // NULL: none
bool mn_pidle_take_locked(struct p *p);     // this one, if it is there

// ---- steal.c

// A G from another P, the rest of the loot in p's own queue; NULL: nothing found in all passes.
struct g *mn_steal_work(struct p *p);
// One look at every other P, for a G that would yield to nobody; NULL: nothing found.
struct g *mn_steal_once(struct p *p);
// Whether any P that is not idle seems to have a G to give away, or the global queue has.
bool mn_work_in_sight(void);

// ---- source.c

// Runs p's own due timers, on g0. Likewise those of all other Ps: whether any fired.
void mn_run_timers(struct p *p);
bool mn_run_timers_of_others(struct p *on, int64_t now);
// A G whose I/O is ready, the others into queues; NULL: none.
struct g *mn_poll_nonblocking(void);
bool mn_poll_if_overdue(int64_t now);
// m has no P and nothing to do. Sleeps until a source has something. Answers the P that m then holds, to look for it with, or
// NULL: the role was not free, there is nothing to wait for, or all Ps are busy, which will look themselves. *g: one to run.
struct p *mn_sleep_for_sources(struct m *m, struct g **g);
// Whether there are timers to wait for, and nobody sleeps until they are due.
bool mn_source_unattended(void);
// The scheduler ends: whoever sleeps for the sources wakes.
void mn_source_stop(void);
// Puts runnable Gs, in no queue, where they will be found, and wakes for them. With or without a P, or an M.
void mn_inject(struct g **g, uint32_t n);

// Whether p has a timer that is due. Reads the clock only if it has any.
static inline bool
timers_due(struct p *p)
{
	int64_t when = load_relaxed(&p->next_timer);

	return unlikely(when != SOURCE_NEVER) && when <= mn_os_now();
}

// ---- remote.c

int mn_remote_open(void); // 0 or -errno
void mn_remote_close(void);

// ---- overflow.c

int mn_overflow_watch(void); // 0 or -errno; mn_os_release_faults ends it

// ---- place.c

// Binds the Ps that there are as option pin says, and measures their distances if victim=nearest. 0 or -errno.
int mn_place_ps(void);

// ---- stop.c

// m's P halts, if the world is still being stopped.
void mn_halt(struct m *m);
// Makes Ps up to the n-th. 0 or -ENOMEM.
int mn_ps_grow(uint32_t n);
// How long a search may look on with this many Ps.
int64_t mn_linger_ns(void);

static inline bool
world_stops(void)
{
	return load_relaxed(&mn_sched.gcwaiting) != 0;
}

// Whether m must go through g0 whatever is at hand: timers fire there, a locked M waits there, the world stops there. One branch
// where none of it is in sight.
bool mn_must_go_to_g0(struct m *m, struct p *p);

static inline bool
must_go_to_g0(struct m *m, struct p *p)
{
	bool timers = load_relaxed(&p->next_timer) != SOURCE_NEVER;
	bool asked = load_relaxed(&p->preempt) != 0;
	bool locked = m->locked_g != NULL;

	return unlikely(timers | asked | locked) && mn_must_go_to_g0(m, p);
}

// ---- syscall.c

// Takes p from the system call that its M's G is in. False: it is in none, or came back.
bool mn_retake(struct p *p);
// Finds p, which the caller carries, something to do, or puts it on the idle list.
void mn_handoff_p(struct p *p);

// ---- sysmon.c

int mn_sysmon_start(void);
void mn_sysmon_stop(void);
void mn_sysmon_wake_locked(void);
void mn_sysmon_hurry(void); // looks now

#endif
