// SPDX-License-Identifier: MIT
// model.c: the round model; model.h has its rules.
//
// The one idea: a goroutine stands in one queue at a time, so the link to the one behind it can live in the goroutine
// itself. Every rule then is a put at a tail or a take from a front, in constant time, and a queue never allocates. Memory
// is asked for in two places only, before a spawn and before a round, and so both happen entirely or not at all.
//
// Rejected: queues as arrays. One that shifts makes a million goroutines quadratic; a ring that grows can run out of memory
// in the middle of a round.
#include "sched/model/model.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct goroutine {
	char *name;
	int work, executed; // ticks
	int behind;         // the next one in the same queue
};

struct queue {
	int front, tail; // valid while len > 0
	int len;
};

struct processor {
	struct queue queue;
	int64_t ran, steals;
};

struct mn_model {
	int procs, quantum, cap;
	int64_t clock;
	struct queue global;
	struct processor *p;
	struct goroutine *g;
	size_t count, room;
	size_t alive; // goroutines with work left
	int rich;     // queues that hold at least 2, the global one included
	struct mn_model_event *event;
	size_t events, event_room;
};

// ---- Memory --------------------------------------------------------------------------------------------------------

// Makes room for `more` elements behind the `used` ones in array. Doubles, so that n appends cost n.
static int
reserve(void **array, size_t *room, size_t used, size_t more, size_t size)
{
	size_t want = *room ? *room : 64;
	void *bigger;

	if (*room - used >= more)
		return 0;
	while (want - used < more)
		want *= 2;
	bigger = reallocarray(*array, want, size);
	if (!bigger)
		return -ENOMEM;
	*array = bigger;
	*room = want;
	return 0;
}

static int
reserve_events(struct mn_model *m, size_t more)
{
	void *event = m->event;
	int err = reserve(&event, &m->event_room, m->events, more, sizeof(*m->event));

	m->event = event;
	return err;
}

static int
reserve_goroutine(struct mn_model *m)
{
	void *g = m->g;
	int err = m->count < INT_MAX ? reserve(&g, &m->room, m->count, 1, sizeof(*m->g)) : -ENOMEM;

	m->g = g;
	return err;
}

// ---- Trace ---------------------------------------------------------------------------------------------------------

// Whoever comes in from outside, for a spawn or a round, has made room.
static void
record(struct mn_model *m, int p, enum mn_model_kind kind, int who, int n)
{
	m->event[m->events++] = (struct mn_model_event){ .at = m->clock, .p = p, .kind = kind, .who = who, .n = n };
}

// ---- Queues --------------------------------------------------------------------------------------------------------

static void
put(struct mn_model *m, struct queue *q, int g)
{
	m->g[g].behind = MN_MODEL_NONE;
	if (q->len > 0)
		m->g[q->tail].behind = g;
	else
		q->front = g;
	q->tail = g;
	if (++q->len == 2)
		m->rich++;
}

static int
take(struct mn_model *m, struct queue *q)
{
	int g = q->front;

	q->front = m->g[g].behind;
	if (q->len-- == 2)
		m->rich--;
	return g;
}

static void
move(struct mn_model *m, struct queue *from, struct queue *to, int n)
{
	while (n-- > 0)
		put(m, to, take(m, from));
}

// ---- One processor's turn ------------------------------------------------------------------------------------------

// A fair share of the global queue and one more, so that a share of less than one still takes one.
static bool
take_global(struct mn_model *m, int p)
{
	int n = m->global.len / m->procs + 1;

	if (m->global.len == 0)
		return false;
	if (n > m->global.len)
		n = m->global.len;
	move(m, &m->global, &m->p[p].queue, n);
	record(m, p, MN_MODEL_TAKE, MN_MODEL_NONE, n);
	return true;
}

// The thief need not be left out: its own queue is empty, so it never is the longest.
static int
longest_queue(const struct mn_model *m)
{
	int longest = 0;

	for (int p = 1; p < m->procs; p++)
		if (m->p[p].queue.len > m->p[longest].queue.len)
			longest = p;
	return longest;
}

// Thieves come here only when the global queue is empty, so `rich` counts local queues alone. It spares the many Ps that
// find nothing at the end of a run a walk over all the others.
static bool
steal(struct mn_model *m, int p)
{
	int victim, n;

	if (m->rich == 0)
		return false;
	victim = longest_queue(m);
	n = m->p[victim].queue.len / 2;
	move(m, &m->p[victim].queue, &m->p[p].queue, n);
	m->p[p].steals++;
	record(m, p, MN_MODEL_STEAL, victim, n);
	return true;
}

static void
run_front(struct mn_model *m, int p)
{
	int g = take(m, &m->p[p].queue);
	int left = mn_model_remaining(m, g);
	int ticks = left < m->quantum ? left : m->quantum;

	m->g[g].executed += ticks;
	m->p[p].ran += ticks;
	record(m, p, MN_MODEL_RUN, g, ticks);
	if (ticks < left) {
		put(m, &m->p[p].queue, g);
		return;
	}
	m->alive--;
	record(m, p, MN_MODEL_DONE, g, 0);
}

static void
turn(struct mn_model *m, int p)
{
	if (m->p[p].queue.len > 0 || take_global(m, p) || steal(m, p))
		run_front(m, p);
	else
		record(m, p, MN_MODEL_IDLE, MN_MODEL_NONE, 0);
}

// ---- Public --------------------------------------------------------------------------------------------------------

struct mn_model *
mn_model_new(int procs, int quantum, int cap)
{
	struct mn_model *m;

	if (procs > MN_MODEL_PROCS_MAX)
		return NULL;
	m = calloc(1, sizeof(*m));
	if (!m)
		return NULL;
	m->procs = procs < 1 ? 1 : procs;
	m->quantum = quantum < 1 ? 1 : quantum;
	m->cap = cap;
	m->p = calloc((size_t)m->procs, sizeof(*m->p));
	if (!m->p) {
		free(m);
		return NULL;
	}
	return m;
}

void
mn_model_free(struct mn_model *m)
{
	if (!m)
		return;
	for (size_t g = 0; g < m->count; g++)
		free(m->g[g].name);
	free(m->event);
	free(m->g);
	free(m->p);
	free(m);
}

static void
spill(struct mn_model *m, int p)
{
	int n = m->p[p].queue.len / 2;

	move(m, &m->p[p].queue, &m->global, n);
	record(m, p, MN_MODEL_SPILL, MN_MODEL_NONE, n);
}

int
mn_model_spawn_on(struct mn_model *m, int p, const char *name, int work)
{
	enum { SPAWN_EVENTS = 2 }; // spill, spawn
	int g = (int)m->count;
	char *copy;

	if (reserve_events(m, SPAWN_EVENTS) || reserve_goroutine(m))
		return -ENOMEM;
	copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	if (p < 0 || p >= m->procs)
		p = 0;
	m->g[m->count++] = (struct goroutine){ .name = copy, .work = work < 1 ? 1 : work };
	m->alive++;
	if (m->p[p].queue.len >= m->cap)
		spill(m, p);
	put(m, &m->p[p].queue, g);
	record(m, p, MN_MODEL_SPAWN, g, 0);
	return g;
}

int
mn_model_step(struct mn_model *m)
{
	enum { TURN_EVENTS = 3 }; // global or steal, run, done

	if (mn_model_drained(m))
		return 0;
	if (reserve_events(m, (size_t)m->procs * TURN_EVENTS))
		return -ENOMEM;
	for (int p = 0; p < m->procs; p++)
		turn(m, p);
	m->clock += m->quantum;
	return 1;
}

int64_t
mn_model_run(struct mn_model *m)
{
	int64_t rounds = 0;
	int ran;

	while ((ran = mn_model_step(m)) > 0)
		rounds++;
	return ran < 0 ? ran : rounds;
}

bool
mn_model_drained(const struct mn_model *m)
{
	return m->alive == 0;
}

int64_t
mn_model_clock(const struct mn_model *m)
{
	return m->clock;
}

int
mn_model_procs(const struct mn_model *m)
{
	return m->procs;
}

static const struct queue *
queue_of(const struct mn_model *m, int p)
{
	return p == MN_MODEL_GLOBAL ? &m->global : &m->p[p].queue;
}

int
mn_model_queue_len(const struct mn_model *m, int p)
{
	return queue_of(m, p)->len;
}

int
mn_model_queue_front(const struct mn_model *m, int p)
{
	const struct queue *q = queue_of(m, p);

	return q->len > 0 ? q->front : MN_MODEL_NONE;
}

int
mn_model_queue_behind(const struct mn_model *m, int g)
{
	return m->g[g].behind;
}

int64_t
mn_model_ran(const struct mn_model *m, int p)
{
	return m->p[p].ran;
}

int64_t
mn_model_steals(const struct mn_model *m, int p)
{
	return m->p[p].steals;
}

int
mn_model_count(const struct mn_model *m)
{
	return (int)m->count;
}

const char *
mn_model_name(const struct mn_model *m, int g)
{
	return m->g[g].name;
}

enum mn_model_state
mn_model_state(const struct mn_model *m, int g)
{
	return mn_model_remaining(m, g) > 0 ? MN_MODEL_RUNNABLE : MN_MODEL_FINISHED;
}

int
mn_model_executed(const struct mn_model *m, int g)
{
	return m->g[g].executed;
}

int
mn_model_remaining(const struct mn_model *m, int g)
{
	return m->g[g].work - m->g[g].executed;
}

size_t
mn_model_events(const struct mn_model *m)
{
	return m->events;
}

const struct mn_model_event *
mn_model_event(const struct mn_model *m, size_t i)
{
	return &m->event[i];
}

void
mn_model_forget(struct mn_model *m)
{
	m->events = 0;
}

const char *
mn_model_kind_name(int kind)
{
	static const char *const words[] = {
		[MN_MODEL_SPAWN] = "spawn", [MN_MODEL_RUN] = "run",     [MN_MODEL_DONE] = "done",
		[MN_MODEL_STEAL] = "steal", [MN_MODEL_TAKE] = "global", [MN_MODEL_IDLE] = "idle",
		[MN_MODEL_SPILL] = "spill",
	};

	return kind >= 0 && kind < (int)(sizeof(words) / sizeof(*words)) ? words[kind] : NULL;
}
