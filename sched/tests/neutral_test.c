// SPDX-License-Identifier: MIT
// neutral_test: no policy changes what is computed. Under every combination of steal, victim, spin, queue, runnext and
// local_cap each goroutine counts exactly once and every law holds. The number of Ps goes round with the cap, so that each
// combination of policies meets each number of them.
#include <string.h>

#include "sched/tests/rig.h"

enum { TASKS = 20000 / (RIG_SLOWER > 1 ? 5 * RIG_SLOWER : 1), FAN = 20 };

static _Atomic uint8_t counts[TASKS];
static struct mn_wait_group unfinished;

static void
count(int i)
{
	add_relaxed(&counts[i], 1);
	mn_wait_group_done(&unfinished);
}

static void
leaf(void *at)
{
	int i = (int)((_Atomic uint8_t *)at - counts);

	if (i % 7 == 0)
		mn_yield();
	count(i);
}

// The first of a fan of FAN: starts the others, some to be joined and some not.
static void
fan(void *at)
{
	int first = (int)((_Atomic uint8_t *)at - counts);
	struct mn_task *joined[FAN];
	int n = 0;

	for (int i = first + 1; i < first + FAN; i++)
		if (i % 3 == 0)
			joined[n++] = mn_spawn(leaf, (void *)&counts[i]);
		else
			mn_go(leaf, (void *)&counts[i]);
	if (first % (2 * FAN))
		mn_yield();
	while (n > 0)
		mn_join(joined[--n]);
	count(first);
}

static void
spawn_fans(void *unused)
{
	unfinished = (struct mn_wait_group){ 0 };
	mn_wait_group_add(&unfinished, TASKS);
	for (int i = 0; i < TASKS; i += FAN)
		mn_go(fan, (void *)&counts[i]);
	mn_wait_group_wait(&unfinished);
	(void)unused;
}

static int
miscounted(void)
{
	int wrong = 0;

	for (int i = 0; i < TASKS; i++)
		wrong += load_relaxed(&counts[i]) != 1;
	return wrong;
}

static void
expect_neutral(const char *options)
{
	int before = test_failures;

	memset((void *)counts, 0, sizeof(counts));
	EXPECT_EQ(rig_run(options, spawn_fans, NULL), 0);
	EXPECT_EQ(miscounted(), 0);
	EXPECT_EQ(rig_total().finished, TASKS + 1);
	if (test_failures > before)
		fprintf(stderr, "with %s\n", options);
}

static const char *const *
words_of(const char *name)
{
	for (int k = 0; mn_option_at(k); k++)
		if (strcmp(mn_option_at(k)->name, name) == 0)
			return mn_option_at(k)->values;
	return NULL;
}

// All combinations of the options' words, in the order of a counter's digits.
static const char *const names[] = { "runnext", "queue", "spin", "victim", "steal" };
static int combination;

static void
combine(const char *so_far, size_t depth)
{
	static const int caps[] = { 1, 2, 16, 256 }, procs[] = { 1, 2, 4, 8 };
	char options[256];

	if (depth == array_len(names)) {
		for (size_t c = 0; c < array_len(caps); c++) {
			// The four caps of one combination of words meet the four numbers of Ps, shifted from one to the next.
			snprintf(options, sizeof(options), "seed=7%s local_cap=%d procs=%d", so_far, caps[c],
			         procs[(combination + combination / 4 + combination / 16) % 4]);
			expect_neutral(options);
			combination++;
		}
		return;
	}
	for (const char *const *word = words_of(names[depth]); *word; word++) {
		snprintf(options, sizeof(options), "%s %s=%s", so_far, names[depth], *word);
		combine(options, depth + 1);
	}
}

static void
test_every_combination(void)
{
	combine("", 0);
	EXPECT_EQ(combination, 2 * 2 * 4 * 5 * 4 * 4);
}

int
main(void)
{
	RUN(test_every_combination);
	return test_result();
}
