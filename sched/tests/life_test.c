// SPDX-License-Identifier: MIT
// life_test: a thousand runs in one process leave nothing behind: no thread, no descriptor, no mapping, no memory, and the
// calling thread as it was.
#include <dirent.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sched/tests/rig.h"

enum { WARM_UP = 20, RUNS = 1000 / RIG_SLOWER, CHILDREN = 40 };

static char samples[] = "/tmp/mn-life-XXXXXX";

static void
count_up(void *count)
{
	add_relaxed((_Atomic int *)count, 1);
	mn_yield();
}

static void
call(void *count)
{
	mn_syscall_enter();
	mn_syscall_exit();
	mn_blocking_enter();
	mn_blocking_exit();
	add_relaxed((_Atomic int *)count, 1);
}

static void
child_of_its_own_size(void *count)
{
	add_relaxed((_Atomic int *)count, 1);
}

static void
some_of_everything(void *count)
{
	struct mn_go_attr large = { .stack_kb = 256 };

	for (int i = 0; i < CHILDREN; i++) {
		mn_go(count_up, count);
		mn_join(mn_spawn(count_up, count));
	}
	for (int i = 0; i < 4; i++)
		mn_go(call, count);
	mn_go_with(&large, child_of_its_own_size, count);
}

// What one run differs in from the next.
static const char *
way(int i)
{
	static const char *const ways[] = { "procs=%d",
		                            "procs=%d local_cap=4 steal=one",
		                            "procs=%d queue=global stack_kb=16",
		                            "procs=%d pin=close",
		                            "procs=%d sample_us=100 sample_file=%s",
		                            "procs=%d handoff=immediate victim=nearest",
		                            "procs=%d stack_kb=8 runnext=off spin=none" };
	static char text[256];

	// Literals, of the table above.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-extra-args"
	snprintf(text, sizeof(text), ways[i % (int)array_len(ways)], 1 + i % 4, samples);
#pragma GCC diagnostic pop
	return text;
}

static void
run_once(int i)
{
	_Atomic int count = 0;

	EXPECT_EQ(rig_run(way(i), some_of_everything, (void *)&count), 0);
	EXPECT_EQ(load_relaxed(&count), 2 * CHILDREN + 5);
}

// ---- What a process holds

static int
entries(const char *folder)
{
	DIR *d = opendir(folder);
	int n = 0;

	if (!d)
		return -1;
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

static int
lines(const char *path)
{
	FILE *f = fopen(path, "re");
	int n = 0;

	if (!f)
		return -1;
	for (int c = getc(f); c != EOF; c = getc(f))
		n += c == '\n';
	fclose(f);
	return n;
}

struct holdings {
	int threads, files, maps;
	size_t bytes;
};

static struct holdings
take_stock(void)
{
	struct holdings h = { entries("/proc/self/task"), entries("/proc/self/fd"), lines("/proc/self/maps"), 0 };

	h.bytes = mallinfo2().uordblks;
	return h;
}

// The caller's alone; ThreadSanitizer has one of its own. One that has been joined is gone from the list a moment later.
static void
await_end_of_threads(void)
{
	int n = 2 + 1 + MN_TSAN; // with . and ..

	while (entries("/proc/self/task") > n)
		sched_yield();
}

// The C library keeps stacks of ended threads, as many as ever lived at once, which varies; so a few mappings and some memory
// of its own may come and go. One leaked by each run would be far more.
enum { MAPS_MAY = 60, BYTES_MAY = 8 * 1024 };

static void
test_runs_leave_nothing_behind(void)
{
	struct holdings before, after;

	for (int i = 0; i < WARM_UP; i++)
		run_once(i);
	await_end_of_threads();
	before = take_stock();
	for (int i = 0; i < RUNS; i++)
		run_once(i);
	await_end_of_threads();
	after = take_stock();
	EXPECT_EQ(after.threads, before.threads);
	EXPECT_EQ(after.files, before.files);
	EXPECT(after.maps < before.maps + MAPS_MAY);
	if (!MN_ASAN && !MN_TSAN)
		EXPECT(after.bytes < before.bytes + BYTES_MAY);
	fprintf(stderr, "maps %d -> %d, bytes %zu -> %zu\n", before.maps, after.maps, before.bytes, after.bytes);
}

// Refusals must leave as little as runs.
static void
refuse_once(int i)
{
	struct mn_options o;

	rig_options(&o, "procs=2");
	if (i % 2) {
		snprintf(o.pin, sizeof(o.pin), "60000");
	} else {
		o.sample_us = 1000;
		snprintf(o.sample_file, sizeof(o.sample_file), "/no/such/folder/samples");
	}
	EXPECT(mn_run(&o, count_up, (void *)(_Atomic int[1]){ 0 }) < 0);
}

static void
test_failed_runs_leave_nothing_behind(void)
{
	struct holdings before, after;

	for (int i = 0; i < WARM_UP; i++)
		refuse_once(i);
	await_end_of_threads();
	before = take_stock();
	for (int i = 0; i < RUNS / 4; i++)
		refuse_once(i);
	await_end_of_threads();
	after = take_stock();
	EXPECT_EQ(after.threads, before.threads);
	EXPECT_EQ(after.files, before.files);
	EXPECT(after.maps < before.maps + MAPS_MAY);
	if (!MN_ASAN && !MN_TSAN)
		EXPECT(after.bytes < before.bytes + BYTES_MAY);
}

// ---- The calling thread

struct mine {
	cpu_set_t cpus;
	sigset_t blocked;
	pthread_t self;
};

static struct mine
look_at_myself(void)
{
	struct mine m;

	memset(&m, 0, sizeof(m));
	EXPECT_EQ(sched_getaffinity(0, sizeof(m.cpus), &m.cpus), 0);
	pthread_sigmask(SIG_BLOCK, NULL, &m.blocked);
	m.self = pthread_self();
	return m;
}

static void
expect_unchanged(const char *options)
{
	struct mine before = look_at_myself(), after;
	_Atomic int count = 0;

	EXPECT_EQ(rig_run(options, some_of_everything, (void *)&count), 0);
	after = look_at_myself();
	EXPECT(CPU_EQUAL(&before.cpus, &after.cpus));
	EXPECT(memcmp(&before.blocked, &after.blocked, sizeof(before.blocked)) == 0);
	EXPECT(pthread_equal(before.self, after.self));
}

static void
test_caller_is_given_back_unchanged(void)
{
	sigset_t some, old;

	expect_unchanged("procs=4");
	expect_unchanged("procs=4 pin=close");
	expect_unchanged("procs=1 pin=spread");
	sigemptyset(&some);
	sigaddset(&some, SIGUSR1);
	sigaddset(&some, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &some, &old);
	expect_unchanged("procs=4");
	expect_unchanged("procs=2 pin=close");
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

// ---- Signals are the caller's business

static _Atomic int bad_masks;

static void
expect_all_blocked(void *first)
{
	sigset_t now;

	pthread_sigmask(SIG_BLOCK, NULL, &now);
	if (pthread_equal(pthread_self(), *(pthread_t *)first) ? sigismember(&now, SIGUSR2)
	                                                       : !sigismember(&now, SIGUSR2))
		add_relaxed(&bad_masks, 1);
	mn_yield();
}

static void
spawn_mask_lookers(void *first)
{
	for (int i = 0; i < 200; i++)
		mn_go(expect_all_blocked, first);
}

static void
test_threads_of_ours_take_no_signals(void)
{
	pthread_t self = pthread_self();

	for (int n = 1; n <= 4; n++)
		EXPECT_EQ(rig_run_at("procs=%d", n, spawn_mask_lookers, &self), 0);
	EXPECT_EQ(load_relaxed(&bad_masks), 0);
}

// What a thread's cache of freed memory holds counts as used, and grows for long. The C library reads this at the start only.
static void
begin_without_cache(char **argv)
{
	static const char off[] = "glibc.malloc.tcache_count=0";
	const char *now = getenv("GLIBC_TUNABLES");

	if (now && strcmp(now, off) == 0)
		return;
	setenv("GLIBC_TUNABLES", off, 1);
	execv(argv[0], argv);
}

int
main(int argc, char **argv)
{
	int fd;

	(void)argc;
	begin_without_cache(argv);
	fd = mkstemp(samples);
	// One heap, so that what it holds does not depend on which threads met.
	mallopt(M_ARENA_MAX, 1);
	EXPECT(fd >= 0);
	close(fd);
	RUN(test_runs_leave_nothing_behind);
	RUN(test_failed_runs_leave_nothing_behind);
	RUN(test_caller_is_given_back_unchanged);
	RUN(test_threads_of_ours_take_no_signals);
	unlink(samples);
	return test_result();
}
