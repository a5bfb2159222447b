// SPDX-License-Identifier: MIT
// sync_misuse_test: what cannot be reported ends the process, with status 2 and Go's words. Each case runs in a child process.
// Opens sched/sync/mutex.h, to break the word of a mutex.
#include "sched/sync/mutex.h"

#include <string.h>
#include <sys/wait.h>

#include "sched/tests/rig.h"

static struct mn_mutex m;
static struct mn_rwmutex rw;
static struct mn_wait_group wg;
static struct mn_once once;

// ---- Mutex

static void
mutex_unlock(void *unused)
{
	(void)unused;
	mn_mutex_unlock(&m);
}

static void
mutex_unlock_twice(void *unused)
{
	(void)unused;
	mn_mutex_lock(&m);
	mn_mutex_unlock(&m);
	mn_mutex_unlock(&m);
}

static void
mutex_lock_twice(void *unused)
{
	(void)unused;
	mn_mutex_lock(&m);
	mn_mutex_lock(&m);
}

static void
lock_and_die(void *unused)
{
	(void)unused;
	mn_mutex_lock(&m);
	mn_mutex_unlock(&m);
}

// A mutex that was overwritten: handed over to a waiter although locked.
static void
mutex_broken(void *unused)
{
	struct mutex *mutex = mutex_of(&m);

	(void)unused;
	mn_mutex_lock(&m);
	mn_go(lock_and_die, NULL);
	while (load_relaxed(&mutex->state) < MUTEX_WAITER)
		mn_yield();
	store_relaxed(&mutex->state, load_relaxed(&mutex->state) | MUTEX_STARVING | MUTEX_WOKEN);
	mn_mutex_unlock(&m);
	mn_yield();
}

// ---- Readers and writers

static void
read_unlock(void *unused)
{
	(void)unused;
	mn_rwmutex_read_unlock(&rw);
}

static void
read_unlock_twice(void *unused)
{
	(void)unused;
	mn_rwmutex_read_lock(&rw);
	mn_rwmutex_read_unlock(&rw);
	mn_rwmutex_read_unlock(&rw);
}

static void
read_unlock_of_a_writer(void *unused)
{
	(void)unused;
	mn_rwmutex_lock(&rw);
	mn_rwmutex_read_unlock(&rw);
}

static void
write_unlock(void *unused)
{
	(void)unused;
	mn_rwmutex_unlock(&rw);
}

static void
write_unlock_of_a_reader(void *unused)
{
	(void)unused;
	mn_rwmutex_read_lock(&rw);
	mn_rwmutex_unlock(&rw);
}

static void
write_unlock_twice(void *unused)
{
	(void)unused;
	mn_rwmutex_lock(&rw);
	mn_rwmutex_unlock(&rw);
	mn_rwmutex_unlock(&rw);
}

// ---- Wait group

static void
wait_group_below_zero(void *unused)
{
	(void)unused;
	mn_wait_group_add(&wg, 1);
	mn_wait_group_done(&wg);
	mn_wait_group_done(&wg);
}

// The moment in which the count is zero and the waiter not yet told of it.
static void
wait_group_add_beside_wait(void *unused)
{
	(void)unused;
	wg.opaque[0] = 1; // a count of zero, one waiter
	mn_wait_group_add(&wg, 1);
}

// ---- Once, semaphore, condition

static void
call_again(void *unused)
{
	(void)unused;
	mn_once_do(&once, call_again, NULL);
}

static void
acquire_for_ever(void *unused)
{
	static struct mn_sem s;

	(void)unused;
	mn_sem_acquire(&s);
}

static void
wait_for_ever(void *unused)
{
	static struct mn_cond c;

	(void)unused;
	mn_mutex_lock(&m);
	mn_cond_wait(&c, &m);
}

static void
wait_unlocked(void *unused)
{
	static struct mn_cond c;

	(void)unused;
	mn_cond_wait(&c, &m);
}

#define UNLOCKED  "fatal error: sync: unlock of unlocked mutex\n"
#define RUNLOCKED "fatal error: sync: RUnlock of unlocked RWMutex\n"
#define WUNLOCKED "fatal error: sync: Unlock of unlocked RWMutex\n"
#define DEADLOCK  "fatal error: all goroutines are asleep - deadlock!\n"

static const struct misuse {
	const char *name;
	mn_fn fn;
	const char *text; // begins with
} misuses[] = {
	{ "unlock", mutex_unlock, UNLOCKED },
	{ "unlock twice", mutex_unlock_twice, UNLOCKED },
	{ "lock twice", mutex_lock_twice, DEADLOCK },
	{ "broken mutex", mutex_broken, "fatal error: sync: inconsistent mutex state\n" },
	{ "read_unlock", read_unlock, RUNLOCKED },
	{ "read_unlock twice", read_unlock_twice, RUNLOCKED },
	{ "read_unlock of a writer", read_unlock_of_a_writer, RUNLOCKED },
	{ "rwmutex_unlock", write_unlock, WUNLOCKED },
	{ "rwmutex_unlock of a reader", write_unlock_of_a_reader, WUNLOCKED },
	{ "rwmutex_unlock twice", write_unlock_twice, WUNLOCKED },
	{ "wait group below zero", wait_group_below_zero, "fatal error: sync: negative WaitGroup counter\n" },
	{ "wait group add beside wait", wait_group_add_beside_wait,
	  "fatal error: sync: WaitGroup misuse: Add called concurrently with Wait\n" },
	{ "once within itself", call_again, DEADLOCK },
	{ "semaphore nobody releases", acquire_for_ever, DEADLOCK },
	{ "condition nobody signals", wait_for_ever, DEADLOCK },
	{ "condition without its mutex", wait_unlocked, UNLOCKED },
};

static const struct misuse *now;
static int procs;

static void
in_child(void)
{
	rig_run_at("procs=%d", procs, now->fn, NULL);
}

static void
expect_fatal(const struct misuse *misuse)
{
	struct rig_end end;
	bool as_told;

	now = misuse;
	rig_fork(in_child, &end);
	as_told = WIFEXITED(end.status) && WEXITSTATUS(end.status) == 2 &&
	          strncmp(end.text, misuse->text, strlen(misuse->text)) == 0;
	EXPECT(as_told);
	if (!as_told)
		fprintf(stderr, "%s, procs=%d: status %#x, text: %s\n", misuse->name, procs, (unsigned int)end.status,
		        end.text);
}

static void
test_misuse_is_fatal(void)
{
	for (procs = 1; procs <= 4; procs *= 2)
		for (size_t i = 0; i < array_len(misuses); i++)
			expect_fatal(&misuses[i]);
}

int
main(void)
{
	RUN(test_misuse_is_fatal);
	return test_result();
}
