// SPDX-License-Identifier: MIT
// spill_test: local queue, spill, global queue and tick, by exact counters and exact order. A small model of the rules, written
// apart from the scheduler with plain arrays, says for each setting who runs when and what must have been counted.
#include <stdlib.h>
#include <string.h>

#include "sched/tests/rig.h"

enum { SPAWNED = 1000, YIELDS_MAX = 3, STEPS = (SPAWNED + 1) * (YIELDS_MAX + 2), NOBODY = -1 };

struct setting {
	int cap, tick, yields, procs;
	bool runnext, yield_local;
};

// ---- The model

struct line {
	int who[4 * STEPS];
	int first, end;
};

struct model {
	struct setting s;
	struct line ring, global;
	int next; // stands in runnext
	int slices;
	struct mn_counters c;
	uint64_t globq_max;
	int order[STEPS], steps;
};

static int
length(const struct line *l)
{
	return l->end - l->first;
}

static void
append(struct line *l, int g)
{
	l->who[l->end++] = g;
}

static int
take(struct line *l)
{
	return l->who[l->first++];
}

static void
longest(uint64_t *most, int n)
{
	if ((uint64_t)n > *most)
		*most = (uint64_t)n;
}

static void
put_local(struct model *m, int g)
{
	if (length(&m->ring) < m->s.cap) {
		append(&m->ring, g);
		m->c.local_put++;
		return;
	}
	longest(&m->c.runq_max, m->s.cap);
	m->c.spills++;
	for (int n = m->s.cap / 2; n > 0; n--, m->c.spilled++)
		append(&m->global, take(&m->ring));
	append(&m->global, g);
	m->c.spilled++;
	longest(&m->globq_max, length(&m->global));
}

static void
spawn(struct model *m, int g)
{
	int kicked = m->next;

	if (!m->s.runnext) {
		put_local(m, g);
		return;
	}
	m->c.runnext_put++;
	m->next = g;
	if (kicked == NOBODY)
		return;
	m->c.runnext_kicked++;
	put_local(m, kicked);
}

static int
least(int a, int b)
{
	return a < b ? a : b;
}

static int
take_batch(struct model *m)
{
	int len = length(&m->global), half = m->s.cap > 1 ? m->s.cap / 2 : 1;
	int n = least(half, least(len, len / m->s.procs + 1)), first;

	if (n == 0)
		return NOBODY;
	m->slices++;
	m->c.global_batches++;
	m->c.global_got += (uint64_t)n;
	m->c.run_global++;
	first = take(&m->global);
	while (--n > 0)
		append(&m->ring, take(&m->global));
	return first;
}

static int
pick(struct model *m)
{
	int g = m->next;

	if (m->s.tick && m->slices % m->s.tick == 0 && length(&m->global)) {
		m->slices++;
		m->c.global_ticks++;
		m->c.run_global++;
		return take(&m->global);
	}
	longest(&m->c.runq_max, length(&m->ring));
	if (g != NOBODY) { // in the slice that is running
		m->next = NOBODY;
		m->c.run_runnext++;
		return g;
	}
	if (length(&m->ring)) {
		m->slices++;
		m->c.run_local++;
		return take(&m->ring);
	}
	return take_batch(m);
}

// Goroutine 0 spawns the others; each of these yields so many times.
static void
play(struct model *m)
{
	int left[SPAWNED + 1];
	int g;

	for (int i = 0; i <= SPAWNED; i++)
		left[i] = i ? m->s.yields : 0;
	m->next = NOBODY;
	spawn(m, 0);
	for (g = pick(m); g != NOBODY;) {
		int next;

		m->order[m->steps++] = g;
		m->c.executed++;
		for (int i = 1; g == 0 && i <= SPAWNED; i++)
			spawn(m, i);
		next = pick(m);
		for (; next == NOBODY && left[g] > 0; left[g]--)
			; // nobody to yield to
		if (left[g] > 0) {
			left[g]--;
			m->c.yields++;
			if (m->s.yield_local) {
				put_local(m, g);
			} else {
				append(&m->global, g);
				m->c.global_put++;
				longest(&m->globq_max, length(&m->global));
			}
		}
		g = next;
	}
	m->c.slices = (uint64_t)m->slices;
}

// ---- The scheduler

static struct {
	int yields;
	int order[STEPS], steps;
} real;

static int names[SPAWNED + 1];

static void
note(int g)
{
	if (real.steps < STEPS)
		real.order[real.steps] = g;
	real.steps++;
}

static void
run_and_yield(void *name)
{
	uint64_t before = rig_total().yields;
	int g = *(int *)name;

	note(g);
	for (int i = 0; i < real.yields; i++) {
		mn_yield();
		if (rig_total().yields != before) // gave way, and is back
			note(g);
		before = rig_total().yields;
	}
}

static void
spawn_all(void *unused)
{
	(void)unused;
	note(0);
	for (int i = 1; i <= SPAWNED; i++) {
		names[i] = i;
		mn_go(run_and_yield, &names[i]);
	}
}

static const char *
text_of(const struct setting *s)
{
	static char text[256];

	snprintf(text, sizeof(text), "procs=%d preempt=off local_cap=%d global_tick=%d runnext=%s yield_to=%s",
	         s->procs, s->cap, s->tick, s->runnext ? "on" : "off", s->yield_local ? "local" : "global");
	return text;
}

static void
expect_counters(const struct model *m, const struct mn_counters *got)
{
	int before = test_failures;

#define SAME(name, what)                                                     \
	if (strcmp(#name, "spawned") != 0 && strcmp(#name, "finished") != 0) \
		EXPECT_EQ(got->name, m->c.name);
	MN_COUNTERS(SAME)
#undef SAME
	EXPECT_EQ(got->spawned, SPAWNED + 1);
	if (test_failures > before)
		fprintf(stderr, "at %s, %d yields\n", text_of(&m->s), m->s.yields);
}

// The model of one setting, checked against one run of it.
static struct model *
expect_as_modelled(struct setting s)
{
	static struct model m;
	struct mn_counters got;
	struct mn_stats stats;

	memset(&m, 0, sizeof(m));
	memset(&real, 0, sizeof(real));
	m.s = s;
	real.yields = s.yields;
	play(&m);
	EXPECT_EQ(rig_run(text_of(&s), spawn_all, NULL), 0);
	mn_stats(&stats);
	got = stats.total;
	// What depends on time, and not on the rules.
	m.c.spins = got.spins;
	m.c.spin_ns = got.spin_ns;
	m.c.idle_ns = got.idle_ns;
	m.c.parks = got.parks;
	m.c.wakes = got.wakes;
	m.c.wakes_empty = got.wakes_empty;
	expect_counters(&m, &got);
	EXPECT_EQ(stats.globq_max, m.globq_max);
	EXPECT_EQ(real.steps, m.steps);
	EXPECT(memcmp(real.order, m.order, sizeof(real.order)) == 0);
	return &m;
}

// ---- Tests

// By hand: the ring takes 256; the 257th put, and then every 129th, moves 128 and itself. 999 puts, for one stays in runnext.
static void
test_a_thousand_at_cap_256(void)
{
	struct setting s = { .cap = 256, .tick = 61, .procs = 1, .runnext = true };
	struct model *m = expect_as_modelled(s);

	EXPECT_EQ(m->c.spills, 6);
	EXPECT_EQ(m->c.spilled, 6 * 129);
	EXPECT_EQ(m->globq_max, 774);
	EXPECT_EQ(m->c.runq_max, 256);
	EXPECT_EQ(m->c.run_runnext, 2); // main, and the last spawned
	EXPECT_EQ(m->c.local_put, 999 - 6);
}

static void
test_every_cap_as_modelled(void)
{
	static const int caps[] = { 1, 2, 3, 16, 64, 256, 1000, 4096 };

	for (size_t i = 0; i < array_len(caps); i++)
		for (int way = 0; way < 4; way++)
			for (int yields = 0; yields <= YIELDS_MAX; yields += YIELDS_MAX)
				expect_as_modelled((struct setting){ .cap = caps[i],
				                                     .tick = 61,
				                                     .yields = yields,
				                                     .procs = 1,
				                                     .runnext = way & 1,
				                                     .yield_local = way & 2 });
}

static void
test_every_tick_as_modelled(void)
{
	static const int ticks[] = { 0, 1, 2, 7, 60, 61, 1000000 };

	for (size_t i = 0; i < array_len(ticks); i++)
		for (int yields = 0; yields <= 1; yields++) {
			struct setting s = { .cap = 64, .tick = ticks[i], .yields = yields, .procs = 1 };
			struct model *m = expect_as_modelled(s);

			EXPECT((m->c.global_ticks > 0) == (ticks[i] > 0 && ticks[i] <= 61));
		}
}

// ---- The tick, between those who never leave the local queue

enum { VISITORS = 10 };
static uint64_t visits[VISITORS];
static int visited;

static void
stay(void *unused)
{
	if (visited < VISITORS)
		mn_go(stay, unused);
}

static void
visit(void *unused)
{
	(void)unused;
	mn_yield();
	visits[visited++] = rig_total().slices;
}

static void
stay_and_visit(void *unused)
{
	visited = 0;
	for (int i = 0; i < 3; i++)
		mn_go(stay, unused);
	for (int i = 0; i < VISITORS; i++)
		mn_go(visit, unused);
}

// Without runnext each goroutine is a slice of its own; the local queue never runs dry, so only the tick serves the visitors.
static void
test_every_nth_slice_is_the_global_queues(void)
{
	static const int ticks[] = { 1, 5, 20, 61 };

	for (size_t i = 0; i < array_len(ticks); i++) {
		EXPECT_EQ(rig_run_at("procs=1 preempt=off runnext=off global_tick=%d", ticks[i], stay_and_visit, NULL),
		          0);
		EXPECT_EQ(rig_total().global_ticks, VISITORS);
		EXPECT_EQ(rig_total().global_batches, 0);
		// This slice is counted: number n * tick + 1.
		for (int v = 0; v < VISITORS; v++) {
			EXPECT_EQ(visits[v] % (uint64_t)ticks[i], 1 % ticks[i]);
			// With shorter ones the first are back before the last have gone.
			if (v > 0 && ticks[i] > VISITORS + 3)
				EXPECT_EQ(visits[v], visits[v - 1] + (uint64_t)ticks[i]);
		}
	}
}

// ---- One P's share of the global queue

static _Atomic int busy, stop;
static struct mn_counters before, after;
static int here;
static int to_run;

static void
keep_a_p_busy(void *unused)
{
	(void)unused;
	add_relaxed(&busy, 1);
	RIG_WAIT_UNTIL(load_acquire(&stop));
}

static void
count_down(void *unused)
{
	(void)unused;
	if (--to_run > 0)
		return;
	EXPECT_EQ(mn_p(), here);
	mn_stats_p(here, &after);
	store_release(&stop, 1);
}

static void
spawn_beside_busy_ps(void *unused)
{
	for (int i = 1; i < mn_num_procs(); i++)
		mn_go(keep_a_p_busy, unused);
	RIG_WAIT_UNTIL(load_relaxed(&busy) == mn_num_procs() - 1);
	here = mn_p();
	mn_stats_p(here, &before);
	to_run = SPAWNED;
	for (int i = 0; i < SPAWNED; i++)
		mn_go(count_down, unused);
}

// All other Ps are busy to the end: what this one takes at a time is its share, len / procs + 1, or half its cap.
static void
test_share_of_the_global_queue(void)
{
	for (int procs = 2; procs <= 4; procs++)
		for (int cap = 16; cap <= 256; cap *= 4) {
			struct setting s = { .cap = cap, .procs = procs, .runnext = true };
			struct model *m = calloc(1, sizeof(*m));

			m->s = s;
			play(m);
			store_relaxed(&busy, 0);
			store_relaxed(&stop, 0);
			EXPECT_EQ(rig_run(text_of(&s), spawn_beside_busy_ps, NULL), 0);
			EXPECT_EQ(after.spills - before.spills, m->c.spills);
			EXPECT_EQ(after.spilled - before.spilled, m->c.spilled);
			EXPECT_EQ(after.global_batches - before.global_batches, m->c.global_batches);
			EXPECT_EQ(after.global_got - before.global_got, m->c.global_got);
			EXPECT_EQ(after.global_ticks - before.global_ticks, 0);
			free(m);
		}
}

int
main(void)
{
	RUN(test_a_thousand_at_cap_256);
	RUN(test_every_cap_as_modelled);
	RUN(test_every_tick_as_modelled);
	RUN(test_every_nth_slice_is_the_global_queues);
	RUN(test_share_of_the_global_queue);
	return test_result();
}
