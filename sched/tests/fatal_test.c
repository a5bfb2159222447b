// SPDX-License-Identifier: MIT
// fatal_test: what ends the process does so with status 2 and exactly one line on stderr; each case dies in a child process.
// And an environment that is wrong keeps a run from starting, with a line that says what is allowed.
// Opens sched/core/park.h, to make mistakes that the public calls do not allow.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "sched/core/park.h"
#include "sched/tests/rig.h"

static void
expect_death(const char *what, void (*fn)(void), const char *text)
{
	struct rig_end end;
	const char *said;

	rig_fork(fn, &end);
	EXPECT(WIFEXITED(end.status));
	EXPECT_EQ(WEXITSTATUS(end.status), 2);
	said = end.text;
	// AddressSanitizer complains, on lines before ours, of a stack that it was not told of.
	if (MN_ASAN && strlen(said) > strlen(text))
		said += strlen(said) - strlen(text);
	EXPECT(strcmp(said, text) == 0);
	if (strcmp(said, text) != 0)
		fprintf(stderr, "%s: said \"%s\", expected \"%s\"\n", what, end.text, text);
}

#define DEATH(fn, text) expect_death(#fn, fn, text)

// ---- Deadlocks

static const char deadlock[] = "fatal error: all goroutines are asleep - deadlock!\n";

static struct mn_wait_group never;
static _Atomic(struct mn_task *) child_a, child_b;

static void
wait_for_ever(void *unused)
{
	(void)unused;
	mn_wait_group_add(&never, 1);
	mn_wait_group_wait(&never);
}

static void
main_waits_for_ever(void)
{
	rig_run("procs=1", wait_for_ever, NULL);
}

static void
main_waits_for_ever_at_four(void)
{
	rig_run("procs=4", wait_for_ever, NULL);
}

static void
return_at_once(void *unused)
{
	(void)unused;
}

static void
leave_one_behind(void *unused)
{
	for (int i = 0; i < 100; i++)
		mn_go(return_at_once, unused);
	mn_go(wait_for_ever, unused);
}

static void
main_has_ended_another_waits(void)
{
	rig_run("procs=4", leave_one_behind, NULL);
}

static void
join_the_other(void *task)
{
	_Atomic(struct mn_task *) *other = task;

	do
		mn_yield();
	while (!load_acquire(other));
	mn_join(load_acquire(other));
}

static void
cross_join(void *unused)
{
	(void)unused;
	store_release(&child_a, mn_spawn(join_the_other, &child_b));
	store_release(&child_b, mn_spawn(join_the_other, &child_a));
}

static void
two_join_each_other(void)
{
	rig_run("procs=1", cross_join, NULL);
}

static void
two_join_each_other_at_four(void)
{
	rig_run("procs=4", cross_join, NULL);
}

static void
join_now(void *task)
{
	mn_join(load_acquire((_Atomic(struct mn_task *) *)task));
}

static void
join_each_other_now(void *unused)
{
	(void)unused;
	store_release(&child_a, mn_spawn(join_now, &child_b));
	store_release(&child_b, mn_spawn(join_now, &child_a));
	mn_join(load_acquire(&child_b));
}

// b, run in place by main, joins a, which it finds in the queue and runs in place too; and a joins b.
static void
two_join_each_other_on_one_stack(void)
{
	rig_run("procs=1", join_each_other_now, NULL);
}

static void
announce_a_call_first(void *unused)
{
	mn_blocking_enter();
	mn_blocking_exit();
	wait_for_ever(unused);
}

static void
deadlock_after_a_blocking_call(void)
{
	rig_run("procs=2", announce_a_call_first, NULL);
}

static void
test_deadlocks(void)
{
	DEATH(main_waits_for_ever, deadlock);
	DEATH(main_waits_for_ever_at_four, deadlock);
	DEATH(main_has_ended_another_waits, deadlock);
	DEATH(two_join_each_other, deadlock);
	DEATH(two_join_each_other_at_four, deadlock);
	DEATH(two_join_each_other_on_one_stack, deadlock);
	DEATH(deadlock_after_a_blocking_call, deadlock);
}

// ---- Misuse

static const char negative[] = "fatal error: sync: negative WaitGroup counter\n";

static void
done_too_often(void *unused)
{
	struct mn_wait_group group = { 0 };

	(void)unused;
	mn_wait_group_add(&group, 1);
	mn_wait_group_done(&group);
	mn_wait_group_done(&group);
}

static void
one_done_too_many(void)
{
	rig_run("procs=1", done_too_often, NULL);
}

static void
add_less_than_there_is(void *unused)
{
	struct mn_wait_group group = { 0 };

	(void)unused;
	mn_wait_group_add(&group, 2);
	mn_wait_group_add(&group, -3);
}

static void
add_goes_below_zero(void)
{
	rig_run("procs=4", add_less_than_there_is, NULL);
}

static void
add_twice_the_most(void *unused)
{
	struct mn_wait_group group = { 0 };

	(void)unused;
	mn_wait_group_add(&group, INT32_MAX);
	mn_wait_group_add(&group, 1);
}

static void
add_goes_over_the_top(void)
{
	rig_run("procs=1", add_twice_the_most, NULL);
}

static void
ready_myself(void *unused)
{
	(void)unused;
	mn_ready(mn_self_g());
}

static void
ready_of_one_that_runs(void)
{
	rig_run("procs=1", ready_myself, NULL);
}

static struct g *sleeper;

static void
sleep_for_ever(void *unused)
{
	sleeper = mn_self_g();
	wait_for_ever(unused);
}

static void
ready_twice(void *unused)
{
	mn_go(sleep_for_ever, unused);
	mn_yield();
	mn_ready(sleeper);
	mn_ready(sleeper);
}

static void
ready_of_one_that_is_ready(void)
{
	rig_run("procs=1", ready_twice, NULL);
}

static void
spawn_in_a_call(void *unused)
{
	mn_blocking_enter();
	mn_go(return_at_once, unused);
}

static void
spawn_between_enter_and_exit(void)
{
	rig_run("procs=1", spawn_in_a_call, NULL);
}

static void
enter_a_call_in_a_call(void *unused)
{
	(void)unused;
	mn_blocking_enter();
	mn_syscall_enter();
}

static void
enter_twice(void)
{
	rig_run("procs=1", enter_a_call_in_a_call, NULL);
}

static void
enter_a_kept_call_twice(void *unused)
{
	(void)unused;
	mn_syscall_enter();
	mn_syscall_enter();
}

static void
enter_twice_with_the_p(void)
{
	rig_run("procs=1 handoff=none", enter_a_kept_call_twice, NULL);
}

static void
return_from_a_call(void *unused)
{
	(void)unused;
	mn_syscall_enter();
}

static void
end_in_a_call(void)
{
	rig_run("procs=1 handoff=none", return_from_a_call, NULL);
}

// A broken invariant names its place: file, line, condition.
static void
expect_broken(void (*fn)(void), const char *condition)
{
	struct rig_end end;

	rig_fork(fn, &end);
	EXPECT(WIFEXITED(end.status) && WEXITSTATUS(end.status) == 2);
	EXPECT(strncmp(end.text, "fatal error: ", 13) == 0);
	EXPECT(strstr(end.text, ": broken: ") != NULL && strstr(end.text, condition) != NULL);
	EXPECT(strchr(end.text, '\n') == end.text + strlen(end.text) - 1);
}

static void
test_calls_in_a_call(void)
{
	DEATH(spawn_between_enter_and_exit, "fatal error: mn_go called between mn_syscall_enter and mn_syscall_exit\n");
	DEATH(enter_twice, "fatal error: mn_syscall_enter called between mn_syscall_enter and mn_syscall_exit\n");
	expect_broken(enter_twice_with_the_p, "G_RUNNING");
	expect_broken(end_in_a_call, "G_RUNNING");
}

static void
test_misuse(void)
{
	DEATH(one_done_too_many, negative);
	DEATH(add_goes_below_zero, negative);
	DEATH(add_goes_over_the_top, negative);
	DEATH(ready_of_one_that_runs, "fatal error: bad g->status in ready: goroutine 1 has status 2, not waiting\n");
	DEATH(ready_of_one_that_is_ready,
	      "fatal error: bad g->status in ready: goroutine 2 has status 1, not waiting\n");
}

// ---- Stacks

// The sanitizers' own calls need more than the smallest holds.
enum { SMALL_KB = MN_ASAN || MN_TSAN ? 8 : 2 };

// Writes over all that lies below this frame, and past the low end.
static NOINLINE void
fill_down(void)
{
	size_t n = stack_left(mn_self_g()->stack) + 64;
	volatile char *at = __builtin_alloca(n);

	for (size_t i = n; i-- > 0;)
		at[i] = 1;
}

static void
use_too_much(void *unused)
{
	(void)unused;
	fill_down();
	mn_yield();
}

// The first stack of a size lies lowest and belongs to one that only waits: the next overruns nobody who still runs.
static void
overflow(void *unused)
{
	struct mn_go_attr small = { .stack_kb = SMALL_KB };

	mn_go_with(&small, wait_for_ever, unused);
	mn_yield();
	mn_go_with(&small, use_too_much, unused);
	mn_yield();
}

static void
small_stack_overflows(void)
{
	rig_run("procs=1", overflow, NULL);
}

static void
test_overflow_of_a_small_stack(void)
{
	char text[128];

	snprintf(text, sizeof(text), "fatal error: stack overflow in goroutine 3 (%d KiB)\n", SMALL_KB);
	DEATH(small_stack_overflows, text);
}

static void
overflow_default(void *unused)
{
	use_too_much(unused);
	_exit(0);
}

static void
default_stack_overflows(void)
{
	rig_run("procs=1", overflow_default, NULL);
}

// A guard page ends it on the spot; where none was to be had, the canary at the next switch.
static void
test_overflow_of_a_guarded_stack(void)
{
	struct rig_end end;

	rig_fork(default_stack_overflows, &end);
	EXPECT(!WIFEXITED(end.status) || WEXITSTATUS(end.status) != 0);
}

// ---- A wrong environment

static const char all_options[] =
        "procs, steal, victim, local_cap, queue, runnext, global_tick, steal_tries, spin, handoff, preempt, slice_us, "
        "threads_max, "
        "threads_full, pin, yield_to, stack_kb, spin_us, schedtrace_ms, sample_us, sample_file, seed";

static const struct {
	const char *name, *value, *line; // NULL: unknown option; the list is added
} wrong[] = {
	{ "MN_STEAL", "haf", "MN_STEAL: steal=haf; allowed: half, one, all, none" },
	{ "MN_STEAL", "", "MN_STEAL: steal=; allowed: half, one, all, none" },
	{ "GOMAXPROCS", "0", "GOMAXPROCS: procs=0; allowed: auto, 1..1024" },
	{ "GOMAXPROCS", "1025", "GOMAXPROCS: procs=1025; allowed: auto, 1..1024" },
	{ "GOMAXPROCS", "-1", "GOMAXPROCS: procs=-1; allowed: auto, 1..1024" },
	{ "GOMAXPROCS", "x", "GOMAXPROCS: procs=x; allowed: auto, 1..1024" },
	{ "MN_PROCS", "0", "MN_PROCS: procs=0; allowed: auto, 1..1024" },
	{ "MN_LOCAL_CAP", "0", "MN_LOCAL_CAP: local_cap=0; allowed: 1..4096" },
	{ "MN_STACK_KB", "48", "MN_STACK_KB: stack_kb=48; allowed: 2..8192, a power of two" },
	{ "MN_SEED", "-1", "MN_SEED: seed=-1; allowed: random, or a whole number up to 2^64-1" },
	{ "MN_STEEL", "half", NULL },
	{ "MN_STEAL_", "half", NULL },
};

static void
never_called(void *unused)
{
	(void)unused;
	EXPECT(false);
}

static void
expect_refused(const char *name, const char *value, const char *line)
{
	struct mn_options o;
	char want[MN_ERROR_MAX], err[MN_ERROR_MAX] = "";

	if (!line) {
		char option[64];

		snprintf(option, sizeof(option), "%s", name + 3);
		for (char *c = option; *c; c++)
			*c = (char)(*c == '_' ? '_' : *c | 32);
		snprintf(want, sizeof(want), "%s: unknown option %s; options: %s", name, option, all_options);
		line = want;
	}
	rig_clear_environment();
	setenv(name, value, 1);
	mn_options_init(&o);
	EXPECT(strcmp(o.error, line) == 0);
	if (strcmp(o.error, line) != 0)
		fprintf(stderr, "%s=%s: said \"%s\", expected \"%s\"\n", name, value, o.error, line);
	EXPECT_EQ(mn_options_check(&o, err, sizeof(err)), -EINVAL);
	EXPECT(strcmp(err, line) == 0);
	EXPECT_EQ(mn_run(&o, never_called, NULL), -EINVAL);
	EXPECT_EQ(mn_run(NULL, never_called, NULL), -EINVAL);
	unsetenv(name);
}

static void
test_wrong_environment_is_refused(void)
{
	for (size_t i = 0; i < array_len(wrong); i++)
		expect_refused(wrong[i].name, wrong[i].value, wrong[i].line);
	EXPECT_EQ(mn_run(NULL, return_at_once, NULL), 0);
}

int
main(void)
{
	RUN(test_deadlocks);
	RUN(test_misuse);
	RUN(test_calls_in_a_call);
	RUN(test_overflow_of_a_small_stack);
	RUN(test_overflow_of_a_guarded_stack);
	RUN(test_wrong_environment_is_refused);
	return test_result();
}
