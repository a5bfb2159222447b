// SPDX-License-Identifier: MIT
// probe.c: a counter that two pinned threads raise by turns.
//
// Batches of round trips, and their median: a batch during which one of the two was off its processor is long, and
// counts for no more than any other. Everything is bounded by the clock, since the other thread may never come.
#include "experiments/mnlab/probe.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

enum { BATCHES = 31, TRIPS = 200, LIMIT_NS = 3000000, LOOKS = 1024 };

struct side {
	_Alignas(128) atomic_uint *ball;
	atomic_bool *stop;
	int pu;
	bool pinned;
};

static int64_t
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static bool
pin(int pu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)pu, &set);
	return sched_setaffinity(0, sizeof set, &set) == 0;
}

// Answers each odd number with the next even one until told to stop.
static void *
answer(void *arg)
{
	struct side *s = arg;

	s->pinned = pin(s->pu);
	while (!atomic_load(s->stop)) {
		unsigned n = atomic_load(s->ball);
		if (n & 1)
			atomic_store(s->ball, n + 1);
	}
	return NULL;
}

// Waits for ball == want. False: the time is over.
static bool
await(atomic_uint *ball, unsigned want, int64_t deadline)
{
	for (;;) {
		for (int i = 0; i < LOOKS; i++)
			if (atomic_load(ball) == want)
				return true;
		if (now_ns() > deadline)
			return false;
	}
}

static int
by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

struct asking {
	struct side side;
	double median;
};

static void *
ask(void *arg)
{
	struct asking *a = arg;
	int64_t deadline = now_ns() + LIMIT_NS;
	double batch[BATCHES];
	unsigned n = 0;
	int have = 0;

	a->side.pinned = pin(a->side.pu);
	while (have < BATCHES && now_ns() < deadline) {
		int64_t start = now_ns();
		for (int i = 0; i < TRIPS; i++, n += 2) {
			atomic_store(a->side.ball, n + 1);
			if (!await(a->side.ball, n + 2, deadline))
				goto out;
		}
		batch[have++] = (double)(now_ns() - start) / TRIPS;
	}
out:
	if (have > 2) { // the first batches also wait for the other thread to start
		qsort(batch, (size_t)have, sizeof batch[0], by_size);
		a->median = batch[have / 2];
	}
	atomic_store(a->side.stop, true);
	return NULL;
}

double
probe_core_to_core(int pu_a, int pu_b)
{
	static struct {
		_Alignas(128) atomic_uint ball;
		_Alignas(128) atomic_bool stop;
	} shared;
	struct side other = { .ball = &shared.ball, .stop = &shared.stop, .pu = pu_b };
	struct asking one = { .side = { .ball = &shared.ball, .stop = &shared.stop, .pu = pu_a } };
	pthread_t threads[2];

	if (pu_a < 0 || pu_b < 0 || pu_a == pu_b || pu_a >= CPU_SETSIZE || pu_b >= CPU_SETSIZE)
		return 0;
	atomic_store(&shared.ball, 0);
	atomic_store(&shared.stop, false);
	if (pthread_create(&threads[0], NULL, answer, &other))
		return 0;
	if (pthread_create(&threads[1], NULL, ask, &one)) {
		atomic_store(&shared.stop, true);
		pthread_join(threads[0], NULL);
		return 0;
	}
	pthread_join(threads[1], NULL);
	pthread_join(threads[0], NULL);
	return other.pinned && one.side.pinned ? one.median : 0;
}
