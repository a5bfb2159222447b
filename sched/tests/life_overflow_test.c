// SPDX-License-Identifier: MIT
// life_overflow_test: a stack that overflows is told by name on every thread and in every size; all other faults end as they would
// without us, and the caller's handlers and alternate stack are given back.
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sched/core/park.h"
#include "sched/tests/rig.h"

// AddressSanitizer has handlers and stacks of its own; ThreadSanitizer's calls need more stack than the smallest have.
enum { SMALLEST_KB = MN_TSAN ? 16 : 2, LARGEST_KB = 8192, GUARDED_KB = 16 };

// Each call uses some more, and what it used is wanted after the next: no compiler makes a loop of it.
static NOINLINE int
dive(volatile char *above)
{
	volatile char here[256];

	here[0] = above ? above[0] : 1;
	here[255] = here[0];
	return here[255] ? dive(here) + here[255] : 0;
}

// Unguarded sizes are found out at the next switch. The neighbour below, which this runs into, only waits.
static NOINLINE void
fill_down(void)
{
	size_t n = stack_left(mn_self_g()->stack) + 64;
	volatile char *at = __builtin_alloca(n);

	for (size_t i = n; i-- > 0;)
		at[i] = 1;
}

static int kb;

static void
use_too_much(void *unused)
{
	(void)unused;
	if (kb >= GUARDED_KB)
		dive(NULL);
	fill_down();
	mn_yield();
}

static struct mn_wait_group never;

static void
wait_for_ever(void *unused)
{
	(void)unused;
	mn_wait_group_add(&never, 1);
	mn_wait_group_wait(&never);
}

static void
two_of_a_size(void *unused)
{
	struct mn_go_attr size = { .stack_kb = kb };

	mn_go_with(&size, wait_for_ever, unused);
	mn_yield();
	mn_go_with(&size, use_too_much, unused);
	mn_yield();
}

static void
overflow_of_that_size(void)
{
	rig_run("procs=1", two_of_a_size, NULL);
}

static void
expect_told(const char *what, void (*fn)(void), int id)
{
	struct rig_end end;
	char text[128];

	snprintf(text, sizeof(text), "fatal error: stack overflow in goroutine %d (%d KiB)\n", id, kb);
	rig_fork(fn, &end);
	EXPECT(WIFEXITED(end.status));
	EXPECT_EQ(WEXITSTATUS(end.status), 2);
	EXPECT(strcmp(end.text, text) == 0);
	if (strcmp(end.text, text) != 0)
		fprintf(stderr, "%s: said \"%s\", expected \"%s\"\n", what, end.text, text);
}

static void
test_every_size_is_told(void)
{
	for (kb = SMALLEST_KB; kb <= LARGEST_KB; kb *= 2)
		expect_told("two of a size", overflow_of_that_size, 3);
}

// ---- On any M

static _Atomic int dive_now;

static void
dive_when_told(void *unused)
{
	(void)unused;
	RIG_WAIT_UNTIL(load_acquire(&dive_now));
	dive(NULL);
}

static void
dive_on_another_m(void *unused)
{
	struct mn_go_attr size = { .stack_kb = kb };

	mn_lock_thread(); // keeps the caller's
	mn_go_with(&size, dive_when_told, unused);
	store_release(&dive_now, 1);
	wait_for_ever(unused);
}

static void
overflow_on_another_m(void)
{
	rig_run("procs=2", dive_on_another_m, NULL);
}

static void
dive_after_moving(void *unused)
{
	for (int i = 0; i < 20; i++) {
		mn_blocking_enter();
		usleep(100);
		mn_blocking_exit();
		mn_yield();
	}
	dive_when_told(unused);
}

static void
dive_somewhere(void *unused)
{
	struct mn_go_attr size = { .stack_kb = kb };

	mn_go_with(&size, dive_after_moving, unused);
	store_release(&dive_now, 1);
	wait_for_ever(unused);
}

static void
overflow_after_moving(void)
{
	rig_run("procs=4", dive_somewhere, NULL);
}

static void
main_dives(void *unused)
{
	(void)unused;
	dive(NULL);
}

static void
overflow_of_main(void)
{
	rig_run("procs=1", main_dives, NULL);
}

static void
test_on_any_m(void)
{
	kb = GUARDED_KB;
	expect_told("another M", overflow_on_another_m, 2);
	expect_told("after moving", overflow_after_moving, 2);
	kb = 64;
	expect_told("main", overflow_of_main, 1);
}

// ---- Other faults

static char *volatile nowhere = (char *)16; // a member of what a NULL pointer points to

__attribute__((no_sanitize("thread"))) static void
touch_nothing(void *unused)
{
	(void)unused;
	*nowhere = 1;
}

static void
touch_nothing_elsewhere(void *unused)
{
	mn_lock_thread();
	mn_go(touch_nothing, unused);
	wait_for_ever(unused);
}

static void
touch_nothing_on_the_callers(void)
{
	rig_run("procs=1", touch_nothing, NULL);
}

static void
touch_nothing_on_an_m(void)
{
	rig_run("procs=2", touch_nothing_elsewhere, NULL);
}

static void
raise_segv(void *unused)
{
	(void)unused;
	kill(getpid(), SIGSEGV);
	for (;;)
		pause();
}

// Sent by somebody, no access to memory: it would not come again by itself.
static void
be_sent_segv(void)
{
	rig_run("procs=1", raise_segv, NULL);
}

static void
expect_signal(void (*fn)(void), int signal)
{
	struct rig_end end;

	rig_fork(fn, &end);
	EXPECT(WIFSIGNALED(end.status));
	EXPECT_EQ(WTERMSIG(end.status), signal);
	EXPECT(!strstr(end.text, "fatal error"));
}

static void
test_other_faults_end_as_ever(void)
{
	if (MN_TSAN) // its own handler speaks and exits
		return;
	expect_signal(touch_nothing_on_the_callers, SIGSEGV);
	expect_signal(touch_nothing_on_an_m, SIGSEGV);
	expect_signal(be_sent_segv, SIGSEGV);
}

// ---- The host's handler

static _Atomic int seen;
static void *volatile seen_at;

static void
say_and_exit(const void *at)
{
	char text[64];
	int n = snprintf(text, sizeof(text), "host: %d at %p\n", SIGSEGV, at);

	_exit(write(STDERR_FILENO, text, (size_t)n) == n ? 7 : 8);
}

static void
tell_and_exit(int signal, siginfo_t *info, void *context)
{
	(void)context;
	EXPECT_EQ(signal, SIGSEGV);
	say_and_exit(info->si_addr);
}

static void
tell_simply(int signal)
{
	EXPECT_EQ(signal, SIGSEGV);
	say_and_exit((void *)16);
}

static void
install(void (*with_info)(int, siginfo_t *, void *), void (*simple)(int))
{
	struct sigaction action = { .sa_flags = with_info ? SA_SIGINFO : 0 };

	sigemptyset(&action.sa_mask);
	if (with_info)
		action.sa_sigaction = with_info;
	else
		action.sa_handler = simple;
	EXPECT_EQ(sigaction(SIGSEGV, &action, NULL), 0);
}

static void
host_with_info(void)
{
	install(tell_and_exit, NULL);
	touch_nothing_on_an_m();
}

static void
host_simple(void)
{
	install(NULL, tell_simply);
	touch_nothing_on_the_callers();
}

static void
host_and_sent(void)
{
	install(NULL, tell_simply);
	be_sent_segv();
}

static void
host_and_overflow(void)
{
	install(tell_and_exit, NULL);
	overflow_of_main();
}

static void
test_the_hosts_handler_is_asked(void)
{
	static void (*const ways[])(void) = { host_with_info, host_simple, host_and_sent };
	char text[64];

	snprintf(text, sizeof(text), "host: %d at 0x10\n", SIGSEGV);
	for (size_t i = 0; i < array_len(ways); i++) {
		struct rig_end end;

		rig_fork(ways[i], &end);
		EXPECT(WIFEXITED(end.status));
		EXPECT_EQ(WEXITSTATUS(end.status), 7);
		EXPECT(strcmp(end.text, text) == 0);
		if (strcmp(end.text, text) != 0)
			fprintf(stderr, "host %zu: said \"%s\"\n", i, end.text);
	}
	kb = 64;
	expect_told("beside a host's handler", host_and_overflow, 1);
}

// A host that mends the fault goes on where it was.
static void *page;

static void
mend(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	seen_at = info->si_addr;
	add_relaxed(&seen, 1);
	mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

static void
touch_the_page(void *unused)
{
	(void)unused;
	*(volatile char *)page = 1;
	EXPECT_EQ(load_relaxed(&seen), 1);
	*(volatile char *)page = 2;
}

static void
ignore_a_sent_one(void *unused)
{
	(void)unused;
	kill(getpid(), SIGSEGV);
	kill(getpid(), SIGSEGV);
}

static void
test_faults_that_the_host_mends(void)
{
	struct sigaction now;

	page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	EXPECT(page != MAP_FAILED);
	install(mend, NULL);
	EXPECT_EQ(rig_run("procs=2", touch_the_page, NULL), 0);
	EXPECT(seen_at == page);
	munmap(page, 4096);
	install(NULL, SIG_IGN);
	EXPECT_EQ(rig_run("procs=1", ignore_a_sent_one, NULL), 0);
	EXPECT_EQ(sigaction(SIGSEGV, NULL, &now), 0);
	EXPECT(now.sa_handler == SIG_IGN);
	install(NULL, SIG_DFL);
}

// ---- Given back

static void
nothing(void *unused)
{
	(void)unused;
}

static void
install_within(void *unused)
{
	(void)unused;
	install(mend, NULL);
}

static void
expect_handler(void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction now;

	EXPECT_EQ(sigaction(SIGSEGV, NULL, &now), 0);
	EXPECT(now.sa_flags & SA_SIGINFO && now.sa_sigaction == handler);
}

static void
test_handler_is_given_back(void)
{
	struct sigaction bus, after;

	EXPECT_EQ(sigaction(SIGBUS, NULL, &bus), 0);
	install(tell_and_exit, NULL);
	EXPECT_EQ(rig_run("procs=2", nothing, NULL), 0);
	expect_handler(tell_and_exit);
	// One that the host installs meanwhile stays too.
	EXPECT_EQ(rig_run("procs=2", install_within, NULL), 0);
	expect_handler(mend);
	EXPECT_EQ(sigaction(SIGBUS, NULL, &after), 0);
	EXPECT(after.sa_handler == bus.sa_handler);
	install(NULL, SIG_DFL);
}

static void
test_alternate_stack_is_given_back(void)
{
	static char mine[64 << 10];
	stack_t own = { .ss_sp = mine, .ss_size = sizeof(mine) }, before, after;

	EXPECT_EQ(sigaltstack(NULL, &before), 0);
	EXPECT_EQ(rig_run("procs=2", nothing, NULL), 0);
	EXPECT_EQ(sigaltstack(NULL, &after), 0);
	EXPECT_EQ(after.ss_flags & SS_DISABLE, before.ss_flags & SS_DISABLE);
	EXPECT_EQ(sigaltstack(&own, NULL), 0);
	EXPECT_EQ(rig_run("procs=2", nothing, NULL), 0);
	EXPECT_EQ(sigaltstack(NULL, &after), 0);
	EXPECT(after.ss_sp == mine && after.ss_size == sizeof(mine) && !(after.ss_flags & SS_DISABLE));
	EXPECT_EQ(sigaltstack(&before, NULL), 0);
}

int
main(void)
{
	if (MN_ASAN)
		return TEST_SKIP;
	RUN(test_every_size_is_told);
	RUN(test_on_any_m);
	RUN(test_other_faults_end_as_ever);
	RUN(test_the_hosts_handler_is_asked);
	RUN(test_faults_that_the_host_mends);
	RUN(test_handler_is_given_back);
	RUN(test_alternate_stack_is_given_back);
	return test_result();
}
