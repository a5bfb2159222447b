// SPDX-License-Identifier: MIT
// threads.c: one thread a task, in a ring of at most THREADS_ALIVE_MAX that are joined oldest first.
//
// Detached threads behind a counting semaphore would not wait for the oldest, but cannot be waited for to their very
// end, and the sanitizers and the resource counts of a run see that. Tasks are of like length: the oldest is the first
// to end.
#include "workloads/threads.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

struct thread {
	pthread_t id;
	void (*fn)(void *context, long i);
	void *context;
	long i;
};

struct ring {
	pthread_attr_t attr;
	long head, tail; // alive: head <= k < tail, at k modulo the size
	struct thread slot[THREADS_ALIVE_MAX];
};

static void *
enter(void *arg)
{
	struct thread *t = arg;

	t->fn(t->context, t->i);
	return NULL;
}

static void
join_oldest(struct ring *r)
{
	pthread_join(r->slot[r->head++ % THREADS_ALIVE_MAX].id, NULL);
}

// Starts the thread described by *t, joining older ones as long as there is no room for it.
static int
start(struct ring *r, const struct thread *t)
{
	for (;;) {
		if (r->tail - r->head == THREADS_ALIVE_MAX)
			join_oldest(r);
		struct thread *slot = &r->slot[r->tail % THREADS_ALIVE_MAX];

		*slot = *t;
		int error = pthread_create(&slot->id, &r->attr, enter, slot);

		if (error == 0)
			break;
		if (r->head == r->tail)
			return -error;
		join_oldest(r);
	}
	r->tail++;
	return 0;
}

static int
init(struct ring *r)
{
	size_t stack = (size_t)THREADS_STACK_KB * 1024;

	r->head = r->tail = 0;
	if (pthread_attr_init(&r->attr) != 0)
		return -ENOMEM;
	// The least that the system allows may be more; failing here leaves the default size, which is only slower.
	if (stack < (size_t)PTHREAD_STACK_MIN)
		stack = (size_t)PTHREAD_STACK_MIN;
	pthread_attr_setstacksize(&r->attr, stack);
	return 0;
}

int
threads_run(long n, void (*fn)(void *context, long i), void *context)
{
	struct ring *r = malloc(sizeof(*r));
	int error = r ? init(r) : -ENOMEM;

	if (error)
		goto free_ring;
	for (long i = 0; i < n && !error; i++)
		error = start(r, &(struct thread){ .fn = fn, .context = context, .i = i });
	while (r->head < r->tail)
		join_oldest(r);
	pthread_attr_destroy(&r->attr);
free_ring:
	free(r);
	return error;
}
