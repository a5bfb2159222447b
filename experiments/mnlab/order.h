// SPDX-License-Identifier: MIT
// order.h: in which order things run, from a seed: the same seed gives the same order, also after an interruption.
#ifndef EXPERIMENTS_MNLAB_ORDER_H
#define EXPERIMENTS_MNLAB_ORDER_H

#include <stdint.h>

// The next number of a stream of random numbers; *state is its seed at first.
uint64_t order_next(uint64_t *state);

// A seed for the part of the whole that is called name, number n.
uint64_t order_seed(uint64_t seed, const char *name, uint64_t n);

// A random permutation of 0..n-1.
void order_shuffle(uint64_t seed, int *out, int n);

// The order of the n cells of block `name` in a round: a row of a cyclic Latin square. Over n rounds (0..n-1, n..2n-1,
// ..) each cell stands once at each place, so that a drift within a block hits all alike. The first row of the square is a
// random permutation, so that no cell has the same neighbours, in the same direction, in every square; which row comes
// when is random, too.
void order_latin(uint64_t seed, const char *name, int round, int *out, int n);

#endif
