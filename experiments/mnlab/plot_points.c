// SPDX-License-Identifier: MIT
// plot_points.c: which observations belong to a point of a chart, and which points there are. See plot_rows.h.
//
// Which cells behave the same is told here a second time after moot.h: a chart asks for a point that may have no cell of
// its own, and knows of it no more than its four coordinates.
#include "experiments/mnlab/plot_rows.h"

#include <stdlib.h>
#include <string.h>

bool
policy_has_local_queues(const char *policy)
{
	return strchr(policy, '/') || !strcmp(policy, "none");
}

bool
policy_is_scheduled(const char *policy)
{
	return policy_has_local_queues(policy) || !strcmp(policy, "global");
}

// ---- Points --------------------------------------------------------------------------------------------------------

// How well o stands for the point: 2 it is the very cell, 1 a cell that behaves the same, 0 another cell.
static int
fit(const struct obs *o, const struct point_key *k)
{
	bool same = !strcmp(o->policy, k->policy);

	if (strcmp(o->workload, k->workload))
		return 0;
	if (!policy_is_scheduled(k->policy))
		return !same ? 0 : o->procs == k->procs ? 2 : 1;
	if (o->procs != k->procs)
		return 0;
	if (!strcmp(k->policy, "global"))
		return !same ? 0 : o->local_cap == k->local_cap ? 2 : 1;
	if (o->local_cap != k->local_cap)
		return 0;
	return same ? 2 : k->procs == 1 && policy_has_local_queues(o->policy) && policy_has_local_queues(k->policy);
}

static int
by_round(const void *a, const void *b)
{
	const struct obs *x = *(const struct obs *const *)a, *y = *(const struct obs *const *)b;

	return (x->round > y->round) - (x->round < y->round);
}

static bool
has_round(const struct obs *const *out, size_t n, int round)
{
	for (size_t i = 0; i < n; i++) {
		if (out[i]->round == round)
			return true;
	}
	return false;
}

size_t
obs_of_point(const struct obs_list *list, const struct point_key *k, const struct obs **out, size_t size)
{
	size_t n = 0;

	for (int wanted = 2; wanted >= 1 && n == 0; wanted--) {
		for (size_t i = 0; i < list->n && n < size; i++) {
			if (fit(&list->obs[i], k) == wanted && !has_round(out, n, list->obs[i].round))
				out[n++] = &list->obs[i];
		}
	}
	qsort(out, n, sizeof(*out), by_round);
	return n;
}

// ---- Distinct values -----------------------------------------------------------------------------------------------

// Place in the charts' fixed order; what is not listed comes after, by name.
static int
place(const char *name)
{
	// clang-format off
	static const char *const order[] = {
		"uniform", "skewed", "zipf", "bounce", "burst", "syscall", "tight", "timers", "echo",
		"forkjoin", "skynet", "nqueens", "uts", "pingpong", "ring", "prodcons", "mutex",
		"half/random", "half/most-loaded", "half/two-choices", "half/round-robin", "half/nearest",
		"one/random", "one/most-loaded", "one/two-choices", "one/round-robin", "one/nearest",
		"all/random", "all/most-loaded", "all/two-choices", "all/round-robin", "all/nearest",
		"none", "global", "threads", "evloop", NULL };
	// clang-format on
	int i = 0;

	while (order[i] && strcmp(order[i], name))
		i++;
	return i;
}

static int
by_place(const void *a, const void *b)
{
	const char *x = *(const char *const *)a, *y = *(const char *const *)b;
	int d = place(x) - place(y);

	return d ? d : strcmp(x, y);
}

static size_t
add_name(const char **out, size_t n, size_t size, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(out[i], name))
			return n;
	}
	if (n < size)
		out[n++] = name;
	return n;
}

size_t
obs_workloads(const struct obs_list *list, const char **out, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++)
		n = add_name(out, n, size, list->obs[i].workload);
	qsort(out, n, sizeof(*out), by_place);
	return n;
}

size_t
obs_policies(const struct obs_list *list, const char **out, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++) {
		if (strcmp(list->obs[i].policy, "serial"))
			n = add_name(out, n, size, list->obs[i].policy);
	}
	qsort(out, n, sizeof(*out), by_place);
	return n;
}

static int
by_int(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

static size_t
add_int(int *out, size_t n, size_t size, int value)
{
	for (size_t i = 0; i < n; i++) {
		if (out[i] == value)
			return n;
	}
	if (n < size)
		out[n++] = value;
	return n;
}

// Baselines outside the library have no procs and no cap that would mean anything.
size_t
obs_procs(const struct obs_list *list, int *out, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++) {
		if (policy_is_scheduled(list->obs[i].policy))
			n = add_int(out, n, size, list->obs[i].procs);
	}
	qsort(out, n, sizeof(*out), by_int);
	return n;
}

size_t
obs_caps(const struct obs_list *list, int *out, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++) {
		if (policy_has_local_queues(list->obs[i].policy))
			n = add_int(out, n, size, list->obs[i].local_cap);
	}
	qsort(out, n, sizeof(*out), by_int);
	return n;
}

int
obs_usual_cap(const struct obs_list *list)
{
	int caps[64];
	size_t n = obs_caps(list, caps, 64);

	for (size_t i = 0; i < n; i++) {
		if (caps[i] == 256)
			return 256;
	}
	return n ? caps[n - 1] : 256;
}
