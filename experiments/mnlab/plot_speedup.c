// SPDX-License-Identifier: MIT
// plot_speedup.c: the speed-up chart: per workload and policy, speed-up over procs, against the serial run of the same
// round. The script is plots/speedup.gp.
//
// Every repetition is a raw point; the line goes through medians. Where there are too few rounds for an interval (fewer
// than 6 for 95 %) there is no bar, and the caption says so: a bar of another kind would be read as one of this kind.
#include "experiments/mnlab/plot_chart.h"
#include "experiments/mnlab/plot_file.h"
#include "experiments/stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORKLOADS = 16, POLICIES = 32, READABLE = 9, PROCS = 32, ROUNDS = 512 };

struct speedup {
	const char *workloads[WORKLOADS], *policies[POLICIES];
	int procs[PROCS], cap;
	size_t nworkloads, npolicies, nprocs;
	FILE *medians, *raw;
	double low, high;   // of all that is drawn
	size_t least, most; // rounds a point
	size_t bare;        // points without an interval
	size_t tainted;
};

static bool
usual_victim(const char *policy)
{
	return !strchr(policy, '/') || strstr(policy, "/random") || strstr(policy, "/most-loaded");
}

// More lines than the eye can tell apart: the two victims that the default matrix compares stay.
static void
keep_readable(struct speedup *s, struct chart_job *job)
{
	size_t kept = 0, n = s->npolicies;

	if (n <= READABLE)
		return;
	for (size_t i = 0; i < n; i++) {
		if (usual_victim(s->policies[i]))
			s->policies[kept++] = s->policies[i];
	}
	if (kept == 0)
		return;
	s->npolicies = kept < READABLE ? kept : READABLE;
	snprintf(job->note, sizeof(job->note), "%zu of %zu policies shown, victims random and most-loaded",
	         s->npolicies, n);
}

static void
put_raw(struct speedup *s, const struct point_key *k, const struct obs *o)
{
	fprintf(s->raw, "%s\t%s\t%d\t%d\t%.6g\t%s\n", k->workload, k->policy, k->procs, o->round, o->speedup,
	        o->tainted ? "yes" : "no");
	s->low = fmin(s->low, o->speedup);
	s->high = fmax(s->high, o->speedup);
	s->tainted += o->tainted;
}

static void
put_median(struct speedup *s, const struct point_key *k, double *x, size_t n)
{
	struct chart_median m = chart_median(x, n);

	fprintf(s->medians, "%s\t%s\t%d\t%zu\t%.6g", k->workload, k->policy, k->procs, n, m.median);
	if (isnan(m.lo))
		fprintf(s->medians, "\tNA\tNA\n");
	else
		fprintf(s->medians, "\t%.6g\t%.6g\n", m.lo, m.hi);
	s->bare += isnan(m.lo) != 0;
	s->least = s->most == 0 || n < s->least ? n : s->least;
	s->most = n > s->most ? n : s->most;
}

static void
put_point(struct speedup *s, const struct obs_list *list, const struct point_key *k)
{
	const struct obs *obs[ROUNDS];
	double x[ROUNDS];
	size_t n = obs_of_point(list, k, obs, ROUNDS), used = 0;

	for (size_t i = 0; i < n; i++) {
		if (isfinite(obs[i]->speedup) && obs[i]->speedup > 0) {
			put_raw(s, k, obs[i]);
			x[used++] = obs[i]->speedup;
		}
	}
	if (used)
		put_median(s, k, x, used);
}

static void
put_points(struct speedup *s, const struct obs_list *list)
{
	fputs("workload\tpolicy\tprocs\tn\tmedian\tlow\thigh\n", s->medians);
	fputs("workload\tpolicy\tprocs\tround\tspeedup\ttainted\n", s->raw);
	for (size_t w = 0; w < s->nworkloads; w++) {
		for (size_t p = 0; p < s->npolicies; p++) {
			for (size_t i = 0; i < s->nprocs; i++)
				put_point(s, list,
				          &(struct point_key){ .workload = s->workloads[w],
				                               .policy = s->policies[p],
				                               .procs = s->procs[i],
				                               .local_cap = s->cap });
		}
	}
}

static int
put_files(struct speedup *s, struct chart_job *job)
{
	struct plot_file medians, raw;
	char name[96];
	int err;

	snprintf(name, sizeof(name), "%s.tsv", job->name);
	err = plot_file_open(&medians, job->out, name);
	if (err)
		return err;
	snprintf(name, sizeof(name), "%s-raw.tsv", job->name);
	err = plot_file_open(&raw, job->out, name);
	if (err) {
		plot_file_abandon(&medians);
		return err;
	}
	s->medians = medians.f;
	s->raw = raw.f;
	put_points(s, job->comparable);
	err = plot_file_commit(&medians);
	return plot_file_commit(&raw) ? -EIO : err;
}

static void
put_caption(const struct speedup *s, struct chart_job *job)
{
	char text[512], rounds[64];
	size_t needed = stats_interval_min_n(0.95);

	chart_rounds(s->least, s->most, rounds, sizeof(rounds));
	snprintf(text, sizeof(text),
	         "Median of %s%s; dots: single rounds%s. Against the serial run of the same round; local_cap %d.",
	         rounds,
	         s->bare == 0       ? ", bar: its 95 % order-statistic interval"
	         : s->most < needed ? " (too few for an interval)"
	                            : ", bar: its 95 % order-statistic interval where n is large enough",
	         s->tainted ? ", tainted ones included" : "", s->cap);
	chart_text(job, "caption", text);
}

static void
put_vars(const struct speedup *s, struct chart_job *job)
{
	char titles[WORKLOADS][160], procs[PROCS][16];
	const char *title[WORKLOADS], *proc[PROCS];

	for (size_t i = 0; i < s->nworkloads; i++) {
		chart_title(job->comparable, s->workloads[i], titles[i], sizeof(titles[i]));
		title[i] = titles[i];
	}
	for (size_t i = 0; i < s->nprocs; i++) {
		snprintf(procs[i], sizeof(procs[i]), "%d", s->procs[i]);
		proc[i] = procs[i];
	}
	chart_texts(job, "workload", s->workloads, s->nworkloads);
	chart_texts(job, "title", title, s->nworkloads);
	chart_texts(job, "policy", s->policies, s->npolicies);
	chart_texts(job, "proc", proc, s->nprocs);
	chart_number(job, "speedup_min", s->low);
	chart_number(job, "speedup_max", s->high);
	put_caption(s, job);
}

int
chart_speedup(struct chart_job *job)
{
	struct speedup s = { .low = INFINITY, .cap = obs_usual_cap(job->comparable) };
	int err;

	s.nworkloads = obs_workloads(job->comparable, s.workloads, WORKLOADS);
	s.npolicies = obs_policies(job->comparable, s.policies, POLICIES);
	s.nprocs = obs_procs(job->comparable, s.procs, PROCS);
	keep_readable(&s, job);
	err = put_files(&s, job);
	if (err)
		return err;
	if (s.most == 0) {
		snprintf(job->why, sizeof(job->why), "no row has a speed-up (serial_ns, or a serial run in its round)");
		return CHART_NOTHING;
	}
	put_vars(&s, job);
	return 0;
}
