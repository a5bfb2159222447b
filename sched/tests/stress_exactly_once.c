// SPDX-License-Identifier: MIT
// stress_exactly_once: items through put, runnext, get, theft, take-back, spill and global batch by four threads, each the
// owner of a P, under every pair of steal amount and victim policy. Each item must come out exactly once, with what its
// maker wrote into it. Opens the internals: the queues, thefts and spills are the library's own sources.
//
//	stress_exactly_once [ITEMS-PER-PAIR [SEED]]
//
// The item's payload is written and read by plain accesses, so that under ThreadSanitizer a queue that does not publish what
// stands before a put is a reported race. Built once more with a deliberate fault in the queue (MN_FAULT_..), the program must
// fail; it then stops at the first thing wrong.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/tests/fake_ps.h"
#include "sched/tests/test.h"

enum { PS = 4, WINDOW = 2000, BURST_MAX = 400 };

struct item {
	struct g g;       // what the queues hold
	uint64_t payload; // written by the maker before the put, plain
	uint32_t number;
	uint32_t runs; // plain: two takers of one item are a race besides a wrong count
};

struct owner {
	pthread_t thread;
	struct p *p;
	struct item *items; // this owner's, `quota` of them
	uint32_t quota, made;
	uint64_t ran;
	struct rng rng;
	bool wrong;
};

static struct owner owners[PS];
static _Atomic uint64_t done;
static _Atomic uint32_t give_up;
static uint64_t total;

static uint64_t
payload_of(uint32_t owner, uint32_t number)
{
	struct rng r = { ((uint64_t)owner << 32) + number };

	return rng_next(&r);
}

static void
run_item(struct owner *o, struct g *g)
{
	struct item *it = (struct item *)(void *)g;
	uint32_t maker = (uint32_t)(uintptr_t)it->g.arg;

	if (it->payload != payload_of(maker, it->number) || it->runs++ != 0) {
		o->wrong = true;
		store_relaxed(&give_up, 1);
	}
	o->ran++;
	add_relaxed(&done, 1);
}

static void
make_one(struct owner *o)
{
	struct item *it = &o->items[o->made];

	it->number = o->made++;
	it->g.arg = (void *)(uintptr_t)o->p->id;
	it->payload = payload_of(o->p->id, it->number);
	mn_p_put(o->p, &it->g, rng_below(&o->rng, 4) != 0);
}

static struct g *
next_item(struct owner *o)
{
	bool inherit;
	struct g *g = mn_pick(o->p, &inherit);

	if (!g)
		g = mn_steal_work(o->p);
	// mn_begin would do this: the global turn comes round by slices.
	if (g)
		o->p->tick_left = o->p->tick_left ? o->p->tick_left - 1 : 60;
	return g;
}

// Takes the newest of the ring back, as a joiner would, and runs it.
static void
take_one_back(struct owner *o)
{
	uint32_t tail = load_relaxed(&o->p->runq.tail);
	struct g *g = load_relaxed(&o->p->runq.slot[(tail - 1) & o->p->runq.mask]);

	if (g && runq_len(&o->p->runq) > 0 && mn_runq_take_back(&o->p->runq, g))
		run_item(o, g);
}

static void
work_some(struct owner *o, uint32_t n)
{
	struct g *g;

	while (n-- && (g = next_item(o)))
		run_item(o, g);
}

static void *
owner_main(void *arg)
{
	struct owner *o = arg;
	uint64_t seen = 0, idle = 0;

	while (load_acquire(&done) < total && !load_relaxed(&give_up)) {
		uint32_t burst = rng_below(&o->rng, BURST_MAX);

		// Half of the owners make nothing at times, so that there are thieves.
		if (rng_below(&o->rng, 2))
			for (; burst && o->made < o->quota; burst--)
				make_one(o);
		if (rng_below(&o->rng, 8) == 0)
			take_one_back(o);
		work_some(o, rng_below(&o->rng, BURST_MAX));
		// Items lost: all made, nothing moves any more, and not all came out.
		uint64_t now = load_relaxed(&done);

		idle = now == seen ? idle + 1 : 0;
		seen = now;
		if (idle > 1000)
			mn_os_sleep(100000);
		if (idle > 11000)
			store_relaxed(&give_up, 1);
	}
	return NULL;
}

static bool
all_once(void)
{
	for (int i = 0; i < PS; i++)
		for (uint32_t k = 0; k < owners[i].quota; k++)
			if (owners[i].items[k].runs != 1)
				return false;
	return true;
}

static void
prepare(uint32_t quota, uint64_t seed)
{
	total = (uint64_t)quota * PS;
	store_relaxed(&done, 0);
	for (uint32_t i = 0; i < PS; i++) {
		struct owner *o = &owners[i];

		memset(o->items, 0, quota * sizeof(*o->items));
		o->p = &mn_sched.allp[i];
		o->quota = quota;
		o->made = 0;
		o->ran = 0;
		rng_seed(&o->rng, seed, i + 100);
	}
}

static void
run_owners(void)
{
	for (int i = 0; i < PS; i++)
		CHECK(pthread_create(&owners[i].thread, NULL, owner_main, &owners[i]) == 0);
	for (int i = 0; i < PS; i++)
		pthread_join(owners[i].thread, NULL);
}

static void
one_round(int steal, int victim, int cap, uint32_t quota, uint64_t seed)
{
	bool wrong = false;

	fake_ps_start(PS, cap, steal, victim, seed);
	prepare(quota, seed);
	run_owners();
	for (int i = 0; i < PS; i++)
		wrong |= owners[i].wrong;
	EXPECT(!wrong);
	EXPECT(all_once());
	EXPECT_EQ(load_relaxed(&done), total);
	for (uint32_t i = 0; i < PS; i++)
		EXPECT(mn_runq_empty(&mn_sched.allp[i].runq));
	EXPECT_EQ(globq_len(&mn_sched.globq), 0);
	fake_ps_stop();
}

static void
one_pair(int steal, int victim, uint64_t items, uint64_t seed)
{
	static const int caps[] = { 256, 16, 2, 64 };
	enum { QUOTA = 50000 };

	fprintf(stderr, "steal=%s victim=%s\n", mn_amount_policies[steal].name, mn_victim_policies[victim].name);
	for (uint64_t k = 0; k * QUOTA * PS < items && !test_failures; k++)
		one_round(steal, victim, caps[k % array_len(caps)], QUOTA, seed + k);
}

int
main(int argc, char **argv)
{
	enum { QUOTA = 50000 };
	uint64_t items = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000000;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : mn_os_entropy();

	fprintf(stderr, "%llu items a pair, seed %llu\n", (unsigned long long)items, (unsigned long long)seed);
	for (int i = 0; i < PS; i++) {
		owners[i].items = calloc(QUOTA, sizeof(struct item));
		CHECK(owners[i].items);
	}
	// nearest needs a topology; it walks the same queues.
	for (int steal = 0; mn_amount_policies[steal].how_many; steal++)
		for (int victim = 0; &mn_victim_policies[victim] != mn_victim_by_distance && !test_failures; victim++)
			one_pair(steal, victim, items, seed);
	for (int i = 0; i < PS; i++)
		free(owners[i].items);
	return test_result();
}
