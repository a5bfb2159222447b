// SPDX-License-Identifier: MIT
// compare_text.h: what the parts of the table for people share: where it goes, and what the notes below must explain.
#ifndef EXPERIMENTS_MNLAB_COMPARE_TEXT_H
#define EXPERIMENTS_MNLAB_COMPARE_TEXT_H

#include "experiments/mnlab/compare_out.h"

struct out {
	FILE *f;
	bool colour;
	const struct cmp *c;
	const struct cmp_request *q;
	int name_width;    // of the factor's column
	bool hide_equal;   // leave out blocks without any difference
	size_t hidden;     // how many
	size_t same;       // left out because the factor has no effect in them
	bool star, reused; // these marks occur, and need their note
	size_t doubtful;   // verdicts without a star
};

enum style { PLAIN, BOLD, DIM, GREEN, RED, GREEN_BOLD, RED_BOLD };

__attribute__((format(printf, 3, 4))) void out_put(const struct out *, enum style, const char *format, ...);

// " key=value .." of a block: those that tell it apart from the workload's other blocks, or those that all of them share.
void out_keys(const struct out *, const struct cmp_block *, bool apart, enum style);

// The blocks, a line a value, under one heading.
void out_blocks(struct out *);

// Blocks in which the factor has no effect are shown on demand only.
bool out_may_show(const struct out *, const struct cmp_block *);

const char *out_factor(const struct out *);

#endif
