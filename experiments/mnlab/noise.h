// SPDX-License-Identifier: MIT
// noise.h: what else happened on the machine while a repetition ran, and whether it may have spoilt it.
#ifndef EXPERIMENTS_MNLAB_NOISE_H
#define EXPERIMENTS_MNLAB_NOISE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

enum { NOISE_PUS_MAX = 1024 };

// The processors that this process may use, and the two that the core-to-core probe uses.
struct noise {
	bool mine[NOISE_PUS_MAX];
	int pus;
	int probe_a, probe_b;
	double before_ns; // the probe's last answer; 0: none
};

// One look at the kernel's counters. Negative: not to be had here.
struct noise_look {
	int64_t time_ns;     // monotonic
	int64_t busy_ns;     // CPU time that all processes together used on our processors
	int64_t stolen_ns;   // time that the hypervisor gave to others
	int64_t pressure_us; // time in which somebody waited for a processor
};

// 0, or -errno when the topology cannot be read.
int noise_init(struct noise *n);
void noise_look(const struct noise *n, struct noise_look *look);

// Probes the two cores; to be called before the first repetition, and then by noise_judge after each.
void noise_probe(struct noise *n);

// What the two looks and the child's own account say: the row's `noise` object, and its `taint` list, which is empty when
// nothing was over its threshold.
void noise_judge(struct noise *n, const struct noise_look *before, const struct noise_look *after,
                 const struct rusage *child, json_t **noise, json_t **taint);

#endif
