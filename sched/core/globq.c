// SPDX-License-Identifier: MIT
// globq.c: chunks in, chunks out.
#include "sched/core/globq.h"

#include <stdlib.h>
#include <string.h>

static void
free_chunks(struct chunk **list)
{
	for (struct chunk *c = *list, *next; c; c = next) {
		next = c->next;
		free(c);
	}
	*list = NULL;
}

void
mn_globq_release(struct globq *q)
{
	free_chunks(&q->head);
	free_chunks(&q->spare);
	q->tail = NULL;
	q->max = 0;
	store_relaxed(&q->len, 0);
}

// One is what yields bring and take: not worth a call.
static void
copy(struct g **to, struct g *const *from, uint32_t n)
{
	if (n == 1)
		*to = *from;
	else
		memcpy(to, from, n * sizeof(struct g *));
}

static struct chunk *
new_chunk_locked(struct globq *q)
{
	struct chunk *c = q->spare;

	if (c)
		q->spare = c->next;
	else if (!(c = malloc(sizeof(*c))))
		mn_throw("out of memory for the global run queue (%llu goroutines)",
		         (unsigned long long)load_relaxed(&q->len));
	c->next = NULL;
	c->first = c->end = 0;
	return c;
}

static void
append_chunk_locked(struct globq *q)
{
	struct chunk *c = new_chunk_locked(q);

	if (q->tail)
		q->tail->next = c;
	else
		q->head = c;
	q->tail = c;
}

static void
drop_head_locked(struct globq *q)
{
	struct chunk *c = q->head;

	if (c == q->tail) { // it stays, for what comes next
		c->first = c->end = 0;
		return;
	}
	q->head = c->next;
	c->next = q->spare;
	q->spare = c;
}

static void
grown_locked(struct globq *q, uint64_t len)
{
	store_release(&q->len, len); // GQ
	if (len > q->max)
		q->max = len;
}

void
mn_globq_put(struct globq *q, struct g *const *g, uint32_t n)
{
	spin_lock(&q->lock);
	for (uint32_t done = 0; done < n;) {
		if (!q->tail || q->tail->end == CHUNK_CAP)
			append_chunk_locked(q);
		struct chunk *c = q->tail;
		uint32_t k = CHUNK_CAP - c->end < n - done ? CHUNK_CAP - c->end : n - done;

		copy(c->g + c->end, g + done, k);
		c->end += k;
		done += k;
	}
	grown_locked(q, load_relaxed(&q->len) + n);
	spin_unlock(&q->lock);
}

// Rare: chunks of their own go to the front, the last of g first.
void
mn_globq_put_front(struct globq *q, struct g *const *g, uint32_t n)
{
	spin_lock(&q->lock);
	for (uint32_t left = n; left > 0;) {
		uint32_t k = left < CHUNK_CAP ? left : CHUNK_CAP;
		struct chunk *c = new_chunk_locked(q);

		left -= k;
		copy(c->g, g + left, k);
		c->end = k;
		c->next = q->head;
		q->head = c;
		if (!q->tail)
			q->tail = c;
	}
	grown_locked(q, load_relaxed(&q->len) + n);
	spin_unlock(&q->lock);
}

static uint32_t
take_locked(struct globq *q, struct g **out, uint32_t n)
{
	uint64_t len = load_relaxed(&q->len);
	uint32_t done = 0;

	if (n > len)
		n = (uint32_t)len;
	while (done < n) {
		struct chunk *c = q->head;
		uint32_t k = c->end - c->first < n - done ? c->end - c->first : n - done;

		copy(out + done, c->g + c->first, k);
		c->first += k;
		done += k;
		if (c->first == c->end)
			drop_head_locked(q);
	}
	store_release(&q->len, len - n); // GQ
	return n;
}

uint32_t
mn_globq_get(struct globq *q, struct g **out, uint32_t n)
{
	spin_lock(&q->lock);
	n = take_locked(q, out, n);
	spin_unlock(&q->lock);
	return n;
}

uint32_t
mn_globq_get_share(struct globq *q, struct g **out, uint32_t limit, uint32_t procs)
{
	spin_lock(&q->lock);
	uint64_t share = load_relaxed(&q->len) / procs + 1;

	limit = take_locked(q, out, share < limit ? (uint32_t)share : limit);
	spin_unlock(&q->lock);
	return limit;
}
