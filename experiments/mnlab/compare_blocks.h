// SPDX-License-Identifier: MIT
// compare_blocks.h: the comparison itself, free of how it is shown. A block is what differs in the factor only; in it a
// line per value of the factor: its repetitions, its ratio to the base value, what the interval lets one say, and the
// counters that may tell why.
#ifndef EXPERIMENTS_MNLAB_COMPARE_BLOCKS_H
#define EXPERIMENTS_MNLAB_COMPARE_BLOCKS_H

#include "experiments/mnlab/compare_data.h"
#include "experiments/stats/stats.h"

enum cmp_verdict {
	CMP_BASE,          // what the others are compared with
	CMP_BETTER,        // the interval lies below 1
	CMP_WORSE,         // above 1
	CMP_NO_DIFFERENCE, // it holds 1
	CMP_CANNOT_TELL,   // too few pairs of rounds for an interval
	CMP_SAME,          // the factor has no effect here: both are one cell
	CMP_VERDICTS,
};

// The word for it; one word for programs with dashes, for people with spaces.
const char *cmp_verdict_word(enum cmp_verdict);

// NaN: the rows do not have these counters.
struct cmp_evidence {
	double steals_per_task; // thefts that took something, per task
	double raced;           // share of attempts that lost the race for the victim's queue head
	double spills;          // times a full local queue spilled, per repetition
	double idle;            // share of the Ps' time
};

struct cmp_line {
	size_t value;                    // index into cmp->value
	const struct cmp_config *config; // whose rows these are
	bool reused;                     // they were run under another name of the same cell
	double median;                   // ns
	struct stats_interval interval;  // of the median; rank 0: none
	struct stats_ratio ratio;        // to the base line, over n common rounds; n 0: none
	double p_holm;                   // corrected over the whole table; NaN: not part of it
	enum cmp_verdict verdict;
	struct cmp_evidence evidence;
};

struct cmp_block {
	const struct cmp_config *config; // any of it: its keys but the factor are the block's
	struct cmp_line *line;
	size_t lines, base; // base: index of a line
	bool differs;       // some line is another cell than the base
};

struct cmp {
	const struct cmp_data *data;
	double level;
	const char **value; // of the factor, in order
	size_t values, base;
	struct cmp_block *block;
	size_t blocks;
	size_t alone;       // blocks left out: no rows of the base value, or of no other
	size_t comparisons; // lines with an interval, the family of Holm's correction
	size_t hopeless;    // lines with too few pairs for one
};

// -EINVAL with a line in err: no such base value, or no block has rows of two values.
int cmp_compare(struct cmp *, const struct cmp_data *, const struct cmp_request *, char *err, size_t size);
void cmp_free(struct cmp *);

struct cmp_tally {
	size_t verdict[CMP_VERDICTS]; // lines by verdict
	size_t holm;                  // of better and worse: those that outlive Holm's correction
	size_t ratios;
	double median, min, max; // of the blocks' ratios; NaN when there are none
};

// Over the blocks of one workload, or of all (NULL), for one value of the factor.
void cmp_tally(const struct cmp *, size_t value, const char *workload, struct cmp_tally *);
const char *cmp_workload(const struct cmp *, const struct cmp_block *);

#endif
