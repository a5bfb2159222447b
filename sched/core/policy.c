// SPDX-License-Identifier: MIT
// policy.c: whom to steal from, how much, and how many may look. A row is never edited once results cite it: add another.
#include "sched/core/policy.h"

#include <errno.h>
#include <stdlib.h>

#include "sched/core/scheduler.h"

// ---- How much

static uint32_t
half(uint32_t n)
{
	return n - n / 2;
}

static uint32_t
just_one(uint32_t n)
{
	(void)n;
	return 1;
}

static uint32_t
everything(uint32_t n)
{
	return n;
}

// clang-format off
const struct amount_policy mn_amount_policies[] = {
//	  name     of n Gs take
	{ "half", half },        // Go: n - n/2
	{ "one",  just_one },    // Cilk
	{ "all",  everything },
	{ "none", NULL },        // the control: no stealing at all
	{ NULL,   NULL },
};
// clang-format on

// ---- From whom

static uint16_t *strides;
static uint32_t nstrides;

static uint32_t
common_divisor(uint32_t a, uint32_t b)
{
	while (b) {
		uint32_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

int
mn_policy_init(uint32_t nprocs)
{
	free(strides);
	strides = malloc(nprocs * sizeof(*strides));
	if (!strides)
		return -ENOMEM;
	nstrides = 0;
	for (uint32_t i = 1; i <= nprocs; i++)
		if (common_divisor(i, nprocs) == 1)
			strides[nstrides++] = (uint16_t)i;
	return 0;
}

void
mn_policy_release(void)
{
	free(strides);
	strides = NULL;
}

static void
begin_random(struct victim_walk *w)
{
	struct rng *rng = &w->thief->rng;

	w->left = num_ps();
	w->at = rng_below(rng, w->left);
	w->stride = strides[rng_below(rng, nstrides)];
}

// Every P once, from a random start by a random stride that has no divisor in common with their number.
static struct p *
next_in_steps(struct victim_walk *w)
{
	while (w->left) {
		struct p *victim = &mn_sched.allp[w->at];

		w->left--;
		w->at += w->stride;
		if (w->at >= num_ps())
			w->at -= num_ps();
		if (victim != w->thief)
			return victim;
	}
	return NULL;
}

// The known-bad control: all thieves convoy from one victim to the next (intel/ocr#6).
static void
begin_round_robin(struct victim_walk *w)
{
	w->left = num_ps();
	w->stride = 1;
	w->at = (w->thief->last_victim + 1) % num_ps();
}

static struct p *
longer(struct p *a, struct p *b)
{
	return runq_len(&b->runq) > runq_len(&a->runq) ? b : a;
}

static void
begin_once(struct victim_walk *w)
{
	w->left = 1;
}

// The longest local queue of all. Reads every P's line; ties go to the first from a random start, so that thieves do not all
// choose P0.
static struct p *
next_most_loaded(struct victim_walk *w)
{
	struct victim_walk all = *w;
	struct p *best, *p;

	if (!w->left)
		return NULL;
	w->left = 0;
	begin_random(&all);
	best = next_in_steps(&all);
	while ((p = next_in_steps(&all)))
		best = longer(best, p);
	return best;
}

static void
begin_two_choices(struct victim_walk *w)
{
	w->left = (num_ps() + 1) / 2;
}

static struct p *
any_other(struct victim_walk *w)
{
	uint32_t i = rng_below(&w->thief->rng, num_ps() - 1);

	return &mn_sched.allp[i + (i >= w->thief->id)];
}

// The longer of two drawn at random (Azar, Broder, Karlin, Upfal: the power of two choices), as often as it takes to look at
// as many queues as the random walk does.
static struct p *
next_two_choices(struct victim_walk *w)
{
	if (!w->left || num_ps() < 2)
		return NULL;
	w->left--;
	return longer(any_other(w), any_other(w));
}

// Nearest first, in a random order among equals.
static void
begin_nearest(struct victim_walk *w)
{
	w->left = num_ps() - 1;
	w->at = 0;
	w->stride = (uint32_t)rng_next(&w->thief->rng);
}

static struct p *
next_nearest(struct victim_walk *w)
{
	struct p *t = w->thief;
	uint32_t first = w->at, end = w->at;

	if (!w->left)
		return NULL;
	w->left--;
	while (first > 0 && t->near_class[first - 1] == t->near_class[w->at])
		first--;
	while (end < num_ps() - 1 && t->near_class[end] == t->near_class[w->at])
		end++;
	uint32_t n = end - first;
	uint32_t k = first + (w->at - first + w->stride % n) % n;

	w->at++;
	return &mn_sched.allp[t->near[k]];
}

// clang-format off
const struct victim_policy mn_victim_policies[] = {
//	  name           begin of a pass     next victim
	{ "random",      begin_random,       next_in_steps },     // Go
	{ "most-loaded", begin_once,         next_most_loaded },
	{ "two-choices", begin_two_choices,  next_two_choices },
	{ "round-robin", begin_round_robin,  next_in_steps },
	{ "nearest",     begin_nearest,      next_nearest },
	{ NULL,          NULL,               NULL },
};
// clang-format on
const struct victim_policy *const mn_victim_everybody = &mn_victim_policies[0];
const struct victim_policy *const mn_victim_by_distance = &mn_victim_policies[4];

// A P that is not bound is taken to run where the plan `close` would bind it.
static int
place_of(const struct mn_topo *t, const struct p *p)
{
	return p->pu >= 0 ? p->pu : mn_topo_pu_at(t, (int)p->id % mn_topo_num_pus(t));
}

static int
distance(const struct mn_topo *t, const struct p *a, const struct p *b)
{
	return mn_topo_distance(t, place_of(t, a), place_of(t, b));
}

// The other Ps in order of their distance: for each class in turn, those that have it.
static int
measure_one(const struct mn_topo *t, struct p *p)
{
	struct sched *s = &mn_sched;
	uint32_t n = 0;

	free(p->near);
	free(p->near_class);
	p->near = calloc(num_ps(), sizeof(*p->near));
	p->near_class = calloc(num_ps(), sizeof(*p->near_class));
	if (!p->near || !p->near_class)
		return -ENOMEM;
	for (int class = MN_TOPO_SAME_PU; class <= MN_TOPO_MACHINE; class ++)
		for (uint32_t i = 0; i < num_ps(); i++)
			if (i != p->id && distance(t, p, &s->allp[i]) == class) {
				p->near[n] = (uint16_t)i;
				p->near_class[n++] = (uint16_t) class;
			}
	CHECK(n == num_ps() - 1);
	return 0;
}

int
mn_policy_measure(const struct mn_topo *t)
{
	for (uint32_t i = 0; i < num_ps(); i++)
		if (measure_one(t, &mn_sched.allp[i]))
			return -ENOMEM;
	return 0;
}

// ---- How many may look

static bool
half_of_the_busy(uint32_t spinning, uint32_t busy)
{
	return 2 * spinning < busy;
}

static bool
only_one(uint32_t spinning, uint32_t busy)
{
	(void)busy;
	return spinning == 0;
}

static bool
anybody(uint32_t spinning, uint32_t busy)
{
	(void)spinning;
	(void)busy;
	return true;
}

// clang-format off
const struct spin_policy mn_spin_policies[] = {
//	  name    may one more?       go on looking?
	{ "half", half_of_the_busy,   true },   // Go, which does not linger
	{ "one",  only_one,           true },
	{ "none", anybody,            false },  // one look, then to sleep: every wake is a futex
	{ "all",  anybody,            true },
	{ NULL,   NULL,               false },
};
// clang-format on
