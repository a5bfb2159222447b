// SPDX-License-Identifier: MIT
// micro_sync.c: locks and conditions. Times are for one operation, that is a lock with its unlock, or one way of a ping-pong.
//
//   sync/mutex         an empty section. goroutines:1 is the price when nobody else wants it; with 8 on one P they never meet
//                      (nobody gives way in the section), on two the line and the waiters go to and fro
//   sync/mutex_held    the same with a yield in the section: on one P everybody meets it locked
//   sync/rwmutex_read  readers only: one word is written by all
//   sync/sem           two goroutines let each other go through two semaphores
//   sync/cond          the same through a mutex and two conditions
//   sync/once          a once that has been done
#include "experiments/micro.h"

#include <stdio.h>

// Set before each run, then read by its goroutines only, but for the locks.
struct load {
	void (*body)(struct load *l, int64_t n);
	int64_t goroutines, each;
	struct mn_mutex mutex;
	struct mn_rwmutex rwmutex;
	struct mn_wait_group unfinished;
	struct mn_once once;
};

static void
lock_and_unlock(struct load *l, int64_t n)
{
	for (int64_t i = 0; i < n; i++) {
		mn_mutex_lock(&l->mutex);
		mn_mutex_unlock(&l->mutex);
	}
}

static void
lock_yield_unlock(struct load *l, int64_t n)
{
	for (int64_t i = 0; i < n; i++) {
		mn_mutex_lock(&l->mutex);
		mn_yield();
		mn_mutex_unlock(&l->mutex);
	}
}

static void
read_lock_and_unlock(struct load *l, int64_t n)
{
	for (int64_t i = 0; i < n; i++) {
		mn_rwmutex_read_lock(&l->rwmutex);
		mn_rwmutex_read_unlock(&l->rwmutex);
	}
}

static void
nothing(void *unused)
{
	(void)unused;
}

static void
do_once(struct load *l, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		mn_once_do(&l->once, nothing, NULL);
}

static void
work(void *arg)
{
	struct load *l = arg;

	l->body(l, l->each);
	mn_wait_group_done(&l->unfinished);
}

// n operations in all, this goroutine's among them.
static int64_t
share(int64_t n, void *arg)
{
	struct load *l = arg;
	int64_t others = l->goroutines - 1;

	l->each = n / l->goroutines;
	mn_wait_group_add(&l->unfinished, (int)others);
	for (int64_t i = 0; i < others; i++)
		mn_go(work, l);
	l->body(l, n - others * l->each);
	mn_wait_group_wait(&l->unfinished);
	return -1;
}

static void
run_at(struct gbench_state *s, micro_body body, void *arg)
{
	char options[64];

	snprintf(options, sizeof(options), "procs=%d", (int)gbench_arg(s, 0));
	micro_run(s, options, body, arg);
}

static void
bench_load(struct gbench_state *s, void *body)
{
	struct load l = { .body = *(void (**)(struct load *, int64_t))body, .goroutines = gbench_arg(s, 1) };

	run_at(s, share, &l);
}

// ---- Ping-pong -----------------------------------------------------------------------------------------------------

// n counts both ways; each side goes half of them.
struct sems {
	struct mn_sem ping, pong;
	struct mn_wait_group unfinished;
	int64_t rounds;
};

static void
answer_sem(void *arg)
{
	struct sems *p = arg;

	for (int64_t i = 0; i < p->rounds; i++) {
		mn_sem_acquire(&p->ping);
		mn_sem_release(&p->pong);
	}
	mn_wait_group_done(&p->unfinished);
}

static int64_t
ping_sem(int64_t n, void *arg)
{
	struct sems *p = arg;

	p->rounds = (n + 1) / 2;
	mn_wait_group_add(&p->unfinished, 1);
	mn_go(answer_sem, p);
	for (int64_t i = 0; i < p->rounds; i++) {
		mn_sem_release(&p->ping);
		mn_sem_acquire(&p->pong);
	}
	mn_wait_group_wait(&p->unfinished);
	return -1;
}

static void
bench_sem(struct gbench_state *s, void *unused)
{
	struct sems p = { 0 };

	(void)unused;
	run_at(s, ping_sem, &p);
}

struct conds {
	struct mn_mutex mutex;
	struct mn_cond changed[2];
	struct mn_wait_group unfinished;
	int64_t rounds;
	int turn;
};

// Side 0 or 1: waits for its turn, and gives the turn to the other.
static void
take_turns(struct conds *p, int side)
{
	mn_mutex_lock(&p->mutex);
	for (int64_t i = 0; i < p->rounds; i++) {
		while (p->turn != side)
			mn_cond_wait(&p->changed[side], &p->mutex);
		p->turn = !side;
		mn_cond_signal(&p->changed[!side]);
	}
	mn_mutex_unlock(&p->mutex);
}

static void
answer_cond(void *arg)
{
	struct conds *p = arg;

	take_turns(p, 1);
	mn_wait_group_done(&p->unfinished);
}

static int64_t
ping_cond(int64_t n, void *arg)
{
	struct conds *p = arg;

	p->rounds = (n + 1) / 2;
	mn_wait_group_add(&p->unfinished, 1);
	mn_go(answer_cond, p);
	take_turns(p, 0);
	mn_wait_group_wait(&p->unfinished);
	return -1;
}

static void
bench_cond(struct gbench_state *s, void *unused)
{
	struct conds p = { 0 };

	(void)unused;
	run_at(s, ping_cond, &p);
}

// ---- All of them ---------------------------------------------------------------------------------------------------

static void
register_all(void)
{
	static void (*bodies[])(struct load *, int64_t) = { lock_and_unlock, lock_yield_unlock, read_lock_and_unlock,
		                                            do_once };
	static const int64_t few[] = { 1, 1, 1, 8, 2, 8 }, procs[] = { 1, 2 };
	static const char *const names[] = { "procs", "goroutines" };
	struct gbench_options crowd = {
		.manual_time = true, .args = few, .arg_rows = 3, .arg_count = 2, .arg_names = names
	};
	struct gbench_options alone = crowd, pair = crowd;

	alone.arg_rows = 1;
	pair.args = procs;
	pair.arg_rows = 2;
	pair.arg_count = 1;
	micro_register("sync/mutex", bench_load, (void *)&bodies[0], &crowd);
	micro_register("sync/mutex_held", bench_load, (void *)&bodies[1], &crowd);
	micro_register("sync/rwmutex_read", bench_load, (void *)&bodies[2], &crowd);
	micro_register("sync/sem", bench_sem, NULL, &pair);
	micro_register("sync/cond", bench_cond, NULL, &pair);
	micro_register("sync/once", bench_load, (void *)&bodies[3], &alone);
}

int
main(int argc, char **argv)
{
	return micro_main(argc, argv, register_all);
}
