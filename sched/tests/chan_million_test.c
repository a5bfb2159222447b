// SPDX-License-Identifier: MIT
// chan_million_test: a million goroutines wait on one channel, are all woken, each once; what they weigh and how long it takes is
// printed. Opens the internals of channels to see who waits.
//
// Skipped under sanitizers, which keep books of each stack, and where the memory is not there.
#include <sys/sysinfo.h>
#include <unistd.h>

#include "sched/tests/chan_rig.h"

enum { MILLION = 1000000 };

static struct mn_chan *c;
static _Atomic uint8_t woken[MILLION];
static _Atomic uint32_t nwoken, values;
static bool closes;
static int stack_kb;
static int64_t bytes, park_ns, wake_ns;

static int64_t
resident(void)
{
	long size, pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (!f || fscanf(f, "%ld %ld", &size, &pages) != 2)
		pages = 0;
	if (f)
		fclose(f);
	return (int64_t)pages * sysconf(_SC_PAGESIZE);
}

static void
sleeper(void *arg)
{
	uint32_t i = (uint32_t)(uintptr_t)arg;
	int v = 0;

	if (mn_chan_recv(c, &v) == closes)
		add_relaxed(&chan_wrong, 1);
	add_relaxed(&woken[i], 1);
	add_relaxed(&values, (uint32_t)v);
	add_acq_rel(&nwoken, 1);
}

// Counting walks the whole line: only now and then.
static void
wait_until_all_wait(void)
{
	while (chan_receivers(c) < MILLION)
		for (int i = 0; i < 1000; i++)
			mn_yield();
}

// The conductor has a stack of the default size: it calls libc.
static void
one_million(void *unused)
{
	struct mn_go_attr attr = { .stack_kb = stack_kb };
	int64_t start = mn_os_now(), before = resident();

	(void)unused;
	c = chan_of_int(0);
	for (uintptr_t i = 0; i < MILLION; i++)
		CHECK(mn_go_with(&attr, sleeper, (void *)i) == 0);
	wait_until_all_wait();
	park_ns = mn_os_now() - start;
	bytes = resident() - before;
	start = mn_os_now();
	if (closes)
		mn_chan_close(c);
	else
		for (int i = 0; i < MILLION; i++)
			WRONG_UNLESS(send_int(c, 1));
	YIELD_UNTIL(load_acquire(&nwoken) == MILLION);
	wake_ns = mn_os_now() - start;
	WRONG_UNLESS(chan_receivers(c) == 0);
	mn_chan_free(c);
}

static void
expect_million(int kb, bool by_close, int64_t limit)
{
	closes = by_close;
	stack_kb = kb;
	store_relaxed(&nwoken, 0);
	store_relaxed(&values, 0);
	store_relaxed(&chan_wrong, 0);
	for (int i = 0; i < MILLION; i++)
		store_relaxed(&woken[i], 0);
	EXPECT_EQ(rig_run("procs=2", one_million, NULL), 0);
	EXPECT_EQ(load_relaxed(&chan_wrong), 0);
	for (int i = 0; i < MILLION; i++)
		EXPECT_EQ(load_relaxed(&woken[i]), 1);
	EXPECT_EQ(load_relaxed(&values), by_close ? 0 : MILLION);
	printf("stacks of %d KiB, woken by %s: %lld bytes each, parked in %lld ns each, woken in %lld ns each\n",
	       kb ? kb : 64, by_close ? "close" : "send", (long long)(bytes / MILLION), (long long)(park_ns / MILLION),
	       (long long)(wake_ns / MILLION));
	EXPECT(bytes / MILLION <= limit);
}

static bool
memory_is_there(uint64_t needed)
{
	struct sysinfo s;

	return !sysinfo(&s) && ((uint64_t)s.freeram + s.bufferram) * s.mem_unit >= needed;
}

int
main(void)
{
	enum { SMALL_LIMIT = 2700, DEFAULT_LIMIT = 4700 };

	if (MN_TSAN || MN_ASAN || !memory_is_there((uint64_t)6 << 30)) {
		fprintf(stderr, "skipped: sanitizer, or less than 6 GiB free\n");
		return TEST_SKIP;
	}
	expect_million(2, true, SMALL_LIMIT);
	expect_million(2, false, SMALL_LIMIT);
	expect_million(0, true, DEFAULT_LIMIT);
	return test_result();
}
