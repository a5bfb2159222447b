// SPDX-License-Identifier: MIT
// arrivals.h: goroutines that are to be spawned in later rounds, and the loop that spawns them when they are due.
//
//	struct mn_arrivals a = { 0 };
//
//	mn_arrivals_add(&a, 6, 0, "late", 3);          // before round 6 (the first is 0)
//	while (mn_arrivals_spawn(&a, m) == 0) {
//		look at the queues;
//		if (mn_arrivals_step(&a, m) <= 0)
//			break;
//	}
//	mn_arrivals_clear(&a);
//
// If the model has drained while goroutines are still to come, the step runs nothing: the number of the round jumps to that
// of the next ones, and the clock stands still.
#ifndef MN_MODEL_ARRIVALS_H
#define MN_MODEL_ARRIVALS_H

#include <stddef.h>
#include <stdint.h>

struct mn_model;

// Ready when zeroed.
struct mn_arrivals {
	int64_t round; // the one that comes next
	struct mn_arrival *list;
	size_t count, room;
	size_t next; // the first that is still to come; 0 until the list is sorted by the first spawn
};

// Adds a goroutine, in any order; those of one round are spawned in the order of adding. Not to be called any more after
// the first mn_arrivals_spawn. Returns 0 or -ENOMEM.
int mn_arrivals_add(struct mn_arrivals *a, int round, int p, const char *name, int work);

// Spawns what is due before the coming round. Returns 0 or -ENOMEM.
int mn_arrivals_spawn(struct mn_arrivals *a, struct mn_model *m);

// Runs that round, or jumps. 1: go on. 0: all has been spawned and is done. -ENOMEM.
int mn_arrivals_step(struct mn_arrivals *a, struct mn_model *m);

// Frees the list and leaves *a ready again.
void mn_arrivals_clear(struct mn_arrivals *a);

#endif
