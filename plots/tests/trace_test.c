// SPDX-License-Identifier: MIT
// trace_test.c: readers of queue lengths (Go's schedtrace, our samples), what is read off them, and their writers.
#include "experiments/mnlab/plot_trace.h"
#include "experiments/stats/expect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct expect_count expected;
static char err[512];

// A file with that text; the caller unlinks it.
static const char *
file_of(const char *text)
{
	static char path[64];
	int fd;

	snprintf(path, sizeof(path), "trace-XXXXXX");
	fd = mkstemp(path);
	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		abort();
	close(fd);
	return path;
}

static int
read_go(struct trace *t, const char *text, int procs)
{
	const char *path = file_of(text);
	int rc = trace_read_schedtrace(t, path, procs, err, sizeof(err));

	unlink(path);
	return rc;
}

static int
read_ours(struct trace *t, const char *text)
{
	const char *path = file_of(text);
	int rc = trace_read_samples(t, path, err, sizeof(err));

	unlink(path);
	return rc;
}

static void
test_real_go_trace(void)
{
	struct trace t;

	expect(trace_read_schedtrace(&t, PLOTS_DIR "/data/skew-1000x3ms-procs4.schedtrace", 4, err, sizeof(err)) == 0);
	expect(t.n == 148); // 147 lines of the run, and the last before it
	expect(t.ms[0] == -20 && t.ms[1] == 0 && t.ms[2] == 10 && t.ms[147] == 1485);
	expect(trace_at(&t, 0)[0] == 0 && trace_at(&t, 0)[1] == 0);
	expect(trace_at(&t, 1)[0] == 517 && trace_at(&t, 1)[1] == 216 && trace_at(&t, 1)[4] == 4);
	expect(trace_at(&t, 147)[0] == 2 && trace_at(&t, 147)[1] == 1);
	expect(trace_max_global(&t) == 517 && trace_max_local(&t) == 216);
	trace_free(&t);
	expect(trace_read_schedtrace(&t, PLOTS_DIR "/data/skew-1000x50us-procs2.schedtrace", 2, err, sizeof(err)) == 0);
	expect(t.n == 3 && trace_max_global(&t) == 645 && trace_at(&t, 2)[2] == 71);
	trace_free(&t);
}

static void
test_old_go_form_and_other_lines(void)
{
	struct trace t;

	expect(read_go(&t,
	               "SCHED 0ms: gomaxprocs=2 idleprocs=1 threads=2 idlethreads=0 runqueue=0 [0 0]\n"
	               "hello from the program\n"
	               "SCHED 5ms: gomaxprocs=3 idleprocs=1 threads=2 idlethreads=0 runqueue=9 [9 9 9]\n"
	               "SCHED 7ms: gomaxprocs=2 idleprocs=1 threads=2 idlethreads=0 runqueue=3 [10 0]\n"
	               "  P0: status=1 schedtick=4\n"
	               "SCHED 9ms: gomaxprocs=2 idleprocs=1 threads=2 idlethreads=0 runqueue=1 [4 5]\n"
	               "SCHED 11ms: gomaxprocs=2 idleprocs=1 threads=2 idle",
	               2) == 0);
	expect(t.n == 3); // the start-up line, two with work; another count and the torn last line are passed over
	expect(t.ms[0] == -7 && t.ms[1] == 0 && t.ms[2] == 2);
	expect(trace_at(&t, 1)[0] == 3 && trace_at(&t, 1)[1] == 10 && trace_at(&t, 2)[2] == 5);
	trace_free(&t);
}

static void
test_only_first_repetition(void)
{
	struct trace t;

	expect(read_go(&t,
	               "SCHED 1ms: gomaxprocs=1 runqueue=7 [ 7 ] schedticks=[ 1 ]\n"
	               "SCHED 2ms: gomaxprocs=1 runqueue=0 [ 0 ] schedticks=[ 1 ]\n"
	               "BEGIN rep 1\n"
	               "SCHED 5ms: gomaxprocs=1 runqueue=2 [ 1 ] schedticks=[ 1 ]\n"
	               "END rep 1\n"
	               "BEGIN rep 2\n"
	               "SCHED 8ms: gomaxprocs=1 runqueue=5 [ 5 ] schedticks=[ 1 ]\n",
	               1) == 0);
	expect(t.n == 2 && t.ms[0] == -3 && t.ms[1] == 0 && trace_max_global(&t) == 2);
	trace_free(&t);
}

static void
refused_go(const char *text, int rc, const char *what)
{
	struct trace t;
	int got = read_go(&t, text, 2);

	expect(got == rc);
	expect(strstr(err, what) != NULL);
	if (got == 0)
		trace_free(&t);
}

static void
test_bad_go_traces(void)
{
	struct trace t;

	refused_go("SCHED 1ms: gomaxprocs=2 runqueue=1 [ 1 2 ]\nSCHED 2ms: gomaxprocs=2 runqueue=1 [ 1 ]\n", -EBADMSG,
	           ":2:");
	refused_go("SCHED 1ms: gomaxprocs=2 runqueue=1 [ 1 2\n", -EBADMSG, ":1:");
	refused_go("SCHED 1ms: gomaxprocs=2 runqueue=1\n", -EBADMSG, "[ ]");
	refused_go("SCHED 1ms: gomaxprocs=2 runqueue=1 [ 1 -2 ]\n", -EBADMSG, ":1:");
	refused_go("SCHED xms: gomaxprocs=2 runqueue=1 [ 1 2 ]\n", -EBADMSG, "SCHED <n>ms:");
	refused_go("SCHED 1ms: gomaxprocs=two runqueue=1 [ 1 2 ]\n", -EBADMSG, "gomaxprocs=");
	refused_go("SCHED 1ms: gomaxprocs=2 [ 1 2 ]\n", -EBADMSG, "runqueue=");
	refused_go("SCHED 9ms: gomaxprocs=2 runqueue=1 [ 1 2 ]\nSCHED 2ms: gomaxprocs=2 runqueue=1 [ 1 2 ]\n", -EBADMSG,
	           "backwards");
	refused_go("nothing of the kind\n", -ENODATA, "gomaxprocs=2");
	refused_go("SCHED 1ms: gomaxprocs=2 runqueue=0 [ 0 0 ]\n", -ENODATA, "not empty");
	refused_go("SCHED 1ms: gomaxprocs=4 runqueue=1 [ 1 1 1 1 ]\n", -ENODATA, "gomaxprocs=2");
	expect(trace_read_schedtrace(&t, "no/such/file", 2, err, sizeof(err)) == -ENOENT &&
	       strstr(err, "no/such/file"));
}

static void
test_samples(void)
{
	struct trace t;

	expect(read_ours(&t,
	                 "t_us\tglobal\tp0\tp1\n0\t0\t0\t0\n1000\t0\t0\t0\n2500\t7\t5\t1\n3500\t6\t4\t0\n4500\t1") ==
	       0);
	expect(t.procs == 2 && t.n == 4);
	trace_start_at_load(&t);
	expect(t.n == 3 && t.ms[0] == -1.5 && t.ms[1] == 0 && t.ms[2] == 1);
	expect(trace_at(&t, 1)[0] == 7 && trace_at(&t, 2)[2] == 0);
	trace_free(&t);
	expect(read_ours(&t, "t_us\tglobal\tp0\n0\t0\t0\n") == 0 && !trace_loaded(&t));
	trace_start_at_load(&t); // nothing to start at: stays as it is
	expect(t.n == 1);
	trace_free(&t);
}

static void
refused_samples(const char *text, const char *what)
{
	struct trace t;
	int got = read_ours(&t, text);

	expect(got == -EBADMSG);
	expect(strstr(err, what) != NULL);
	if (got == 0)
		trace_free(&t);
}

static void
test_bad_samples(void)
{
	struct trace t;

	refused_samples("", ":1:");
	refused_samples("time\tglobal\tp0\n1\t2\t3\n", ":1:");
	refused_samples("t_us\tlocal\tp0\n1\t2\t3\n", ":1:");
	refused_samples("t_us\tglobal\tp1\n1\t2\t3\n", ":1:");
	refused_samples("t_us\tglobal\n1\t2\n", ":1:");
	refused_samples("t_us\tglobal\tp0\n", "no sample");
	refused_samples("t_us\tglobal\tp0\n1\t2\t3\n2\t2\n", ":3:");
	refused_samples("t_us\tglobal\tp0\n1\t2\t3\t4\n", ":2:");
	refused_samples("t_us\tglobal\tp0\n1\t2\t-3\n", ":2:");
	refused_samples("t_us\tglobal\tp0\nsoon\t2\t3\n", ":2:");
	refused_samples("t_us\tglobal\tp0\n9\t2\t3\n8\t2\t3\n", "backwards");
	expect(trace_read_samples(&t, "no/such/file", err, sizeof(err)) == -ENOENT);
}

struct seen {
	struct trace_event event[32];
	int n;
};

static void
note(void *arg, const struct trace_event *e)
{
	struct seen *s = arg;

	if (s->n < 32)
		s->event[s->n++] = *e;
}

static bool
is(const struct trace_event *e, enum trace_kind kind, double ms, int p, int n, int level)
{
	return e->kind == kind && e->ms == ms && e->p == p && e->n == n && e->level == level;
}

static void
test_events(void)
{
	static const int samples[][4] = {
		{ 0, 0, 0, 0 },
		{ 390, 200, 127, 0 },   // a spill; the local queues grow with it, which says nothing
		{ 262, 199, 126, 127 }, // a batch of 128 for P2
		{ 261, 198, 125, 126 }, // one goroutine: the global tick
		{ 0, 197, 124, 300 },   // more than the batch: no story
		{ 0, 98, 200, 299 },    // P1 takes 77, but no other lost so many .. P0 lost 99
		{ 0, 98, 199, 298 },    // each ran one
		{ 0, 90, 198, 299 },    // by one: not told from a wake-up
		{ 0, 90, 300, 298 },    // P1 grows by 102, nobody lost as many: spawned there
	};
	struct seen s = { .n = 0 };
	struct trace t;

	trace_init(&t, 3);
	for (int i = 0; i < 9; i++)
		trace_add(&t, i, samples[i]);
	trace_events(&t, note, &s);
	expect(s.n == 6);
	expect(is(&s.event[0], TRACE_SPILL, 1, -1, 390, 390));
	expect(is(&s.event[1], TRACE_BATCH, 2, -1, 128, 262));
	expect(is(&s.event[2], TRACE_REFILL, 2, 2, 127, 127));
	expect(is(&s.event[3], TRACE_BATCH, 4, -1, 261, 0));
	expect(is(&s.event[4], TRACE_REFILL, 4, 2, 174, 300));
	expect(is(&s.event[5], TRACE_STEAL, 5, 1, 76, 200));
	trace_free(&t);
}

// Two refills and a theft between two samples: the batch pays for what it can, and a fall for the rest.
static void
test_events_shared(void)
{
	static const int samples[][5] = { { 100, 80, 0, 0, 0 }, { 60, 40, 24, 14, 30 } };
	struct seen s = { .n = 0 };
	struct trace t;

	trace_init(&t, 4);
	trace_add(&t, 0, samples[0]);
	trace_add(&t, 1, samples[1]);
	trace_events(&t, note, &s);
	expect(s.n == 5);
	expect(is(&s.event[1], TRACE_BATCH, 1, -1, 40, 60));
	expect(is(&s.event[2], TRACE_REFILL, 1, 3, 30, 30));
	expect(is(&s.event[3], TRACE_STEAL, 1, 1, 24, 24));
	expect(is(&s.event[4], TRACE_STEAL, 1, 2, 14, 14));
	trace_free(&t);
}

static void
written(void (*writer)(const struct trace *, FILE *), const struct trace *t, const char *want)
{
	char text[2048] = "";
	FILE *f = fmemopen(text, sizeof(text), "w");

	writer(t, f);
	fclose(f);
	expect(!strcmp(text, want));
	if (strcmp(text, want))
		fprintf(stderr, "got:\n%s", text);
}

static void
write_grid(const struct trace *t, FILE *f)
{
	trace_write_grid(t, f, 2);
}

static void
test_writers(void)
{
	static const int samples[][3] = {
		{ 5, 3, 0 }, { 5, 3, 0 }, { 4, 9, 2 }, { 4, 1, 2 }, { 4, 1, 2 }, { 4, 1, 2 }
	};
	struct trace t;

	trace_init(&t, 2);
	for (int i = 0; i < 6; i++)
		trace_add(&t, 2 * i, samples[i]);
	written(trace_write, &t, "t_ms\tglobal\tp0\tp1\n0\t5\t3\t0\n4\t4\t9\t2\n6\t4\t1\t2\n10\t4\t1\t2\n");
	written(trace_write_summary, &t, "t_ms\tlongest\tmean\n0\t3\t1.5\n4\t9\t5.5\n6\t2\t1.5\n10\t2\t1.5\n");
	written(write_grid, &t, "t_ms\tp\tlength\n2.5\t0\t9\n7.5\t0\t9\n2.5\t1\t2\n7.5\t1\t2\n");
	trace_free(&t);
}

int
main(void)
{
	test_real_go_trace();
	test_old_go_form_and_other_lines();
	test_only_first_repetition();
	test_bad_go_traces();
	test_samples();
	test_bad_samples();
	test_events();
	test_events_shared();
	test_writers();
	return expect_done(&expected);
}
