// SPDX-License-Identifier: MIT
// work.h: calibrated CPU work, the one thing that every task of every workload does.
//
// Work is a fixed number of iterations, never "spin until the clock says t": two such spins on one CPU would end in t
// together, and hide exactly the oversubscription that is to be measured. The rate turns nanoseconds into iterations
// once for a whole run, so that all cells of an experiment do the same work: measure it once, hand it to the others.
//
//	work_set_rate(work_calibrate());
//	answer = work_ns(100000, seed);      about 100 us of CPU, and a number that only doing it can tell
#ifndef WORKLOADS_WORK_H
#define WORKLOADS_WORK_H

#include <stdint.h>

enum { WORK_CHECK_EVERY = 256 }; // iterations between two checks, about 0.5 us: cheap beside them, short beside a slice

extern const int64_t work_ns_max;                 // longest work: an hour
extern const double work_rate_min, work_rate_max; // iterations per microsecond that set_rate takes

// Iterations per microsecond of this machine, by the CPU time of the calling thread: the best of several samples, as
// noise only ever slows down. Takes 20 to 50 ms. Does not set the rate.
double work_calibrate(void);

// The rate in use, iterations per microsecond; 0 before it was set. set returns 0, or -ERANGE for what is no number
// between work_rate_min and work_rate_max. Not to be changed while work is being done.
int work_set_rate(double rate);
double work_rate(void);

// Sets the rate by calibration if nobody has set it. Called by every setup.
void work_ensure_rate(void);

// Iterations in ns nanoseconds at the rate in use. A length outside 0..work_ns_max is a fault of the program: it says
// so and aborts, since a negative delay that turns into a huge count makes all variants look alike.
uint64_t work_iterations(int64_t ns);

// A chain of that many steps, each needing the one before, from seed. For one count, different seeds always give
// different answers (a step is a bijection).
uint64_t work_chain(uint64_t iterations, uint64_t seed);

// The chain for ns nanoseconds; the second calls check after every WORK_CHECK_EVERY iterations, with the same answer.
uint64_t work_ns(int64_t ns, uint64_t seed);
uint64_t work_ns_checked(int64_t ns, uint64_t seed, void (*check)(void));

#endif
