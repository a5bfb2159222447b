// SPDX-License-Identifier: MIT
// stats.c: the counters of a running or finished scheduler, and the laws they must obey.
//
// Each law compares figures that were counted in different places: what thieves say they took against what the victims' queue
// indices say left; what was put into a queue against what came out. stolen_out is not counted at all while running (that
// would be a write to the victim's lines) but follows, at the end, from the victim's own indices.
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sched/core/scheduler.h"
#include "sched/watch/watch.h"

static struct {
	struct mn_stats stats;
	struct mn_counters *per_p;
	uint64_t *stolen; // victim * procs + thief
	int cap;
	char broken[MN_TEXT_MAX];
} last;

// Held by whoever reads, for anybody may, from any thread, at any time; and when what is read comes, goes or changes places.
static struct lock door;
// The scheduler when it can be read, else NULL: then what the last run left. Read only through this: of a flag and two globals
// a compiler may read both globals and then choose, one of them while it is being written.
static struct sched *live;

void
mn_stats_open(bool open)
{
	lock(&door);
	live = open ? &mn_sched : NULL;
	unlock(&door);
}

static void
forget(void)
{
	free(last.per_p);
	free(last.stolen);
	memset(&last, 0, sizeof(last));
}

void
mn_stats_forget(void)
{
	lock(&door);
	forget();
	unlock(&door);
}

// ---- Reading

static void
read_p(struct p *p, struct mn_counters *c)
{
#define READ(name, what) c->name = tally_get(&p->n.name);
	MN_COUNTERS(READ)
#undef READ
}

static void
add_p(struct mn_counters *total, const struct mn_counters *c)
{
	uint64_t longest = total->runq_max > c->runq_max ? total->runq_max : c->runq_max;

#define ADD(name, what) total->name += c->name;
	MN_COUNTERS(ADD)
#undef ADD
	total->runq_max = longest;
}

// Figures that are written under locks of the scheduler's.
static void
read_shared(struct mn_stats *out)
{
	struct sched *s = &mn_sched;

	lock(&s->lock);
	out->threads = (int)s->nmade;
	unlock(&s->lock);
	spin_lock(&s->globq.lock);
	out->globq_max = s->globq.max;
	spin_unlock(&s->globq.lock);
}

static void
read_live(struct mn_stats *out)
{
	struct sched *s = &mn_sched;

	memset(out, 0, sizeof(*out));
	out->procs = (int)load_acquire(&s->nps);
	read_shared(out);
	for (uint32_t i = 0; i < load_acquire(&s->nps); i++) {
		struct mn_counters c;

		read_p(&s->allp[i], &c);
		add_p(&out->total, &c);
	}
}

void
mn_stats(struct mn_stats *out)
{
	lock(&door);
	if (live)
		read_live(out);
	else
		*out = last.stats;
	unlock(&door);
}

static int
procs_seen(void)
{
	return live ? (int)load_acquire(&live->nps) : last.stats.procs;
}

int
mn_stats_p(int p, struct mn_counters *c)
{
	int error = 0;

	lock(&door);
	if (p < 0 || p >= procs_seen())
		error = -EINVAL;
	else if (live)
		read_p(&live->allp[p], c);
	else
		*c = last.per_p[p];
	unlock(&door);
	return error;
}

uint64_t
mn_stats_stolen(int victim, int thief)
{
	uint64_t n = 0;

	lock(&door);
	int procs = procs_seen();

	if (victim >= 0 && victim < procs && thief >= 0 && thief < procs)
		n = live ? tally_get(&live->allp[thief].stolen_from[victim]) : last.stolen[victim * procs + thief];
	unlock(&door);
	return n;
}

int
mn_num_procs(void)
{
	int n = 0;

	lock(&door);
	if (live)
		n = (int)load_acquire(&live->nprocs);
	unlock(&door);
	return n;
}

uint64_t
mn_seed(void)
{
	uint64_t seed = 0;

	lock(&door);
	if (live)
		seed = live->seed;
	unlock(&door);
	return seed;
}

int
mn_num_goroutines(void)
{
	lock(&door);
	uint64_t n = live ? tally_get(&live->remote_spawned) : 0;

	for (uint32_t i = 0; live && i < load_acquire(&live->nps); i++)
		n += tally_get(&live->allp[i].n.spawned) - tally_get(&live->allp[i].n.finished);
	unlock(&door);
	return (int)n;
}

#define NAME(name, what) #name,
static const char *const names[] = { MN_COUNTERS(NAME) };
#undef NAME

const char *
mn_counter_name(int i)
{
	return i >= 0 && i < (int)array_len(names) ? names[i] : NULL;
}

_Static_assert(sizeof(struct mn_counters) == array_len(names) * sizeof(uint64_t), "counters are nothing but uint64_t");

uint64_t
mn_counter_value(const struct mn_counters *c, int i)
{
	uint64_t v;

	memcpy(&v, (const char *)c + (size_t)i * sizeof(v), sizeof(v));
	return v;
}

// ---- Laws

static bool __attribute__((format(printf, 3, 4))) broken(char *why, size_t size, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why, size, format, args);
	va_end(args);
	return false;
}

static bool
equal(char *why, size_t size, const char *law, uint64_t a, uint64_t b)
{
	return a == b || broken(why, size, "%s: %llu is not %llu", law, (unsigned long long)a, (unsigned long long)b);
}

static bool
totals_hold(char *why, size_t size)
{
	const struct mn_counters *t = &last.stats.total;

	return equal(why, size, "spawned = finished", t->spawned, t->finished) &&
	       equal(why, size, "executed = runnext + local + global + stolen + returned + polled", t->executed,
	             t->run_runnext + t->run_local + t->run_global + t->run_stolen + t->run_returned + t->run_polled) &&
	       equal(why, size, "parked = readied", t->parked, t->readied) &&
	       equal(why, size, "put into the global queue = taken from it", t->global_put + t->spilled + t->drained,
	             t->global_got + t->global_ticks) &&
	       equal(why, size, "stolen out = stolen in", t->stolen_out, t->stolen_in) &&
	       equal(why, size, "children joined in place = taken back", t->run_joined,
	             t->joined_runnext + t->joined_local);
}

static bool
ring_holds(int i, char *why, size_t size)
{
	const struct mn_counters *c = &last.per_p[i];
	char law[64];

	snprintf(law, sizeof(law), "P%d: put into the ring = taken from it", i);
	return equal(why, size, law, c->local_put + c->global_got - c->global_batches + c->stolen_in - c->steal_ok,
	             c->run_local + c->spilled - c->spills + c->drained + c->stolen_out -
	                     (c->runnext_put - c->run_runnext - c->runnext_kicked - c->joined_runnext) +
	                     c->joined_local);
}

static bool
matrix_holds(int i, char *why, size_t size)
{
	int n = last.stats.procs;
	uint64_t out = 0, in = 0;
	char law[64];

	for (int k = 0; k < n; k++) {
		out += last.stolen[i * n + k];
		in += last.stolen[k * n + i];
	}
	snprintf(law, sizeof(law), "P%d: stolen out = its row of the matrix", i);
	if (!equal(why, size, law, last.per_p[i].stolen_out, out))
		return false;
	snprintf(law, sizeof(law), "P%d: stolen in = its column of the matrix", i);
	return equal(why, size, law, last.per_p[i].stolen_in, in);
}

static int
check(char *why, size_t size)
{
	if (!totals_hold(why, size))
		return -EUCLEAN;
	for (int i = 0; i < last.stats.procs; i++) {
		if (!ring_holds(i, why, size) || !matrix_holds(i, why, size))
			return -EUCLEAN;
		if (last.per_p[i].runq_max > (uint64_t)last.cap) {
			broken(why, size, "P%d: queue length %llu above its cap %d", i,
			       (unsigned long long)last.per_p[i].runq_max, last.cap);
			return -EUCLEAN;
		}
	}
	return 0;
}

int
mn_stats_check(char *why, size_t size)
{
	lock(&door);
	int error = check(why, size);

	unlock(&door);
	return error;
}

// ---- The end of a run

// Left at the head by others' hands: the head's whole way, less what the owner took and spilled there. Left runnext likewise.
static uint64_t
left_by_theft(struct p *p, const struct mn_counters *c)
{
	uint32_t moved = runq_index(load_relaxed(&p->runq.head));
	uint32_t ring = moved - (uint32_t)(c->run_local + c->spilled - c->spills + c->drained);
	uint64_t next = c->runnext_put - c->run_runnext - c->runnext_kicked - c->joined_runnext;

	return (uint64_t)(int64_t)(int32_t)ring + next;
}

static int
keep_locked(void)
{
	struct sched *s = &mn_sched;
	size_t n = load_acquire(&s->nps);

	last.per_p = calloc(n, sizeof(*last.per_p));
	last.stolen = calloc(n * n, sizeof(*last.stolen));
	if (!last.per_p || !last.stolen) {
		forget();
		return -ENOMEM;
	}
	last.cap = s->options.local_cap;
	for (size_t i = 0; i < n; i++) {
		struct p *p = &s->allp[i];

		read_p(p, &last.per_p[i]);
		last.per_p[i].stolen_out = left_by_theft(p, &last.per_p[i]);
		for (size_t v = 0; v < n; v++)
			last.stolen[v * n + i] = tally_get(&p->stolen_from[v]);
	}
	read_live(&last.stats);
	memset(&last.stats.total, 0, sizeof(last.stats.total));
	for (size_t i = 0; i < n; i++)
		add_p(&last.stats.total, &last.per_p[i]);
	return check(last.broken, sizeof(last.broken));
}

int
mn_stats_keep(void)
{
	lock(&door);
	int error = keep_locked();

	live = NULL;
	unlock(&door);
	return error;
}
