// SPDX-License-Identifier: MIT
// schedtrace.c: the line that Go prints with GODEBUG=schedtrace, in the form of Go 1.27, so that what reads Go's reads ours:
//
//	SCHED 113ms: gomaxprocs=4 idleprocs=0 threads=5 spinningthreads=0 needspinning=1 idlethreads=0 runqueue=389
//	[ 199 121 121 126 ] schedticks=[ 24 11 8 8 ]
//
// (one line). Go holds sched.lock meanwhile; we read without a lock, so that looking does not disturb.
#include "sched/watch/watch.h"

#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "sched/core/scheduler.h"

static int64_t due;

struct text {
	char *at;
	size_t size, used;
};

static void __attribute__((format(printf, 2, 3))) say(struct text *t, const char *format, ...)
{
	va_list args;
	int n;

	if (t->size == 0)
		return;
	va_start(args, format);
	n = vsnprintf(t->at + t->used, t->size - t->used, format, args);
	va_end(args);
	if (n > 0)
		t->used = t->used + (size_t)n < t->size ? t->used + (size_t)n : t->size - 1;
}

static void
say_lists(struct text *t)
{
	struct sched *s = &mn_sched;

	say(t, " [");
	for (uint32_t i = 0; i < num_ps(); i++)
		say(t, " %u", runq_len_seen(&s->allp[i].runq));
	say(t, " ] schedticks=[");
	for (uint32_t i = 0; i < num_ps(); i++)
		say(t, " %u", tally_get(&s->allp[i].schedtick));
	say(t, " ]\n");
}

size_t
mn_schedtrace_line(int64_t now, char *text, size_t size)
{
	struct sched *s = &mn_sched;
	struct text t = { text, size, 0 };
	uint32_t nm, nmidle;

	// The two counts belong together: their lock, for two loads.
	lock(&s->lock);
	nm = s->nm;
	nmidle = s->nmidle;
	unlock(&s->lock);
	// sysmon counts as a thread, as in Go.
	say(&t,
	    "SCHED %lldms: gomaxprocs=%u idleprocs=%u threads=%u spinningthreads=%u needspinning=%u idlethreads=%u "
	    "runqueue=%llu",
	    (long long)((now - s->started) / 1000000), num_ps(), load_relaxed(&s->npidle), nm + 1,
	    load_relaxed(&s->nspinning), load_relaxed(&s->needspinning), nmidle,
	    (unsigned long long)globq_len(&s->globq));
	say_lists(&t);
	return t.used;
}

void
mn_schedtrace_start(void)
{
	due = mn_sched.started;
}

void
mn_schedtrace_tick(int64_t now)
{
	size_t size = 256 + num_ps() * 24;
	char *text;

	if (now < due)
		return;
	due = now + (int64_t)mn_sched.options.schedtrace_ms * 1000000;
	text = malloc(size);
	if (!text)
		return;
	size_t n = mn_schedtrace_line(now, text, size);
	// One write a line: other output on stderr does not cut it.
	if (write(STDERR_FILENO, text, n) < 0)
		mn_sched.on_sysmon = NULL;
	free(text);
}
