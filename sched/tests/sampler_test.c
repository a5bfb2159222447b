// SPDX-License-Identifier: MIT
// sampler_test: the file of queue lengths: its head, its times, its bounds, and what happens when it cannot be written.
// Opens sched/core/runq.h, whose length the sampler reads while others move it.
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sched/core/runq.h"
#include "sched/tests/rig.h"

enum { ROWS = 20, CAP = 32, PROCS = 4, BURST = 1000 };

static char path[] = "/tmp/mn-samples-XXXXXX";

static int64_t
now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void
work(void *unused)
{
	(void)unused;
	for (int i = 0; i < 200; i++)
		cpu_pause();
}

// One goroutine spawns all the others, so that queues fill, spill and are stolen from, until the time is over.
static void
skewed(void *arg)
{
	int64_t end = now_ms() + *(int *)arg;

	do {
		for (int i = 0; i < BURST; i++)
			mn_go(work, NULL);
		mn_yield();
	} while (now_ms() < end);
}

struct samples {
	int rows, columns;
	unsigned long longest, longest_global;
	bool times_increase;
	char head[256];
};

static void
read_row(char *line, struct samples *s, long *before)
{
	char *rest = line;
	long t = strtol(rest, &rest, 10);
	unsigned long global = strtoul(rest, &rest, 10);
	int columns = 2;

	s->times_increase = s->times_increase && t > *before;
	*before = t;
	if (global > s->longest_global)
		s->longest_global = global;
	for (; *rest == '\t'; columns++) {
		unsigned long n = strtoul(rest, &rest, 10);

		if (n > s->longest)
			s->longest = n;
	}
	EXPECT_EQ(columns, s->columns);
	EXPECT(*rest == '\n');
	s->rows++;
}

static struct samples
read_samples(void)
{
	struct samples s = { .columns = 2 + PROCS, .times_increase = true };
	FILE *f = fopen(path, "re");
	char line[1024];
	long before = -1;

	EXPECT(f != NULL);
	if (!f || !fgets(s.head, sizeof(s.head), f))
		return s;
	while (fgets(line, sizeof(line), f))
		read_row(line, &s, &before);
	fclose(f);
	return s;
}

// How many samples a time brings depends on the machine; so the time doubles until there are enough.
static void
test_samples_of_a_skewed_run(void)
{
	struct samples s = { 0 };

	for (int ms = 20; s.rows < ROWS; ms *= 2) {
		char options[256];

		snprintf(options, sizeof(options), "procs=%d local_cap=%d sample_us=100 sample_file=%s", PROCS, CAP,
		         path);
		EXPECT_EQ(rig_run(options, skewed, &ms), 0);
		s = read_samples();
		EXPECT(strcmp(s.head, "t_us\tglobal\tp0\tp1\tp2\tp3\n") == 0);
		EXPECT(s.times_increase);
		EXPECT(s.longest <= CAP);
		EXPECT(s.longest_global <= BURST + PROCS * CAP);
	}
}

static void
return_at_once(void *unused)
{
	(void)unused;
}

// A run too short for a sample has a file all the same.
static void
test_short_run_has_a_head(void)
{
	char options[256];

	snprintf(options, sizeof(options), "procs=%d sample_us=1000000 sample_file=%s", PROCS, path);
	EXPECT_EQ(rig_run(options, return_at_once, NULL), 0);
	EXPECT(strcmp(read_samples().head, "t_us\tglobal\tp0\tp1\tp2\tp3\n") == 0);
}

static void
set_flag(void *flag)
{
	*(int *)flag = 1;
}

static void
test_unwritable_file(void)
{
	int ran = 0;

	EXPECT_EQ(rig_run("procs=1 sample_us=100 sample_file=/no/such/folder/x", set_flag, &ran), -ENOENT);
	EXPECT_EQ(rig_run("procs=1 sample_us=100 sample_file=/", set_flag, &ran), -EISDIR);
	if (access("/dev/full", W_OK) == 0)
		EXPECT(rig_run("procs=1 sample_us=100 sample_file=/dev/full", set_flag, &ran) < 0);
	EXPECT_EQ(ran, 1);
	EXPECT_EQ(rig_total().finished, 1);
	EXPECT_EQ(rig_run("procs=1", return_at_once, NULL), 0);
}

// ---- A length read while the ring turns

static struct runq ring;
static _Atomic int over;

static void *
turn(void *unused)
{
	struct g *g = (struct g *)(void *)&ring;

	while (!load_relaxed(&over)) {
		for (int i = 0; i < CAP; i++)
			runq_put(&ring, g);
		for (int i = 0; i < CAP; i++)
			runq_get(&ring);
	}
	return unused;
}

// The ring never holds more than its cap, and whoever only looks must not see more: not even one whom the system stops between
// his two looks.
static void
test_length_seen_by_others(void)
{
	pthread_t owner;
	uint32_t longest = 0;

	EXPECT_EQ(mn_runq_init(&ring, CAP, false), 0);
	EXPECT_EQ(pthread_create(&owner, NULL, turn, NULL), 0);
	for (int i = 0; i < 3000000 / RIG_SLOWER; i++) {
		uint32_t n = runq_len_seen(&ring);

		if (n > longest)
			longest = n;
	}
	store_relaxed(&over, 1);
	pthread_join(owner, NULL);
	EXPECT(longest <= CAP);
	mn_runq_release(&ring);
}

int
main(void)
{
	int fd = mkstemp(path);

	EXPECT(fd >= 0);
	close(fd);
	RUN(test_samples_of_a_skewed_run);
	RUN(test_short_run_has_a_head);
	RUN(test_unwritable_file);
	RUN(test_length_seen_by_others);
	unlink(path);
	return test_result();
}
