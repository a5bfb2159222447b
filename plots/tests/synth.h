// SPDX-License-Identifier: MIT
// synth.h: a results folder made up from a formula, for tests of the charts: every number in it can be told in advance.
#ifndef PLOTS_TESTS_SYNTH_H
#define PLOTS_TESTS_SYNTH_H

#include <stdbool.h>

struct synth {
	int rounds;        // repetitions a cell
	int cpus;          // CPUs that the manifest claims
	int sampled_procs; // procs of the sampled skewed run; 0: none
	bool sim;          // rows of a simulated machine
};

// Speed-up of a cell in one round, and the wall time that goes with it.
double synth_speedup(const char *workload, const char *policy, int procs, int cap, int cpus, int round);
double synth_wall_ns(const char *workload, const char *policy, int procs, int cap, int cpus, int round);

// Writes dir/manifest.json, dir/rows.jsonl and the samples. dir must exist. Returns 0 or -errno.
int synth_results(const char *dir, const struct synth *s);

#endif
