// SPDX-License-Identifier: MIT
// micro_ring.c: the local run queue alone, without a scheduler. Opens internals: sched/core/runq.h.
//
//   ring/put_get       the owner puts one and takes it; depth: how many others stand in the ring meanwhile; alone: no
//                      thieves will ever come, so that no CAS is needed
//   ring/next          the same through the runnext slot
//   ring/spill         the owner fills the ring and drains its older half, as a spill does; for one G moved
//   ring/grab          a thief empties 128 Gs by halves; for one G put by the owner and taken by the thief
//   ring/beside_thief  put_get while a thread on another core grabs all the time: what contention costs the owner
// The Gs are addresses that nobody follows.
#include "experiments/micro.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#include "sched/core/runq.h"

enum { CAP = 256, LOT = 128 };

static struct g *
fake_g(uint32_t i)
{
	return (struct g *)(uintptr_t)((i + 1) * 64);
}

// A ring of its own for a benchmark, or NULL after the benchmark was told.
static struct runq *
new_ring(struct gbench_state *s, bool alone)
{
	struct runq *q = aligned_alloc(alignof(struct runq), sizeof(*q));

	if (q && !mn_runq_init(q, CAP, alone))
		return q;
	free(q);
	gbench_skip(s, "no memory");
	return NULL;
}

static void
free_ring(struct runq *q)
{
	mn_runq_release(q);
	free(q);
}

static void
bench_put_get(struct gbench_state *s, void *arg)
{
	struct runq *q = new_ring(s, gbench_arg(s, 1));
	uint32_t depth = (uint32_t)gbench_arg(s, 0);

	(void)arg;
	if (!q)
		return;
	for (uint32_t i = 0; i < depth; i++)
		runq_put(q, fake_g(i));
	while (gbench_next(s)) {
		runq_put(q, fake_g(depth));
		gbench_use(runq_get(q));
	}
	free_ring(q);
}

static void
bench_next(struct gbench_state *s, void *arg)
{
	struct runq *q = new_ring(s, gbench_arg(s, 0));

	(void)arg;
	if (!q)
		return;
	while (gbench_next(s)) {
		gbench_use(runq_put_next(q, fake_g(0)));
		gbench_use(runq_get_next(q));
	}
	free_ring(q);
}

static void
bench_spill(struct gbench_state *s, void *arg)
{
	struct runq *q = new_ring(s, false);
	struct g *out[CAP];
	uint32_t i = 0;

	(void)arg;
	if (!q)
		return;
	while (gbench_next(s)) {
		if (runq_put(q, fake_g(i++)))
			continue;
		if (mn_runq_drain_half(q, out) != CAP / 2)
			gbench_skip(s, "a full ring did not give its half");
	}
	free_ring(q);
}

// ---- Thieves -------------------------------------------------------------------------------------------------------

static uint32_t
half(uint32_t n)
{
	return n - n / 2;
}

// LOT Gs in, LOT Gs out by halves. Returns how many came out.
static uint32_t
fill_and_grab(struct runq *q)
{
	struct g *out[CAP];
	uint64_t raced = 0;
	uint32_t taken = 0, n;

	for (uint32_t i = 0; i < LOT; i++)
		runq_put(q, fake_g(i));
	while ((n = mn_runq_grab(q, out, CAP, half, &raced)))
		taken += n;
	return taken;
}

static void
bench_grab(struct gbench_state *s, void *arg)
{
	struct runq *q = new_ring(s, false);
	int64_t n, start;

	(void)arg;
	if (!q)
		return;
	while ((n = gbench_all(s))) {
		int64_t moved = 0;

		start = micro_now();
		while (moved < n)
			moved += fill_and_grab(q);
		gbench_seconds(s, (double)(micro_now() - start) * 1e-9 * (double)n / (double)moved);
	}
	free_ring(q);
}

struct thief {
	struct runq *q;
	_Atomic bool stop;
	uint64_t stolen, raced; // the thief's until it is joined
};

static void *
steal_on_and_on(void *arg)
{
	struct thief *t = arg;
	struct g *out[CAP];

	while (!atomic_load_explicit(&t->stop, memory_order_relaxed))
		t->stolen += mn_runq_grab(t->q, out, CAP, half, &t->raced);
	return NULL;
}

// The ring holds a few more than one, so that owner and thief mostly want different Gs.
static void
put_and_get(struct gbench_state *s, struct runq *q)
{
	while (gbench_next(s)) {
		runq_put(q, fake_g(0));
		runq_put(q, fake_g(1));
		gbench_use(runq_get(q));
	}
}

static void
bench_beside_thief(struct gbench_state *s, void *arg)
{
	struct thief t = { .q = new_ring(s, false) };
	pthread_t thread;

	(void)arg;
	if (!t.q)
		return;
	if (pthread_create(&thread, NULL, steal_on_and_on, &t)) {
		gbench_skip(s, "no thread");
		free_ring(t.q);
		return;
	}
	put_and_get(s, t.q);
	atomic_store_explicit(&t.stop, true, memory_order_relaxed);
	pthread_join(thread, NULL);
	gbench_counter(s, "stolen_each", (double)t.stolen, GBENCH_AVG_ITERATIONS);
	gbench_counter(s, "raced_each", (double)t.raced, GBENCH_AVG_ITERATIONS);
	free_ring(t.q);
}

static void
register_all(void)
{
	static const int64_t rows[] = { 0, false, 128, false, 0, true }, alone[] = { false, true };
	static const char *const names[] = { "depth", "alone" };
	struct gbench_options o = { .args = rows, .arg_rows = 3, .arg_count = 2, .arg_names = names };
	struct gbench_options next = { .args = alone, .arg_rows = 2, .arg_count = 1, .arg_names = names + 1 };
	struct gbench_options by_hand = { .manual_time = true }, real = { .real_time = true };

	micro_register("ring/put_get", bench_put_get, NULL, &o);
	micro_register("ring/next", bench_next, NULL, &next);
	micro_register("ring/spill", bench_spill, NULL, NULL);
	micro_register("ring/grab", bench_grab, NULL, &by_hand);
	micro_register("ring/beside_thief", bench_beside_thief, NULL, &real);
}

int
main(int argc, char **argv)
{
	return micro_main(argc, argv, register_all);
}
