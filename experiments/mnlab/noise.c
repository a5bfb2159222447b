// SPDX-License-Identifier: MIT
// noise.c: stolen time, CPU time of others, pressure, context switches, the core-to-core probe.
//
// Two of them can taint, because they say without doubt that the repetition did not have the machine: time that the
// hypervisor gave away, and CPU time of processes other than the child. The kernel counts both in ticks of 10 ms, so
// a few ticks are within its error, however short the run. Pressure and switches are evidence only: a scheduler that
// runs more threads than there are processors makes them itself.
#include "experiments/mnlab/noise.h"
#include "experiments/mnlab/probe.h"

#include "sched/os/topo.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	TAINT_PERCENT = 5,             // of the time of our processors
	TAINT_FLOOR_NS = 30 * 1000000, // three ticks
};

int
noise_init(struct noise *n)
{
	struct mn_topo *t;
	int rc = mn_topo_load(&t);

	*n = (struct noise){ .probe_a = -1, .probe_b = -1 };
	if (rc)
		return rc;
	n->pus = mn_topo_num_pus(t);
	for (int i = 0; i < n->pus; i++) {
		int pu = mn_topo_pu_at(t, i);
		if (pu >= 0 && pu < NOISE_PUS_MAX)
			n->mine[pu] = true;
	}
	if (n->pus > 1 && mn_topo_is_real(t)) {
		int far[2];
		char err[256];
		if (!mn_topo_plan(t, "spread", 2, far, err, sizeof err)) {
			n->probe_a = far[0];
			n->probe_b = far[1];
		}
	}
	mn_topo_free(t);
	return 0;
}

// ---- Looking ---------------------------------------------------------------------------------------------------------

// Adds up the lines "cpuN user nice system idle iowait irq softirq steal .." of our processors, in ticks.
static void
look_stat(const struct noise *n, struct noise_look *look)
{
	FILE *f = fopen("/proc/stat", "re");
	char line[512];
	long long busy = 0, stolen = 0;
	int64_t tick = 1000000000 / sysconf(_SC_CLK_TCK);
	bool any = false;

	while (f && fgets(line, sizeof line, f)) {
		long long v[8] = { 0 };
		int cpu;
		if (sscanf(line, "cpu%d %lld %lld %lld %lld %lld %lld %lld %lld", &cpu, v, v + 1, v + 2, v + 3, v + 4,
		           v + 5, v + 6, v + 7) < 8)
			continue;
		if (cpu < 0 || cpu >= NOISE_PUS_MAX || !n->mine[cpu])
			continue;
		busy += v[0] + v[1] + v[2] + v[5] + v[6];
		stolen += v[7];
		any = true;
	}
	if (f)
		fclose(f);
	look->busy_ns = any ? busy * tick : -1;
	look->stolen_ns = any ? stolen * tick : -1;
}

static void
look_pressure(struct noise_look *look)
{
	FILE *f = fopen("/proc/pressure/cpu", "re");
	long long total;

	look->pressure_us = -1;
	if (f && fscanf(f, "some avg10=%*f avg60=%*f avg300=%*f total=%lld", &total) == 1)
		look->pressure_us = total;
	if (f)
		fclose(f);
}

void
noise_look(const struct noise *n, struct noise_look *look)
{
	struct timespec t;

	look_stat(n, look);
	look_pressure(look);
	clock_gettime(CLOCK_MONOTONIC, &t);
	look->time_ns = t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

void
noise_probe(struct noise *n)
{
	n->before_ns = probe_core_to_core(n->probe_a, n->probe_b);
}

// ---- Judging ---------------------------------------------------------------------------------------------------------

static int64_t
ns_of(struct timeval t)
{
	return t.tv_sec * INT64_C(1000000000) + t.tv_usec * 1000;
}

// Notes a difference, and taints when it is over the threshold.
static void
weigh(json_t *noise, json_t *taint, const char *key, int64_t ns, int64_t available_ns)
{
	char why[128];

	json_object_set_new(noise, key, json_integer(ns));
	if (ns <= TAINT_FLOOR_NS || ns * 100 <= available_ns * TAINT_PERCENT)
		return;
	snprintf(why, sizeof why, "%s: %.0f ms of %.0f ms", key, (double)ns / 1e6, (double)available_ns / 1e6);
	json_array_append_new(taint, json_string(why));
}

static void
judge_probe(struct noise *n, json_t *noise)
{
	double before = n->before_ns;

	noise_probe(n);
	if (before > 0)
		json_object_set_new(noise, "c2c_before_ns", json_real(before));
	if (n->before_ns > 0)
		json_object_set_new(noise, "c2c_after_ns", json_real(n->before_ns));
	double worse = before > n->before_ns ? before : n->before_ns;
	if (worse > 0)
		json_object_set_new(noise, "c2c_ns", json_real(worse));
}

void
noise_judge(struct noise *n, const struct noise_look *before, const struct noise_look *after,
            const struct rusage *child, json_t **noise_out, json_t **taint_out)
{
	json_t *noise = json_object(), *taint = json_array();
	int64_t available = (after->time_ns - before->time_ns) * n->pus;

	if (before->busy_ns >= 0 && after->busy_ns >= 0) {
		int64_t own = ns_of(child->ru_utime) + ns_of(child->ru_stime);
		int64_t others = after->busy_ns - before->busy_ns - own;
		weigh(noise, taint, "others_ns", others > 0 ? others : 0, available);
		weigh(noise, taint, "stolen_ns", after->stolen_ns - before->stolen_ns, available);
	}
	if (before->pressure_us >= 0 && after->pressure_us >= 0)
		json_object_set_new(noise, "pressure_us", json_integer(after->pressure_us - before->pressure_us));
	json_object_set_new(noise, "switches", json_integer(child->ru_nvcsw));
	json_object_set_new(noise, "preempted", json_integer(child->ru_nivcsw));
	judge_probe(n, noise);
	*noise_out = noise;
	*taint_out = taint;
}
