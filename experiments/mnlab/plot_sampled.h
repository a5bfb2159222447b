// SPDX-License-Identifier: MIT
// plot_sampled.h: which sampled run the queue chart shows, and the Go trace that belongs to it.
#ifndef EXPERIMENTS_MNLAB_PLOT_SAMPLED_H
#define EXPERIMENTS_MNLAB_PLOT_SAMPLED_H

#include "experiments/mnlab/plot_rows.h"

// A trace of plots/data (its README.md describes them), and the run that it was taken of.
struct sampled_reference {
	const char *file, *title;
	int tasks, grain_ns, procs;
};

// The run to draw, and of how many repetitions of its cell it is the one with the median time: neither the best nor the
// oddest. NULL: none was sampled.
const struct obs *sampled_choose(const struct obs_list *, size_t *of);

// The Go trace of the same run, or NULL.
const struct sampled_reference *sampled_reference_of(const struct obs *);

// Its file of samples, as the row names it, or NULL; a parameter of its workload, 0 if it has none of that name.
const char *sampled_file(const struct obs *);
long sampled_param(const struct obs *, const char *name);

#endif
