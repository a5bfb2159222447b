// SPDX-License-Identifier: MIT
// plot_heatmap.c: the policy heat map: per workload, steal x victim x local_cap at one procs, each cell the ratio of its
// median time to that of half/random/256. The script is plots/heatmap.gp.
//
// A ratio of medians alone does not say whether it is more than noise, so each cell also carries the interval of the
// paired ratio, round by round; the script prints in bold what leaves out 1.
#include "experiments/mnlab/plot_chart.h"
#include "experiments/mnlab/plot_file.h"
#include "experiments/stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORKLOADS = 16, POLICIES = 32, CAPS = 32, PROCS = 32, ROUNDS = 512, BASE_CAP = 256 };

static const char base_policy[] = "half/random";

struct heatmap {
	const char *workloads[WORKLOADS], *policies[POLICIES];
	int caps[CAPS], procs;
	size_t nworkloads, npolicies, ncaps;
	FILE *f;
	double largest; // |log2 ratio| among the stealing policies
	size_t least, most, cells;
};

struct cell {
	size_t n;
	double median_ns, ratio;
	struct stats_ratio paired;
};

static size_t
times(const struct obs_list *list, const struct point_key *k, const struct obs **obs, double *x)
{
	size_t n = obs_of_point(list, k, obs, ROUNDS);

	for (size_t i = 0; i < n; i++)
		x[i] = obs[i]->wall_ns;
	return n;
}

// Pairs of the same round, for both have at most one row a round and stand in order.
static size_t
pair(const struct obs *const *x, size_t nx, const struct obs *const *y, size_t ny, double *a, double *b)
{
	size_t n = 0;

	for (size_t i = 0, j = 0; i < nx && j < ny;) {
		if (x[i]->round == y[j]->round) {
			a[n] = x[i++]->wall_ns;
			b[n++] = y[j++]->wall_ns;
		} else if (x[i]->round < y[j]->round) {
			i++;
		} else {
			j++;
		}
	}
	return n;
}

static bool
measure(const struct obs_list *list, const struct point_key *k, struct cell *c)
{
	struct point_key base = { k->workload, base_policy, k->procs, BASE_CAP };
	const struct obs *mine[ROUNDS], *ref[ROUNDS];
	double x[ROUNDS], y[ROUNDS], scratch[ROUNDS];
	size_t n = times(list, k, mine, x), m = times(list, &base, ref, y), pairs;

	if (n == 0 || m == 0)
		return false;
	c->n = n;
	c->median_ns = chart_median(x, n).median;
	c->ratio = c->median_ns / chart_median(y, m).median;
	pairs = pair(mine, n, ref, m, x, y);
	if (pairs == 0 || stats_paired_ratio(x, y, pairs, 0.95, scratch, &c->paired))
		c->paired.interval.rank = 0;
	return true;
}

static void
put_cell(struct heatmap *h, const struct point_key *k, size_t x, size_t y, const struct cell *c)
{
	bool known = c->paired.interval.rank > 0;
	bool base = !strcmp(k->policy, base_policy) && k->local_cap == BASE_CAP;
	bool differs = known && !base && (c->paired.interval.low > 1 || c->paired.interval.high < 1);

	fprintf(h->f, "%s\t%s\t%d\t%d\t%zu\t%zu\t%zu\t%.9g\t%.6g", k->workload, k->policy, k->local_cap, k->procs, x, y,
	        c->n, c->median_ns, c->ratio);
	if (known)
		fprintf(h->f, "\t%.6g\t%.6g", c->paired.interval.low, c->paired.interval.high);
	else
		fputs("\tNA\tNA", h->f);
	fprintf(h->f, "\t%s\n", base ? "base" : differs ? "yes" : known ? "no" : "NA");
	if (strchr(k->policy, '/'))
		h->largest = fmax(h->largest, fabs(log2(c->ratio)));
	h->least = h->most == 0 || c->n < h->least ? c->n : h->least;
	h->most = c->n > h->most ? c->n : h->most;
	h->cells++;
}

static void
put_cells(struct heatmap *h, const struct obs_list *list)
{
	struct cell c;

	fputs("workload\tpolicy\tlocal_cap\tprocs\tcolumn\trow\tn\tmedian_ns\tratio\tlow\thigh\tdiffers\n", h->f);
	for (size_t w = 0; w < h->nworkloads; w++) {
		for (size_t y = 0; y < h->npolicies; y++) {
			// One global queue has no local cap: a single cell, which the script draws across all columns.
			bool global = !strcmp(h->policies[y], "global");
			for (size_t x = 0; x < (global ? 1 : h->ncaps); x++) {
				struct point_key k = { h->workloads[w], h->policies[y], h->procs, h->caps[x] };
				if (measure(list, &k, &c))
					put_cell(h, &k, x, y, &c);
			}
		}
	}
}

// Workloads without the base cannot be set against it.
static void
keep_with_base(struct heatmap *h, const struct obs_list *list)
{
	const struct obs *obs[ROUNDS];
	size_t kept = 0;

	for (size_t i = 0; i < h->nworkloads; i++) {
		struct point_key base = { h->workloads[i], base_policy, h->procs, BASE_CAP };
		if (obs_of_point(list, &base, obs, ROUNDS))
			h->workloads[kept++] = h->workloads[i];
	}
	h->nworkloads = kept;
}

static void
drop_baselines(struct heatmap *h)
{
	size_t kept = 0;

	for (size_t i = 0; i < h->npolicies; i++) {
		if (strcmp(h->policies[i], "threads"))
			h->policies[kept++] = h->policies[i];
	}
	h->npolicies = kept;
}

// As many procs as there are CPUs: fewer hide contention, more measure the kernel's scheduler as well.
static int
choose_procs(const struct obs_list *list, int cpus)
{
	int procs[PROCS], best = 0;
	size_t n = obs_procs(list, procs, PROCS);

	for (size_t i = 0; i < n; i++) {
		if (procs[i] <= cpus || best == 0)
			best = procs[i];
	}
	return best;
}

static void
put_vars(const struct heatmap *h, struct chart_job *job)
{
	char titles[WORKLOADS][160], caps[CAPS][16], rounds[64], text[512];
	const char *title[WORKLOADS], *cap[CAPS];

	for (size_t i = 0; i < h->nworkloads; i++) {
		chart_title(job->comparable, h->workloads[i], titles[i], sizeof(titles[i]));
		title[i] = titles[i];
	}
	for (size_t i = 0; i < h->ncaps; i++) {
		snprintf(caps[i], sizeof(caps[i]), "%d", h->caps[i]);
		cap[i] = caps[i];
	}
	chart_rounds(h->least, h->most, rounds, sizeof(rounds));
	snprintf(text, sizeof(text),
	         "Ratio of median times to %s at local_cap %d, procs %d; below 1 is faster. %s a cell. %s", base_policy,
	         BASE_CAP, h->procs, rounds,
	         h->least >= stats_interval_min_n(0.95)
	                 ? "Bold: the 95 % sign-test interval of the ratio by rounds leaves out 1."
	                 : "Too few rounds for 95 % intervals.");
	chart_texts(job, "workload", h->workloads, h->nworkloads);
	chart_texts(job, "title", title, h->nworkloads);
	chart_texts(job, "policy", h->policies, h->npolicies);
	chart_texts(job, "cap", cap, h->ncaps);
	chart_number(job, "procs", h->procs);
	chart_number(job, "largest", h->largest);
	chart_text(job, "caption", text);
}

int
chart_heatmap(struct chart_job *job)
{
	struct heatmap h = { .procs = choose_procs(job->comparable, job->cpus) };
	struct plot_file file;
	char name[96];
	int err;

	h.nworkloads = obs_workloads(job->comparable, h.workloads, WORKLOADS);
	h.npolicies = obs_policies(job->comparable, h.policies, POLICIES);
	h.ncaps = obs_caps(job->comparable, h.caps, CAPS);
	drop_baselines(&h);
	keep_with_base(&h, job->comparable);
	if (h.nworkloads == 0 || h.npolicies * h.ncaps < 2) {
		snprintf(job->why, sizeof(job->why), "needs %s at local_cap %d and something to set against it",
		         base_policy, BASE_CAP);
		return CHART_NOTHING;
	}
	snprintf(name, sizeof(name), "%s.tsv", job->name);
	err = plot_file_open(&file, job->out, name);
	if (err)
		return err;
	h.f = file.f;
	put_cells(&h, job->comparable);
	put_vars(&h, job);
	return plot_file_commit(&file);
}
