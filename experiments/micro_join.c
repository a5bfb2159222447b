// SPDX-License-Identifier: MIT
// micro_join.c: fork and join. Times are for one spawn with its join.
//
// in_place: the child has not started, and the joiner takes it back and calls it. done: the child has run before the join.
// parked: the child runs after the joiner has parked on it, which takes a switch there and back. fib is the usual tree,
// every node one spawn and one join, with nearly nothing to do in between.
#include "experiments/micro.h"

#include <stdio.h>

static void
empty(void *arg)
{
	(void)arg;
}

static int64_t
join_in_place(int64_t n, void *arg)
{
	(void)arg;
	for (int64_t i = 0; i < n; i++)
		mn_join(mn_spawn(empty, NULL));
	return -1;
}

static int64_t
join_done(int64_t n, void *arg)
{
	(void)arg;
	for (int64_t i = 0; i < n; i++) {
		struct mn_task *child = mn_spawn(empty, NULL);

		mn_yield();
		mn_join(child);
	}
	return -1;
}

// The child gives way once, so that it has started, and is not done, when its parent joins.
static void
yields_once(void *arg)
{
	(void)arg;
	mn_yield();
}

static int64_t
join_parked(int64_t n, void *arg)
{
	(void)arg;
	for (int64_t i = 0; i < n; i++) {
		struct mn_task *child = mn_spawn(yields_once, NULL);

		mn_yield();
		mn_join(child);
	}
	return -1;
}

static void
bench_one(struct gbench_state *s, void *body)
{
	micro_run(s, "procs=1", *(micro_body *)body, NULL);
}

// ---- fib -----------------------------------------------------------------------------------------------------------

struct fib {
	int n;
	int64_t result;
};

static void
fib(void *arg)
{
	struct fib *f = arg, left = { .n = f->n - 1 }, right = { .n = f->n - 2 };
	struct mn_task *child;

	if (f->n < 2) {
		f->result = f->n;
		return;
	}
	child = mn_spawn(fib, &left);
	fib(&right);
	mn_join(child);
	f->result = left.result + right.result;
}

// fib(n) makes fib(n + 1) - 1 spawns.
static int64_t
serial_fib(int n)
{
	int64_t a = 0, b = 1;

	while (n-- > 0) {
		int64_t sum = a + b;

		a = b;
		b = sum;
	}
	return a;
}

struct trees {
	struct fib root;
	int64_t wrong;
};

static int64_t
grow(int64_t n, void *arg)
{
	struct trees *t = arg;

	for (int64_t i = 0; i < n; i++) {
		fib(&t->root);
		t->wrong += t->root.result != serial_fib(t->root.n);
	}
	return -1;
}

static void
bench_fib(struct gbench_state *s, void *arg)
{
	char options[64];
	struct trees t = { .root.n = (int)gbench_arg(s, 1) };

	(void)arg;
	snprintf(options, sizeof(options), "procs=%d", (int)gbench_arg(s, 0));
	micro_run(s, options, grow, &t);
	if (t.wrong)
		gbench_skip(s, "fib: wrong answer");
	gbench_counter(s, "spawns_per_second", (double)(serial_fib(t.root.n + 1) - 1),
	               GBENCH_PER_ITERATION | GBENCH_RATE);
}

static void
register_all(void)
{
	static micro_body bodies[] = { join_in_place, join_done, join_parked };
	static const char *const names[] = { "procs", "n" };
	int64_t n = micro_size(1000000) == 1000000 ? 24 : 8;
	int64_t rows[] = { 1, n, 2, n };
	struct gbench_options one = { .manual_time = true };
	struct gbench_options trees = {
		.manual_time = true, .unit = GBENCH_US, .args = rows, .arg_rows = 2, .arg_count = 2, .arg_names = names
	};

	micro_register("join/in_place", bench_one, &bodies[0], &one);
	micro_register("join/done", bench_one, &bodies[1], &one);
	micro_register("join/parked", bench_one, &bodies[2], &one);
	micro_register("join/fib", bench_fib, NULL, &trees);
}

int
main(int argc, char **argv)
{
	return micro_main(argc, argv, register_all);
}
