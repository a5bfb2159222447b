// SPDX-License-Identifier: MIT
// rig.h: what the behaviour tests share: a run with options given as text, free of the caller's environment; a function run in
// a child process, for what ends the process; a factor that keeps stress short under sanitizers.
#ifndef SCHED_TESTS_RIG_H
#define SCHED_TESTS_RIG_H

#include <sched.h>

#include "sched/base/atomic.h"
#include "sched/mn.h"
#include "sched/tests/test.h"

// How much less of a stress a sanitized program does.
enum { RIG_SLOWER = MN_TSAN ? 20 : MN_ASAN ? 4 : 1 };

// Defaults, and then what options says: "procs=2 steal=one". An option that is refused ends the program.
void rig_options(struct mn_options *o, const char *options);

// Takes GOMAXPROCS and every MN_ variable out of the environment.
void rig_clear_environment(void);

// mn_run with these options. A broken law is told on stderr.
int rig_run(const char *options, mn_fn fn, void *arg);

// The same with a number put into the text by printf's rules: rig_run_at("procs=%d", 4, fn, arg).
int rig_run_at(const char *options, int n, mn_fn fn, void *arg);

// Counters of the last run.
struct mn_counters rig_total(void);

// What a child process left behind.
struct rig_end {
	int status;       // as of waitpid
	char text[16384]; // its stderr
};

// Forks; the child runs fn and ends with status 0, if it gets that far.
void rig_fork(void (*fn)(void), struct rig_end *end);

// Waits, giving the processor to other threads, but not to other goroutines.
#define RIG_WAIT_UNTIL(condition) \
	while (!(condition))      \
	sched_yield()

#endif
