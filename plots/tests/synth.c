// SPDX-License-Identifier: MIT
// synth.c: rows as the runner would write them, from a formula: speed-up = min(procs, CPUs) x efficiency of the policy
// on the workload x a little noise that depends on nothing but the cell and the round. No clock, no random numbers: the
// tests compare charts byte for byte.
//
// The sampled run comes from a small replay of the scheduler's own rules (spill of half + 1, batches of
// size/procs + 1, theft of half), so that the queue chart shows the shapes that it will show on a real machine.
#include "plots/tests/synth.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SERIAL_NS = 1000000000, SAMPLE_TASKS = 1000, SAMPLE_GRAIN_NS = 3000000, RING = 256, PROCS_MAX = 64 };

static const char *const workloads[] = { "uniform", "skewed", "syscall", "tight", NULL };
static const char *const steals[] = { "half", "one", "all", NULL };
static const char *const victims[] = { "random", "most-loaded", NULL };
static const int caps[] = { 16, 64, 256 };

static unsigned
hash(const char *text, unsigned h)
{
	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 16777619u;
	return h;
}

// -1 .. 1, the same for the same cell and round.
static double
noise(const char *workload, const char *policy, int procs, int cap, int round)
{
	unsigned h = hash(policy, hash(workload, 2166136261u));

	h = (h ^ (unsigned)(procs * 7919 + cap * 104729 + round * 1299709)) * 2654435761u;
	h ^= h >> 15;
	h *= 2246822519u;
	h ^= h >> 13;
	return (double)(h % 20001) / 10000 - 1;
}

static double
efficiency(const char *workload, const char *policy, int cap)
{
	bool skewed = !strcmp(workload, "skewed");
	double e = !strcmp(workload, "tight") ? 0.93 : 0.985;

	if (!strncmp(policy, "one", 3))
		e *= skewed ? 0.88 : 0.97;
	if (!strncmp(policy, "all", 3))
		e *= skewed ? 0.94 : 0.9;
	if (strstr(policy, "most-loaded"))
		e *= skewed ? 1.01 : 0.99;
	if (!strcmp(policy, "global"))
		e *= 0.84;
	return cap == 16 ? e * 0.95 : cap == 64 ? e * 0.98 : e;
}

double
synth_speedup(const char *workload, const char *policy, int procs, int cap, int cpus, int round)
{
	int useful = procs < cpus ? procs : cpus;
	double over = procs > cpus ? 0.97 : 1;

	if (!strcmp(policy, "none") && !strcmp(workload, "skewed"))
		useful = 1;
	return useful * over * efficiency(workload, policy, cap) *
	       (1 + 0.015 * noise(workload, policy, procs, cap, round));
}

double
synth_wall_ns(const char *workload, const char *policy, int procs, int cap, int cpus, int round)
{
	return floor(SERIAL_NS / synth_speedup(workload, policy, procs, cap, cpus, round));
}

static int
put_row(FILE *f, json_t *row)
{
	int err = json_dumpf(row, f, JSON_COMPACT) || fputc('\n', f) == EOF ? -EIO : 0;

	json_decref(row);
	return err;
}

static json_t *
params_of(const char *workload)
{
	return !strcmp(workload, "skewed") ? json_pack("{s:i,s:i}", "tasks", 200, "grain_ns", 5000000)
	                                   : json_pack("{s:i,s:i}", "tasks", 2000, "grain_ns", 500000);
}

// A row that lacks nothing but its times.
static json_t *
new_row(const struct synth *s, const char *workload, const char *policy, int procs, int cap, int round)
{
	const char *slash = strchr(policy, '/');
	char steal[16] = "half";
	char cell[96];
	json_t *row;

	if (slash)
		snprintf(steal, sizeof(steal), "%.*s", (int)(slash - policy), policy);
	else if (!strcmp(policy, "none"))
		snprintf(steal, sizeof(steal), "none");
	snprintf(cell, sizeof(cell), "%s%s-%s-%d-%d", s->sim ? "sim-" : "", workload, policy, procs, cap);
	row = json_pack("{s:i,s:s,s:i,s:s,s:b,s:s,s:s,s:o,s:i,s:s,s:s,s:i,s:s,s:s,s:i,s:i}", "schema", 1, "cell", cell,
	                "round", round, "status", "OK", "sim", s->sim, "workload", workload, "runtime", "mn", "params",
	                params_of(workload), "procs", procs, "steal", steal, "victim", slash ? slash + 1 : "random",
	                "local_cap", cap, "queue", strcmp(policy, "global") ? "local" : "global", "runnext", "on",
	                "global_tick", 61, "sample_us", 0);
	return row;
}

static int
put_cell(FILE *f, const struct synth *s, const char *workload, const char *policy, int procs, int cap)
{
	int err = 0;

	for (int round = 0; round < s->rounds && !err; round++) {
		json_t *row = new_row(s, workload, policy, procs, cap, round);
		double wall = synth_wall_ns(workload, policy, procs, cap, s->cpus, round);

		json_object_set_new(row, "wall_ns", json_integer((json_int_t)wall));
		json_object_set_new(row, "serial_ns", json_integer(SERIAL_NS));
		err = put_row(f, row);
	}
	return err;
}

// Stealing has no effect at procs=1, and neither has the amount or the victim without it: such cells stand once.
static int
put_policies(FILE *f, const struct synth *s, const char *workload, int procs, int cap)
{
	char policy[32];
	int err = 0;

	for (int i = 0; steals[i]; i++) {
		for (int j = 0; victims[j] && !err; j++) {
			snprintf(policy, sizeof(policy), "%s/%s", steals[i], victims[j]);
			if (procs > 1 || (i == 0 && j == 0))
				err = put_cell(f, s, workload, policy, procs, cap);
		}
	}
	if (!err && procs > 1)
		err = put_cell(f, s, workload, "none", procs, cap);
	if (!err && cap == RING)
		err = put_cell(f, s, workload, "global", procs, cap);
	return err;
}

// ---- The sampled run -----------------------------------------------------------------------------------------------

struct replay {
	int procs, cpus;
	int len[PROCS_MAX], global, spills, spilled, batches, got, steals, stolen, global_max;
	double busy_until[PROCS_MAX]; // ms
};

static void
spawn_all(struct replay *r)
{
	for (int i = 0; i < SAMPLE_TASKS; i++) {
		if (r->len[0] == RING) {
			r->len[0] -= RING / 2;
			r->global += RING / 2 + 1;
			r->spills++;
			r->spilled += RING / 2 + 1;
			continue;
		}
		r->len[0]++;
	}
	r->global_max = r->global;
}

static int
min_of(int a, int b)
{
	return a < b ? a : b;
}

static void
find_work(struct replay *r, int p)
{
	int batch = min_of(min_of(r->global, r->global / r->procs + 1), RING / 2), most = 0;

	if (batch > 0) {
		r->global -= batch;
		r->len[p] += batch;
		r->batches++;
		r->got += batch;
		return;
	}
	for (int i = 1; i < r->procs; i++)
		most = r->len[i] > r->len[most] ? i : most;
	batch = r->len[most] - r->len[most] / 2;
	r->len[most] -= batch;
	r->len[p] += batch;
	r->steals += batch > 0;
	r->stolen += batch;
}

static void
put_sample(FILE *f, const struct replay *r, double ms)
{
	fprintf(f, "%.0f\t%d", ms * 1000, r->global);
	for (int p = 0; p < r->procs; p++)
		fprintf(f, "\t%d", r->len[p]);
	fputc('\n', f);
}

// Ps share the CPUs evenly: a task takes procs/CPUs times its grain. P p runs a little slower than p - 1, so that not
// all run dry at once.
static void
replay_run(FILE *f, struct replay *r)
{
	double grain = SAMPLE_GRAIN_NS / 1e6 * (r->procs > r->cpus ? (double)r->procs / r->cpus : 1);
	int left = SAMPLE_TASKS;

	for (double ms = 0; left > 0; ms++) {
		if (ms > 1.5 && r->spills == 0)
			spawn_all(r);
		for (int p = 0; p < r->procs; p++) {
			if (ms < r->busy_until[p] || ms < 1.5)
				continue;
			if (r->len[p] == 0)
				find_work(r, p);
			if (r->len[p] == 0)
				continue;
			r->len[p]--;
			left--;
			r->busy_until[p] = ms + grain * (1 + 0.02 * p);
		}
		put_sample(f, r, ms);
	}
}

static int
put_samples(const char *dir, const char *name, struct replay *r)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	if (!f)
		return -errno;
	fputs("t_us\tglobal", f);
	for (int p = 0; p < r->procs; p++)
		fprintf(f, "\tp%d", p);
	fputc('\n', f);
	replay_run(f, r);
	return fclose(f) ? -errno : 0;
}

static int
put_sampled(FILE *f, const char *dir, const struct synth *s)
{
	struct replay r = { .procs = s->sampled_procs, .cpus = s->cpus };
	json_t *row = new_row(s, "skewed", "half/random", s->sampled_procs, RING, 0);
	int err = put_samples(dir, "samples.tsv", &r);

	json_object_set_new(row, "cell", json_string("skewed-sampled"));
	json_object_set_new(row, "params", json_pack("{s:i,s:i}", "tasks", SAMPLE_TASKS, "grain_ns", SAMPLE_GRAIN_NS));
	json_object_set_new(row, "sample_us", json_integer(1000));
	json_object_set_new(row, "samples", json_string("samples.tsv"));
	json_object_set_new(row, "wall_ns", json_integer(1500000000));
	json_object_set_new(row, "globq_max", json_integer(r.global_max));
	json_object_set_new(row, "counters",
	                    json_pack("{s:i,s:i,s:i,s:i,s:i,s:i}", "spills", r.spills, "spilled", r.spilled,
	                              "global_batches", r.batches, "global_got", r.got, "steal_ok", r.steals,
	                              "stolen_in", r.stolen));
	return err ? err : put_row(f, row);
}

// ---- The folder ----------------------------------------------------------------------------------------------------

static int
put_manifest(const char *dir, const struct synth *s)
{
	json_t *m = json_pack("{s:i,s:s,s:b,s:{s:s,s:i}}", "schema", 1, "commit",
	                      "0123456789abcdef0123456789abcdef01234567", "dirty", 0, "machine", "cpu",
	                      "Synthetic CPU 3000", "pus", s->cpus);
	char path[4096];
	int err;

	snprintf(path, sizeof(path), "%s/manifest.json", dir);
	err = json_dump_file(m, path, JSON_INDENT(1)) ? -EIO : 0;
	json_decref(m);
	return err;
}

static int
put_rows(FILE *f, const char *dir, const struct synth *s)
{
	int err = 0;

	for (int w = 0; workloads[w]; w++) {
		for (int procs = 1; procs <= 2 * s->cpus; procs *= 2) {
			for (int c = 0; c < 3 && !err; c++)
				err = put_policies(f, s, workloads[w], procs, caps[c]);
		}
	}
	return !err && s->sampled_procs ? put_sampled(f, dir, s) : err;
}

int
synth_results(const char *dir, const struct synth *s)
{
	char path[4096];
	int err;
	FILE *f;

	snprintf(path, sizeof(path), "%s/rows.jsonl", dir);
	f = fopen(path, "w");
	if (!f)
		return -errno;
	err = put_rows(f, dir, s);
	if (fclose(f) && !err)
		err = -errno;
	return err ? err : put_manifest(dir, s);
}
