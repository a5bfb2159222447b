// SPDX-License-Identifier: MIT
// mn.h: the public interface of libmn, a Go-style G-M-P scheduler for C.
//
// A goroutine (G) is a function with a stack of its own. An M is an operating-system thread. A P is the right to run
// goroutines, together with everything that running them needs: a local run queue, caches, counters. There are
// GOMAXPROCS Ps; an M must hold one to run a G, so that at most GOMAXPROCS goroutines run at any moment, however many
// threads are blocked in system calls.
//
//	static void hello(void *arg)
//	{
//		printf("goroutine %llu says %s\n", (unsigned long long)mn_id(), (char *)arg);
//	}
//	static void first(void *arg)
//	{
//		mn_go(hello, arg);
//	}
//	int main(void)
//	{
//		struct mn_options o;
//
//		mn_options_init(&o);
//		return mn_run(&o, first, "hello") ? 1 : 0;
//	}
//
// Conventions, for every call below unless it says otherwise:
//   - it returns 0 or -errno, or a pointer or NULL; errno itself is never set;
//   - it may be called only from a goroutine, that is, from a function that mn_run, mn_go or mn_spawn started;
//   - misuse that cannot be reported (a G readied twice, a wait group below zero) prints "fatal error: .." on stderr
//     and ends the process with status 2, as Go does;
//   - the library prints nothing but those texts and what an option asks for (schedtrace).
//
// A goroutine moves between threads whenever it yields, parks or makes a system call: do not keep the address of a
// thread-local variable (errno is one) across such a call, and do not hold a pthread mutex across it.
#ifndef MN_H
#define MN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*mn_fn)(void *arg);

// ---- Options -------------------------------------------------------------------------------------------------------

enum {
	MN_PROCS_MAX = 1024,     // largest GOMAXPROCS
	MN_LOCAL_CAP_MAX = 4096, // largest local run queue
	MN_TEXT_MAX = 256,       // longest text value in struct mn_options, its NUL included
	MN_ERROR_MAX = 512,      // room that every error text fits into
};

// How a scheduler is to run. Fill it with mn_options_init, then change it by mn_options_set (by name, checked) or field
// by field (checked by mn_run). Fields that hold a choice hold the index of the value in that option's list of
// mn_option_at(i)->values.
struct mn_options {
	int procs;         // GOMAXPROCS, 1..1024; 0: the smaller of the affinity mask and the cgroup's CPU quota
	int steal;         // how much a thief takes: half (n - n/2), one, all, none
	int victim;        // which P it takes from: random, most-loaded, two-choices, round-robin, nearest
	int local_cap;     // length at which a local run queue spills its older half, 1..4096
	int queue;         // local: a run queue per P; global: one queue for all, the naive M:N scheduler
	int runnext;       // on, off: the slot in front of the local queue that takes the newest G
	int global_tick;   // every n-th time slice of a P looks at the global queue first; 0: never
	int steal_tries;   // passes over the victims before a thief gives up, 1..64; the last takes runnext too
	int spin;          // how many Ms may search for work at once: half (of the busy Ps), one, none, all
	int handoff;       // a P whose G is in a system call: sysmon takes it, immediate (by the G itself), none
	int preempt;       // cooperative, off: whether a G that had its slice is asked to give way, see mn_check
	int slice_us;      // time slice after which a G is asked to give way, in us, 100..1000000
	int threads_max;   // most threads at once, 2..1000000
	int threads_full;  // when one more is needed: abort ("thread exhaustion"), queue (blocking calls keep their P)
	int yield_to;      // where mn_yield puts the G: global (Go), local
	int stack_kb;      // stack reserved for a G, KiB, a power of two 2..8192; touched pages only cost memory
	int schedtrace_ms; // print a schedtrace line to stderr every so many ms, 0: never
	int sample_us;     // sample all queue lengths every so many us into sample_file, 0: never
	int spin_us;       // how long an M out of work goes on looking before it parks, in us, 0..1000
	uint64_t seed;     // of every random choice in the scheduler; 0: take one from the system, see mn_seed
	char pin[MN_TEXT_MAX];         // none, close, spread, or a list of PUs like 0,2-5
	char sample_file[MN_TEXT_MAX]; // see sample_us
	char error[MN_ERROR_MAX];      // first bad variable that mn_options_init met, as a line of text; else ""
};

// Sets *o to the defaults, then to what GOMAXPROCS and MN_<NAME> in the environment say (MN_STEAL=half, MN_LOCAL_CAP=64;
// MN_PROCS wins over GOMAXPROCS). An unknown MN_ variable or a bad value leaves its text in o->error; mn_run then
// refuses to start. May be called anywhere.
void mn_options_init(struct mn_options *o);

// Sets the option called name to value, given as text ("half", "256", "auto"). Returns 0, or -ENOENT for an unknown name
// or -EINVAL for a bad value, with one line in err[0..size) that names what is allowed. May be called anywhere.
int mn_options_set(struct mn_options *o, const char *name, const char *value, char *err, size_t size);

// Writes the value of the option called name into text[0..size) as mn_options_set would take it. Returns 0 or -ENOENT.
// May be called anywhere.
int mn_options_get(const struct mn_options *o, const char *name, char *text, size_t size);

// What there is to set, for programs that offer every option under its name.
struct mn_option_info {
	const char *name;          // "local_cap"
	const char *const *values; // the allowed words, NULL at the end, or NULL for a number or free text
	long min, max;             // bounds of a number (min > max: not a number)
	const char *initial;       // the default, as text
	const char *help;          // half a line: what it chooses
};
// The i-th option, 0 <= i, or NULL past the last. May be called anywhere.
const struct mn_option_info *mn_option_at(int i);

// ---- Running -------------------------------------------------------------------------------------------------------

// Starts a scheduler, runs main(arg) as goroutine 1, and returns when main has returned and every goroutine has ended.
// The calling thread becomes the first M and is given back unchanged (its affinity too). o NULL means defaults and
// environment. One scheduler at a time: -EBUSY while one runs. -EINVAL: an option is out of range (mn_options_check tells
// which). -ENOMEM, -EAGAIN: no memory, no thread. -EUCLEAN: it ran, but the counters contradict each other
// (mn_stats_check tells how): a fault of the scheduler. All goroutines asleep and none to wake them: the fatal text
// "all goroutines are asleep - deadlock!" and status 2.
int mn_run(const struct mn_options *o, mn_fn main, void *arg);

// Checks every field of *o. Returns 0, or -EINVAL with one line in err[0..size). May be called anywhere.
int mn_options_check(const struct mn_options *o, char *err, size_t size);

// Starts a goroutine that runs fn(arg). The new G goes into runnext of the caller's P; what was there moves to the tail
// of its local queue. -ENOMEM when no descriptor can be had; -EPERM outside a goroutine.
int mn_go(mn_fn fn, void *arg);

// What mn_go_with can be told; zeroed means the same as mn_go.
struct mn_go_attr {
	int stack_kb;      // as the option; 0: the option's value
	const char *label; // shown in state dumps; must outlive the goroutine; may be NULL
};
// Like mn_go, with attributes. Also -EINVAL for a stack size that is no power of two from 2 to 8192.
int mn_go_with(const struct mn_go_attr *attr, mn_fn fn, void *arg);

// Starts a child that must be joined, once, by mn_join. NULL: no descriptor could be had.
struct mn_task;
struct mn_task *mn_spawn(mn_fn fn, void *arg);

// Waits until the child has ended, and frees its handle. A child that has not started and still stands at the end of the
// caller's own queue is taken back and called on the caller's stack, provided that more than half of that stack is free;
// otherwise the caller parks. Never runs any other goroutine on the caller's stack.
void mn_join(struct mn_task *child);

// Like mn_go, from any thread, with or without a P: the goroutine goes to the global queue. -ESRCH: no scheduler runs, or it ends.
int mn_go_remote(mn_fn fn, void *arg);

// Between hold and unhold, from any thread, the scheduler neither ends for want of goroutines nor calls those that are left
// deadlocked: somebody outside still has work for it. They nest. -ESRCH: as above.
int mn_hold(void);
void mn_unhold(void);

// Lets others run: the caller goes to the tail of the global queue (Go's Gosched), or of its local queue with
// yield_to=local.
void mn_yield(void);

// Ends the calling goroutine here, without returning. From main: the others go on.
void mn_exit(void) __attribute__((noreturn));

// To be called in loops that make no other call of this library: gives way if the slice is over. A load and a branch.
void mn_check(void);

// The goroutine's number; main is 1. Never reused in one mn_run. 0 outside a goroutine. May be called anywhere.
uint64_t mn_id(void);

// GOMAXPROCS of the running scheduler, 0 when none runs. Goroutines alive, exact when nothing starts or ends meanwhile.
// The seed that this run draws from. The P the caller runs on, 0.., -1 outside a goroutine; it may have changed before
// the call returns. May be called anywhere.
int mn_num_procs(void);
int mn_num_goroutines(void);
uint64_t mn_seed(void);
int mn_p(void);

// GOMAXPROCS := n, 1..1024, while running: stops the world, moves what stands in the queues of Ps that go away to the front of the
// global queue, in order. n <= 0 only asks. Returns the number before, or -EINVAL. Goroutines that make no calls must call mn_check
// now and then, or it waits for them.
int mn_procs(int n);

// From here on the goroutine runs on the thread it runs on now, and no other runs there; calls nest. A goroutine that ends while
// locked takes its thread with it (but for the caller's of mn_run, which then sleeps). unlock without lock does nothing.
void mn_lock_thread(void);
void mn_unlock_thread(void);

// ---- System calls --------------------------------------------------------------------------------------------------

// Around a call that may block. Between them the goroutine keeps its thread, must not call this library, and may lose its
// P: sysmon takes it away when the call lasts (handoff=sysmon), or enter gives it away at once (handoff=immediate).
// exit returns with a P again: the old one, else an idle one, else it waits in the global queue.
void mn_syscall_enter(void);
void mn_syscall_exit(void);

// The same around a call that is known to block: the P is given away at once, whatever handoff says (but for none).
void mn_blocking_enter(void);
void mn_blocking_exit(void);

// ---- Wait group ----------------------------------------------------------------------------------------------------

// Ready when zeroed. Counts unfinished work; wait parks until the count is zero. add with a negative n or done that would
// take it below zero is fatal ("sync: negative WaitGroup counter"). Must not be moved while in use; may be freed by whoever called
// done last, or add with what took it to zero, once that has returned, or by the last of those who waited.
struct mn_wait_group {
	uint64_t opaque[3];
};
void mn_wait_group_add(struct mn_wait_group *, int n);
void mn_wait_group_done(struct mn_wait_group *);
void mn_wait_group_wait(struct mn_wait_group *);

// ---- Time ----------------------------------------------------------------------------------------------------------

// Parks the caller for at least ns (not at all for ns <= 0). As in Go, timers stand in a heap of the P they were
// started on; they fire when an M next looks, which is at once while any P is idle, and within a slice while all are busy.
void mn_sleep(int64_t ns);

// A timer that calls fn(arg) once, or every period. Zeroed before its first use; must stay where it is while started. fn runs
// on a scheduler stack: it must be short and must not block (start a goroutine, ready something).
struct mn_timer {
	uint64_t opaque[10];
};
// Goroutines that start, reset or stop one timer at the same time must agree on the order themselves.
// Starts t (again): fn(arg) in delay ns, then every period ns if period > 0. Ticks that come too late are dropped, never
// bunched. A timer that is started already is moved. -EINVAL: delay or period below 0.
int mn_timer_start(struct mn_timer *t, int64_t delay, int64_t period, mn_fn fn, void *arg);
// Fires fn(arg) once after delay.
int mn_timer_after(struct mn_timer *t, int64_t delay, mn_fn fn, void *arg);
// true: it was going to fire (again), and will not. false: it had fired, or was not started. fn may still be running.
bool mn_timer_stop(struct mn_timer *t);
// Moves it to fire in delay ns, with its function and period; true: it was going to fire.
bool mn_timer_reset(struct mn_timer *t, int64_t delay);
// Monotonic time, ns. May be called anywhere.
int64_t mn_now(void);

// ---- Channels ------------------------------------------------------------------------------------------------------

// A queue of elem_size-byte values with room for capacity of them; 0: sender and receiver meet. Values are handed over in
// order of arrival, straight into a waiting receiver's variable: whoever was woken has what it waited for, and nobody comes in
// between. A NULL channel blocks for ever. -> NULL: no memory, or a size that does not fit. Free only when nobody uses it;
// that somebody waits is fatal.
//
//	static void numbers(void *c)
//	{
//		for (int i = 0; i < 10; i++)
//			mn_chan_send(c, &i);
//		mn_chan_close(c);
//	}
//	..
//	struct mn_chan *c = mn_chan_new(sizeof(int), 0);
//
//	mn_go(numbers, c);
//	for (int i; mn_chan_recv(c, &i);)
//		printf("%d\n", i);
//	mn_chan_free(c);
struct mn_chan;
struct mn_chan *mn_chan_new(size_t elem_size, size_t capacity);
void mn_chan_free(struct mn_chan *c);
// Blocks until *value has been taken over; false: the channel is closed (in Go a panic). value may be NULL only for
// elem_size 0.
bool mn_chan_send(struct mn_chan *c, const void *value);
// Blocks until a value has been copied to *value (NULL: dropped); false: the channel is closed and empty, *value is zeroed.
bool mn_chan_recv(struct mn_chan *c, void *value);
// Without blocking: 0 done, -EAGAIN it would block, -EPIPE closed (for recv: and empty, *value is zeroed). What fails takes
// no lock. Timers' functions may call these, too.
int mn_chan_try_send(struct mn_chan *c, const void *value);
int mn_chan_try_recv(struct mn_chan *c, void *value);
// Wakes all who wait: receivers, with what a closed channel gives, then senders. Values that stand in it can still be
// received. Closing twice, or NULL, is fatal ("close of closed channel", "close of nil channel").
void mn_chan_close(struct mn_chan *c);
// Values that stand in it, and room for them; 0 for NULL. len may be old before it returns.
size_t mn_chan_len(const struct mn_chan *c);
size_t mn_chan_cap(const struct mn_chan *c);

// One case of a select.
enum mn_case_kind { MN_CASE_SEND, MN_CASE_RECV };
struct mn_case {
	enum mn_case_kind kind;
	struct mn_chan *chan; // NULL: never ready
	void *value;          // what to send, or where to receive (NULL: dropped)
	bool ok;              // out, in the case that was carried out: as the result of send or recv
};
// Carries out one case that is ready, chosen at random among them, and returns its index. None ready: blocks until one is
// (block), or returns -EAGAIN; all cases are then judged at one moment. n = 0, or NULL channels only, and block: for ever.
// One channel may stand in several cases. -EINVAL: n < 0 or > 65536. -ENOMEM: n > 8 and no memory; up to 8 it needs none.
int mn_select(struct mn_case *cases, int n, bool block);

// ---- Locks and conditions: park the goroutine, not the thread ---------------------------------------------------------

// All ready when zeroed; must not be moved, nor freed, while a call on it has not returned: an unlock may still look at its
// mutex when the next one has it. Any goroutine may unlock. Misuse is fatal, with Go's words.
// Mutex: barging, until somebody has waited 1 ms; from then on handed over in order. Unlock of an unlocked one is fatal.
struct mn_mutex {
	uint64_t opaque[1];
};
void mn_mutex_lock(struct mn_mutex *m);
bool mn_mutex_try_lock(struct mn_mutex *m);
void mn_mutex_unlock(struct mn_mutex *m);

// Many readers or one writer; a writer that waits keeps new readers out, so no reader may ask for it twice.
struct mn_rwmutex {
	uint64_t opaque[4];
};
void mn_rwmutex_lock(struct mn_rwmutex *m);
bool mn_rwmutex_try_lock(struct mn_rwmutex *m);
void mn_rwmutex_unlock(struct mn_rwmutex *m);
void mn_rwmutex_read_lock(struct mn_rwmutex *m);
bool mn_rwmutex_try_read_lock(struct mn_rwmutex *m);
void mn_rwmutex_read_unlock(struct mn_rwmutex *m);

// Condition: wait unlocks m, parks, locks m again. signal wakes the one that has waited longest. Both may be called with or
// without m; what is waited for must be changed under m.
struct mn_cond {
	uint64_t opaque[4];
};
void mn_cond_wait(struct mn_cond *c, struct mn_mutex *m);
void mn_cond_signal(struct mn_cond *c);
void mn_cond_broadcast(struct mn_cond *c);

// Counting semaphore: its count is what it was given by release, 0 at first. release does not touch it any more once the
// unit is there: whoever gets the last one may free it.
struct mn_sem {
	uint64_t opaque[1];
};
void mn_sem_acquire(struct mn_sem *s);
bool mn_sem_try_acquire(struct mn_sem *s);
void mn_sem_release(struct mn_sem *s);

// Runs fn(arg) in the first caller only; all return after it has ended, so fn must return (no mn_exit), and must not call the
// same once.
struct mn_once {
	uint64_t opaque[2];
};
void mn_once_do(struct mn_once *o, mn_fn fn, void *arg);

// ---- Input and output: the goroutine waits, its thread does not ----------------------------------------------------------

// As read, write, accept4 and connect of the system, on descriptors that can be polled (sockets, pipes, terminals): made
// non-blocking, and registered, on first use; non-blocking they stay. They return what the system's do, or -errno; never -EINTR,
// never -EAGAIN. Regular files cannot be polled: these go through mn_blocking_enter.
//
//	intptr_t got;
//
//	while ((got = mn_read(fd, buf, sizeof(buf))) > 0)
//		mn_write(fd, buf, (size_t)got);
//	mn_close(fd);
//
// Several goroutines may use one descriptor at once: those that read it (or accept) take turns in order of arrival, those that
// write it (or connect) likewise, each for a whole call. -EBADF: not open. -EPERM: the caller is no goroutine. -ECANCELED:
// mn_close by another goroutine meanwhile. -ETIMEDOUT: see mn_set_deadline. -EMFILE, -ENOMEM, -ENOSPC: no room for polling it.
intptr_t mn_read(int fd, void *buf, size_t n);
// Writes all of it; if an error comes after some of it has gone, tells how much, and the next call tells the error. A socket whose
// other end is gone answers -EPIPE and raises no signal; a pipe raises SIGPIPE, unless that is ignored or blocked.
intptr_t mn_write(int fd, const void *buf, size_t n);
// The new descriptor is non-blocking and closed by exec. addr and addrlen may be NULL.
int mn_accept(int fd, void *addr, uint32_t *addrlen);
// 0: connected. A local socket whose listener has no room is tried again until it has.
int mn_connect(int fd, const void *addr, uint32_t addrlen);
// Absolute time (mn_now) after which reads (writes) of fd that would have to wait give up with -ETIMEDOUT, those that wait
// already included; 0: none. It stays in force until it is set anew. -EOPNOTSUPP: fd cannot be polled.
int mn_set_deadline(int fd, int64_t read_at, int64_t write_at);
// Closes fd; who waits for it returns -ECANCELED. Returns when the last call in progress has left it. Descriptors that were used
// with the calls above must be closed by this one: behind its back their number would be taken for the old file.
int mn_close(int fd);

// ---- Counters ------------------------------------------------------------------------------------------------------

// One list: X(name, "what one count is"). Every counter belongs to one P and is written by the M that holds it.
// clang-format off
#define MN_COUNTERS(X) \
	X(spawned,         "goroutines started") \
	X(finished,        "goroutines ended") \
	X(executed,        "times a goroutine was put on the P") \
	X(run_runnext,     "of these: from the runnext slot") \
	X(run_local,       "of these: from the local queue") \
	X(run_global,      "of these: from the global queue") \
	X(run_stolen,      "of these: the one of a theft that runs at once") \
	X(run_returned,    "of these: back from a system call with a new P") \
	X(run_polled,      "of these: its I/O was ready") \
	X(run_joined,      "children run in place by their joiner") \
	X(joined_runnext,  "children that a joiner took back from runnext") \
	X(joined_local,    "children that a joiner took back from the local queue") \
	X(slices,          "time slices begun (schedtick)") \
	X(parked,          "goroutines parked") \
	X(readied,         "parked goroutines made runnable") \
	X(yields,          "calls of mn_yield that gave way") \
	X(runnext_put,     "goroutines put into runnext") \
	X(runnext_kicked,  "goroutines that a newer one moved from runnext to the local queue") \
	X(local_put,       "goroutines put at the tail of the local queue") \
	X(spills,          "times a full local queue moved its older half to the global queue") \
	X(spilled,         "goroutines moved by these, the new one included") \
	X(drained,         "goroutines moved to the global queue when GOMAXPROCS shrank") \
	X(global_put,      "goroutines put into the global queue one by one") \
	X(global_batches,  "batches taken from the global queue") \
	X(global_got,      "goroutines in these") \
	X(global_ticks,    "goroutines taken by the global tick") \
	X(steal_rounds,    "searches through the other Ps") \
	X(steal_attempts,  "victims looked at") \
	X(steal_ok,        "thefts that took something") \
	X(stolen_in,       "goroutines taken by these") \
	X(stolen_out,      "goroutines that thieves took from this P") \
	X(stolen_runnext,  "of those taken: from a victim's runnext") \
	X(steal_empty,     "victims that had nothing") \
	X(steal_raced,     "lost races for a victim's queue head") \
	X(spins,           "times an M began to search") \
	X(spin_ns,         "time spent in idle search, ns") \
	X(parks,           "times an M went to sleep after holding this P") \
	X(wakes,           "Ms woken or created to take work up") \
	X(wakes_empty,     "woken Ms that found no work") \
	X(idle_ns,         "time this P was idle, ns") \
	X(handoffs,        "times this P was taken from, or given up for, a system call") \
	X(syscalls,        "system calls and blocking calls entered") \
	X(syscalls_kept,   "of these: the P was still there at the end") \
	X(preemptions,     "slices ended by request") \
	X(migrations,      "goroutines that ran here after another P") \
	X(pin_violations,  "times an M was seen outside the PU that its P is bound to") \
	X(runq_max,        "longest local queue seen by its owner")
// clang-format on

struct mn_counters {
#define MN_COUNTER_FIELD(name, what) uint64_t name;
	MN_COUNTERS(MN_COUNTER_FIELD)
#undef MN_COUNTER_FIELD
};

struct mn_stats {
	int procs;                // Ps of the run
	int threads;              // Ms created, the caller's included, sysmon not
	uint64_t globq_max;       // longest global queue
	struct mn_counters total; // sums over the Ps (runq_max: the largest)
};

// Fills *s, or the counters of one P, or the number of goroutines that thief took from victim. While a scheduler runs the
// figures are a snapshot without any lock, near in time but not of one moment; after mn_run they are final, until the
// next mn_run. mn_stats_p returns -EINVAL for a P that was not. May be called anywhere.
void mn_stats(struct mn_stats *s);
int mn_stats_p(int p, struct mn_counters *c);
uint64_t mn_stats_stolen(int victim, int thief);

// Checks the conservation laws on the finished run: spawned = finished; stolen out = stolen in = the sum of the matrix;
// executed = the sum of its sources; what went into each queue came out of it; no queue above its cap. Returns 0, or
// -EUCLEAN with the first broken law as a line in why[0..size). May be called anywhere after mn_run.
int mn_stats_check(char *why, size_t size);

// Field names and values by position, for programs that print them all. NULL past the last.
const char *mn_counter_name(int i);
uint64_t mn_counter_value(const struct mn_counters *c, int i);

#ifdef __cplusplus
}
#endif
#endif
