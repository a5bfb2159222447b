// SPDX-License-Identifier: MIT
// compare_data.h: the stored rows as compare sees them: for each repetition its configuration, a text per key, and its
// time. Sorted, so that repetitions of one configuration, and configurations that differ only in the compared factor,
// stand together.
//
// Which keys of a row make up its configuration is decided here by name: workload, its parameters and version, runtime,
// sim, and the scheduler's options. Everything else in a row is measured or bookkeeping. A list of the latter would
// break the grouping in silence on the day a row gets one more of them.
#ifndef EXPERIMENTS_MNLAB_COMPARE_DATA_H
#define EXPERIMENTS_MNLAB_COMPARE_DATA_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct mn_option_info;

enum { CMP_WORKLOADS_MAX = 64 };

struct cmp_key {
	const char *name;                    // as in the row
	const struct mn_option_info *option; // NULL: not an option
	bool param;                          // of the workload, found in the row's "params"
};

struct cmp_obs {
	const json_t *row;
	char **value;        // by key, as text; NULL: the row does not say
	const char *machine; // of the row; rounds of different machines or binaries are no pairs
	const char *binary;
	long round;
	double time; // the metric, ns
};

// Repetitions of one configuration: obs[first .. first + n) of the data, in the order of their rounds.
struct cmp_config {
	size_t first, n;
	bool *idle_key; // by key: has no effect in this configuration (compare_alias.h)
};

struct cmp_data {
	struct cmp_key *key;
	size_t keys, factor; // factor: index of the compared key; it is the last in the order of sorting
	struct cmp_obs *obs;
	size_t n;
	struct cmp_config *config;
	size_t configs;
	size_t tainted, failed; // repetitions left out (tainted: counted even when they are let in)
	json_t *final;          // owns the rows
};

struct cmp_request {
	const char *dir, *factor, *base, *metric;
	bool json, force, all, tainted;
};

// Zeroed memory. Out of memory, a report has nothing left to save: one line on stderr and exit code 1.
void *cmp_alloc(size_t n, size_t size);

// Fills *d from rows (rows_load). Returns 0; -EINVAL: no usable rows, unknown factor, or one that does not vary;
// -EBADMSG: a row that no run writes; -EXDEV: rows of several machines or binaries, without force. One line in err.
int cmp_data_load(struct cmp_data *d, const json_t *rows, const struct cmp_request *, char *err, size_t size);
void cmp_data_free(struct cmp_data *);

// The value of a key in a configuration, NULL when absent.
const char *cmp_value(const struct cmp_data *, const struct cmp_config *, size_t key);

// Equal, or both absent.
bool cmp_same_text(const char *a, const char *b);

// Order of two values of a key: as the option lists its words, numbers by size, else by alphabet; absent first.
int cmp_value_order(const struct cmp_key *, const char *a, const char *b);

// Distinct values of a key over all rows in that order; returns how many, at most size are stored.
size_t cmp_values(const struct cmp_data *, size_t key, const char **out, size_t size);

#endif
