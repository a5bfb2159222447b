// SPDX-License-Identifier: MIT
// micro_wake.c: how long a goroutine that has become runnable waits for another core to take it up.
//
// Two Ps, each bound to a core of its own. Goroutine 1 starts another one and stays busy without giving way, so the
// second P must be woken, or be searching, and steal it. runnext is off: a thief leaves that slot alone for a while on
// purpose, which is another question.
//   wake/parked    the other M is asleep: a futex wake and a theft. Most of the time goes to the operating system
//   wake/spinning  the other M is still looking for work: a theft alone
//   wake/steal     a hundred at once for a P that is already awake: the cost of one goroutine stolen in a batch
//   wake/handoff   two goroutines wake each other through wait groups, there and back
#include "experiments/micro.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

// ---- One goroutine, taken up elsewhere -----------------------------------------------------------------------------

struct wake {
	_Atomic int64_t started; // when the second goroutine ran, ns; 0: not yet
	int64_t pause_ns;        // how long nothing happens between two wakes
	int64_t *sample;         // latencies; one a turn
	int64_t room, turns;
};

static void
note_start(void *arg)
{
	struct wake *w = arg;

	atomic_store_explicit(&w->started, micro_now(), memory_order_release);
}

static void
busy(int64_t ns)
{
	for (int64_t end = micro_now() + ns; micro_now() < end;)
		;
}

static int64_t
one_wake(struct wake *w)
{
	int64_t start = micro_now(), started;

	atomic_store_explicit(&w->started, 0, memory_order_relaxed);
	mn_go(note_start, w);
	while (!(started = atomic_load_explicit(&w->started, memory_order_acquire)))
		;
	return started - start;
}

static int64_t
wake_often(int64_t n, void *arg)
{
	struct wake *w = arg;
	int64_t sum = 0;

	w->turns = 0;
	for (int64_t i = 0; i < n; i++) {
		int64_t ns;

		busy(w->pause_ns);
		ns = one_wake(w);
		sum += ns;
		if (w->turns < w->room)
			w->sample[w->turns++] = ns;
	}
	return sum;
}

// Two Ps and what else is said, bound to cores if there are two. On one, what is measured is the kernel's time slice.
static void
run_on_two(struct gbench_state *s, const char *more, micro_body body, void *arg)
{
	char options[256];
	cpu_set_t cpus;
	bool two = !sched_getaffinity(0, sizeof(cpus), &cpus) && CPU_COUNT(&cpus) > 1;

	snprintf(options, sizeof(options), "procs=2 runnext=off preempt=off pin=%s %s", two ? "spread" : "none", more);
	micro_run(s, options, body, arg);
	if (!two)
		gbench_label(s, "one CPU: this is the kernel's time slice");
}

static void
bench_wake(struct gbench_state *s, void *options)
{
	enum { ROOM = 1 << 16 };
	struct wake w = { .pause_ns = gbench_arg(s, 0) * 1000, .room = ROOM };

	w.sample = malloc(ROOM * sizeof(*w.sample));
	if (!w.sample) {
		gbench_skip(s, "no memory");
		return;
	}
	run_on_two(s, options, wake_often, &w);
	micro_percentiles(s, w.sample, w.turns);
	free(w.sample);
}

// ---- Many at once --------------------------------------------------------------------------------------------------

enum { BATCH = 100 }; // fits the local queue

static void
count(void *counter)
{
	atomic_fetch_add_explicit((_Atomic int64_t *)counter, 1, memory_order_relaxed);
}

static int64_t
steal_batches(int64_t n, void *arg)
{
	_Atomic int64_t done = 0;
	int64_t started = 0;

	(void)arg;
	while (started < n) {
		for (int i = 0; i < BATCH && started < n; i++, started++)
			mn_go(count, &done);
		while (atomic_load_explicit(&done, memory_order_relaxed) < started)
			;
	}
	return -1;
}

static void
bench_steal(struct gbench_state *s, void *arg)
{
	(void)arg;
	run_on_two(s, "spin_us=1000", steal_batches, NULL);
}

// ---- There and back ------------------------------------------------------------------------------------------------

// Each side waits on its own group, and makes the other's ready for the next round before it lets that one go.
struct sides {
	struct mn_wait_group here, there;
	int64_t rounds;
};

static void
answer(void *arg)
{
	struct sides *w = arg;

	for (int64_t i = 0; i < w->rounds; i++) {
		mn_wait_group_wait(&w->there);
		mn_wait_group_add(&w->there, 1);
		mn_wait_group_done(&w->here);
	}
}

static int64_t
there_and_back(int64_t n, void *arg)
{
	struct sides w = { .rounds = n };
	struct mn_task *other;

	(void)arg;
	mn_wait_group_add(&w.there, 1);
	other = mn_spawn(answer, &w);
	if (!other)
		return -1;
	for (int64_t i = 0; i < n; i++) {
		mn_wait_group_add(&w.here, 1);
		mn_wait_group_done(&w.there);
		mn_wait_group_wait(&w.here);
	}
	mn_join(other);
	return -1;
}

static void
bench_handoff(struct gbench_state *s, void *arg)
{
	char options[64];

	(void)arg;
	snprintf(options, sizeof(options), "procs=%d", (int)gbench_arg(s, 0));
	micro_run(s, options, there_and_back, NULL);
}

static void
register_all(void)
{
	static char parked[] = "spin_us=0", spinning[] = "spin_us=1000";
	static const int64_t long_pause = 200, short_pause = 5, procs[] = { 1, 2 };
	static const char *const pause_name[] = { "pause_us" }, *const procs_name[] = { "procs" };
	struct gbench_options o = { .manual_time = true, .arg_rows = 1, .arg_count = 1, .arg_names = pause_name };
	struct gbench_options both = {
		.manual_time = true, .args = procs, .arg_rows = 2, .arg_count = 1, .arg_names = procs_name
	};

	o.iterations = micro_size(5000);
	o.args = &long_pause;
	micro_register("wake/parked", bench_wake, parked, &o);
	o.args = &short_pause;
	micro_register("wake/spinning", bench_wake, spinning, &o);
	o = (struct gbench_options){ .manual_time = true };
	micro_register("wake/steal", bench_steal, NULL, &o);
	micro_register("wake/handoff", bench_handoff, NULL, &both);
}

int
main(int argc, char **argv)
{
	return micro_main(argc, argv, register_all);
}
