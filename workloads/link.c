// SPDX-License-Identifier: MIT
// link.c: queues of messages for goroutines and for threads.
#include "workloads/link.h"

#include <errno.h>
#include <stdlib.h>

#include "sched/mn.h"

static int
open_for_threads(struct link *l, size_t capacity)
{
	l->capacity = capacity ? capacity : 1;
	l->slot = malloc(l->capacity * sizeof(*l->slot));
	if (!l->slot)
		return -ENOMEM;
	pthread_mutex_init(&l->lock, NULL);
	pthread_cond_init(&l->filled, NULL);
	pthread_cond_init(&l->emptied, NULL);
	return 0;
}

int
link_open(struct link *l, size_t capacity, bool in_goroutines)
{
	*l = (struct link){ 0 };
	if (!in_goroutines)
		return open_for_threads(l, capacity);
	l->chan = mn_chan_new(sizeof(struct message), capacity);
	return l->chan ? 0 : -ENOMEM;
}

void
link_free(struct link *l)
{
	if (l->chan) {
		mn_chan_free(l->chan);
		return;
	}
	pthread_cond_destroy(&l->emptied);
	pthread_cond_destroy(&l->filled);
	pthread_mutex_destroy(&l->lock);
	free(l->slot);
}

struct link *
links_open(long n, size_t capacity, bool in_goroutines)
{
	struct link *l = malloc((size_t)n * sizeof(*l));

	if (!l)
		return NULL;
	for (long i = 0; i < n; i++) {
		if (link_open(&l[i], capacity, in_goroutines) != 0) {
			links_free(l, i);
			return NULL;
		}
	}
	return l;
}

void
links_free(struct link *l, long n)
{
	for (long i = 0; i < n; i++)
		link_free(&l[i]);
	free(l);
}

static void
send_between_threads(struct link *l, const struct message *m)
{
	pthread_mutex_lock(&l->lock);
	while (l->n == l->capacity)
		pthread_cond_wait(&l->emptied, &l->lock);
	l->slot[(l->first + l->n++) % l->capacity] = *m;
	pthread_mutex_unlock(&l->lock);
	pthread_cond_signal(&l->filled);
}

static bool
recv_between_threads(struct link *l, struct message *m)
{
	pthread_mutex_lock(&l->lock);
	while (l->n == 0 && !l->closed)
		pthread_cond_wait(&l->filled, &l->lock);
	bool got = l->n > 0;

	if (got) {
		*m = l->slot[l->first];
		l->first = (l->first + 1) % l->capacity;
		l->n--;
	}
	pthread_mutex_unlock(&l->lock);
	pthread_cond_signal(&l->emptied);
	return got;
}

void
link_send(struct link *l, const struct message *m)
{
	if (l->chan)
		mn_chan_send(l->chan, m);
	else
		send_between_threads(l, m);
}

bool
link_recv(struct link *l, struct message *m)
{
	return l->chan ? mn_chan_recv(l->chan, m) : recv_between_threads(l, m);
}

void
link_close(struct link *l)
{
	if (l->chan) {
		mn_chan_close(l->chan);
		return;
	}
	pthread_mutex_lock(&l->lock);
	l->closed = true;
	pthread_mutex_unlock(&l->lock);
	pthread_cond_broadcast(&l->filled);
}
