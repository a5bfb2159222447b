// SPDX-License-Identifier: MIT
// model.h: the textbook model of a G-M-P scheduler, exact and deterministic.
//
// Time is a logical clock of ticks, and passes in rounds. In a round every processor (P), in index order, finds work and
// runs one goroutine (G) for one quantum. There are no threads, no locks and no chance in it: the same calls give the same
// trace, on every machine. What the model leaves out is what makes the real scheduler hard; what it keeps is what decides
// who runs where. The rules, in full:
//
//   spawn   A new G goes to the tail of a P's local queue. If that queue holds cap or more, its front half (rounded down)
//           first moves to the tail of the global queue (spill). At a cap of 1 half is nothing, so the queue grows.
//   find    A P with an empty queue takes min(global / procs + 1, global) Gs from the front of the global queue (global);
//           if there are none, half (rounded down) of the longest other queue that holds at least 2, from its front, the
//           lowest P winning a tie (steal); if there is no such queue it idles for this round (idle).
//   run     A P with work runs its front G for min(quantum, work left) ticks (run). A G with no work left is done (done);
//           any other goes back to the tail of the same queue, which never spills here, whatever its length.
//   clock   After all Ps have had their turn the clock advances by one quantum.
//
//	struct mn_model *m = mn_model_new(2, 3, 4);
//
//	mn_model_spawn_on(m, 0, "A", 5);
//	mn_model_spawn_on(m, 0, "B", 5);
//	mn_model_run(m);                        // P1 steals A in the first round
//	printf("%lld\n", (long long)mn_model_clock(m));
//	mn_model_free(m);
//
// No call here may be made from two threads at once for one model.
#ifndef MN_MODEL_H
#define MN_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	MN_MODEL_PROCS_MAX = 1024, // as many as the real scheduler takes
	MN_MODEL_GLOBAL = -1,      // in place of a P where a queue is asked for: the global queue
	MN_MODEL_NONE = -1,        // nobody
};

enum mn_model_kind {
	MN_MODEL_SPAWN, // g was put at the tail of p's queue
	MN_MODEL_RUN,   // p ran g for n ticks
	MN_MODEL_DONE,  // g, just run by p, has no work left
	MN_MODEL_STEAL, // p took n Gs from the queue of the P numbered victim
	MN_MODEL_TAKE,  // p took n Gs from the global queue; its word is "global"
	MN_MODEL_IDLE,  // p found nothing
	MN_MODEL_SPILL, // n Gs moved from p's queue to the global queue
};

struct mn_model_event {
	int64_t at; // the clock when the round began
	int p;
	enum mn_model_kind kind;
	int who; // spawn, run, done: the goroutine g; steal: the victim, a P; else MN_MODEL_NONE
	int n;   // ticks or Gs; 0 where there is nothing to count
};

enum mn_model_state {
	MN_MODEL_RUNNABLE, // in one queue: between two rounds no goroutine is running
	MN_MODEL_FINISHED,
};

struct mn_model;

// A model with empty queues at clock 0. procs and quantum below 1 count as 1. cap is taken as it is: below 1 every queue
// counts as full, an empty one too. NULL: no memory, or procs above MN_MODEL_PROCS_MAX.
struct mn_model *mn_model_new(int procs, int quantum, int cap);
void mn_model_free(struct mn_model *m);

// Spawns a goroutine called name (copied; any text) with work ticks onto p. A p that does not exist counts as 0, work below
// 1 as 1. Returns the goroutine's number, 0, 1, 2, .. in order of spawning, or -ENOMEM with nothing changed.
int mn_model_spawn_on(struct mn_model *m, int p, const char *name, int work);

// Runs one round. 1: it ran. 0: all goroutines are done, so nothing happened and the clock stands still. -ENOMEM: nothing
// changed.
int mn_model_step(struct mn_model *m);

// Runs rounds until all goroutines are done. Returns how many ran, or -ENOMEM between two rounds.
int64_t mn_model_run(struct mn_model *m);

bool mn_model_drained(const struct mn_model *m);
int64_t mn_model_clock(const struct mn_model *m);
int mn_model_procs(const struct mn_model *m);

// The queue of p, or the global one for MN_MODEL_GLOBAL: its length, its front goroutine, and the one behind g in the same
// queue (MN_MODEL_NONE past the tail).
int mn_model_queue_len(const struct mn_model *m, int p);
int mn_model_queue_front(const struct mn_model *m, int p);
int mn_model_queue_behind(const struct mn_model *m, int g);

// What p has done so far: ticks run, and successful steals.
int64_t mn_model_ran(const struct mn_model *m, int p);
int64_t mn_model_steals(const struct mn_model *m, int p);

// The goroutine numbered g, 0 <= g < mn_model_count. executed + remaining is its work.
int mn_model_count(const struct mn_model *m);
const char *mn_model_name(const struct mn_model *m, int g);
enum mn_model_state mn_model_state(const struct mn_model *m, int g);
int mn_model_executed(const struct mn_model *m, int g);
int mn_model_remaining(const struct mn_model *m, int g);

// The trace: what happened, in order. An event's address is good until the next spawn or round.
size_t mn_model_events(const struct mn_model *m);
const struct mn_model_event *mn_model_event(const struct mn_model *m, size_t i);

// Empties the trace, for long runs that have no use for what they have already shown.
void mn_model_forget(struct mn_model *m);

// The word of a kind ("spawn"), NULL past the last.
const char *mn_model_kind_name(int kind);

#endif
