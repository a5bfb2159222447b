// SPDX-License-Identifier: MIT
// sync_once_test: one call, and nobody returns before its end.
#include <string.h>

#include "sched/tests/rig.h"

static const int procs[] = { 1, 2, 4 };

enum { CALLERS = 100 };

static struct mn_once once;
static int calls, made; // plain: mn_once_do orders them
static _Atomic int wrong, returned;

// Takes its time, so that others come meanwhile.
static void
make(void *arg)
{
	calls++;
	for (int i = 0; i < 20; i++)
		mn_yield();
	made = *(const int *)arg;
}

static void
call(void *arg)
{
	mn_once_do(&once, make, arg);
	if (made != *(const int *)arg || calls != 1)
		add_relaxed(&wrong, 1);
	add_relaxed(&returned, 1);
}

static void
call_from_many(void *arg)
{
	for (int i = 0; i < CALLERS; i++)
		mn_go(call, arg);
}

static void
test_once_is_one_call_and_all_wait_for_its_end(void)
{
	static int want = 42;

	for (size_t i = 0; i < array_len(procs); i++) {
		memset(&once, 0, sizeof(once));
		calls = made = 0;
		store_relaxed(&wrong, 0);
		store_relaxed(&returned, 0);
		EXPECT_EQ(rig_run_at("procs=%d", procs[i], call_from_many, &want), 0);
		EXPECT_EQ(calls, 1);
		EXPECT_EQ(load_relaxed(&wrong), 0);
		EXPECT_EQ(load_relaxed(&returned), CALLERS);
	}
}

static void
fail(void *unused)
{
	(void)unused;
	add_relaxed(&wrong, 1);
}

static void
call_another(void *arg)
{
	mn_once_do(&once, make, arg);
	mn_once_do(&once, fail, NULL);
}

static void
test_a_second_function_is_not_called(void)
{
	static int want = 7;

	memset(&once, 0, sizeof(once));
	calls = 0;
	store_relaxed(&wrong, 0);
	EXPECT_EQ(rig_run("procs=1", call_another, &want), 0);
	EXPECT_EQ(calls, 1);
	EXPECT_EQ(load_relaxed(&wrong), 0);
}

int
main(void)
{
	RUN(test_once_is_one_call_and_all_wait_for_its_end);
	RUN(test_a_second_function_is_not_called);
	return test_result();
}
