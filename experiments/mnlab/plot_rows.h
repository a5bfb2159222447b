// SPDX-License-Identifier: MIT
// plot_rows.h: the stored rows as the charts see them: one observation a row, and which observations belong to a point.
//
// A chart shows five factors: workload, policy, procs, local_cap and the round. Everything else that a matrix may vary
// is held at one value (the most frequent one, the default among equals), so that a point never mixes two machines or
// two settings; what is left out thereby is counted and said.
#ifndef EXPERIMENTS_MNLAB_PLOT_ROWS_H
#define EXPERIMENTS_MNLAB_PLOT_ROWS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum { PLOT_WORD = 40, PLOT_PARAMS = 256 };

struct obs {
	const json_t *row;
	char workload[PLOT_WORD];
	char params[PLOT_PARAMS]; // "grain_ns=5000000 tasks=200", keys sorted
	char policy[PLOT_WORD];   // half/random, none, global, serial, threads
	int procs, local_cap, round;
	bool sim, tainted;
	double wall_ns;
	double speedup; // against the serial run of its round; NaN when there is none
};

struct obs_list {
	struct obs *obs;
	size_t n;
	size_t held_back; // rows that differ in a factor that no chart shows
};

// A point of a chart.
struct point_key {
	const char *workload, *policy;
	int procs, local_cap;
};

// Has each P a queue of its own (with or without stealing)? Is it a policy of the library, and not a baseline?
bool policy_has_local_queues(const char *policy);
bool policy_is_scheduled(const char *policy);

// The rows that count (rows_final) of real or of simulated machines. Returns 0 or -ENOMEM.
int obs_load(const json_t *rows, bool sim, struct obs_list *all);

// Narrows all to what a chart of many policies compares: one setting of the hidden options, and for each workload its
// parameters with the most rows.
int obs_comparable(const struct obs_list *all, struct obs_list *out);
void obs_free(struct obs_list *);

// The observations of a point, at most one a round, in the order of rounds. Cells that differ only in a factor without
// effect are run once, so a point takes an equivalent cell's rows when it has none of its own. Returns how many of them
// were put into out[0..size).
size_t obs_of_point(const struct obs_list *, const struct point_key *, const struct obs **out, size_t size);

// Distinct values present, in the order in which charts show them. Return the count, at most size.
size_t obs_workloads(const struct obs_list *, const char **out, size_t size);
size_t obs_policies(const struct obs_list *, const char **out, size_t size);
size_t obs_procs(const struct obs_list *, int *out, size_t size);
size_t obs_caps(const struct obs_list *, int *out, size_t size);

// local_cap that a chart of one cap shows: 256 if present, else the largest.
int obs_usual_cap(const struct obs_list *);

#endif
