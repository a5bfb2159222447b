// SPDX-License-Identifier: MIT
// rng.h: random numbers for victims and shuffles. One state a P, never shared: a shared or locked generator would put
// one line into every steal. Repeatable from the seed; not for secrets.
#ifndef SCHED_BASE_RNG_H
#define SCHED_BASE_RNG_H

#include "sched/base/base.h"

struct rng {
	uint64_t state;
};

// splitmix64 (Steele, Lea, Flood 2014): any seed is good, neighbouring seeds give unrelated streams.
static inline uint64_t
rng_next(struct rng *r)
{
	uint64_t z = (r->state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

// Uniform in 0..n-1, n > 0, by multiplication; the bias of at most n / 2^32 does not matter here.
static inline uint32_t
rng_below(struct rng *r, uint32_t n)
{
	return (uint32_t)(((rng_next(r) >> 32) * n) >> 32);
}

static inline void
rng_seed(struct rng *r, uint64_t seed, uint64_t stream)
{
	r->state = seed ^ (stream * 0xd1342543de82ef95u);
	rng_next(r);
}

#endif
