// SPDX-License-Identifier: MIT
// arrivals.c: a list sorted by round and a finger into it.
#include "sched/model/arrivals.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/model/model.h"

struct mn_arrival {
	size_t order; // of adding
	int round, p, work;
	char *name;
};

static int
by_round_then_order(const void *x, const void *y)
{
	const struct mn_arrival *a = x, *b = y;

	if (a->round != b->round)
		return a->round < b->round ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

int
mn_arrivals_add(struct mn_arrivals *a, int round, int p, const char *name, int work)
{
	char *copy;

	if (a->count == a->room) {
		size_t room = a->room ? 2 * a->room : 16;
		struct mn_arrival *list = reallocarray(a->list, room, sizeof(*list));

		if (!list)
			return -ENOMEM;
		a->list = list;
		a->room = room;
	}
	copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	a->list[a->count] =
	        (struct mn_arrival){ .round = round, .order = a->count, .p = p, .work = work, .name = copy };
	a->count++;
	return 0;
}

int
mn_arrivals_spawn(struct mn_arrivals *a, struct mn_model *m)
{
	if (a->next == 0 && a->count > 0)
		qsort(a->list, a->count, sizeof(*a->list), by_round_then_order);
	for (; a->next < a->count && a->list[a->next].round <= a->round; a->next++) {
		const struct mn_arrival *one = &a->list[a->next];

		if (mn_model_spawn_on(m, one->p, one->name, one->work) < 0)
			return -ENOMEM;
	}
	return 0;
}

int
mn_arrivals_step(struct mn_arrivals *a, struct mn_model *m)
{
	int ran = mn_model_step(m);

	if (ran > 0)
		a->round++;
	if (ran != 0 || a->next == a->count)
		return ran;
	a->round = a->list[a->next].round;
	return 1;
}

void
mn_arrivals_clear(struct mn_arrivals *a)
{
	for (size_t i = 0; i < a->count; i++)
		free(a->list[i].name);
	free(a->list);
	*a = (struct mn_arrivals){ 0 };
}
