// SPDX-License-Identifier: MIT
// plot_queues.c: the queue chart: lengths of all run queues over one run, and beside it those that Go's own scheduler
// printed in the same run. Scripts: plots/queues.gp (lines), plots/queues_map.gp (a heat map, for more Ps than lines can
// be told apart).
//
// Of all sampled runs the one is drawn that has a counterpart among the Go traces of plots/data, else a skewed one; of
// its repetitions the one with the median time: neither the best nor the oddest.
#include "experiments/mnlab/plot_chart.h"
#include "experiments/mnlab/plot_file.h"
#include "experiments/mnlab/plot_trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 512, LINES_MAX = 8, MAP_COLUMNS = 400 };

// What plots/data/README.md describes.
struct reference {
	const char *file, *title;
	int tasks, grain_ns, procs;
};

static const struct reference references[] = {
	{ "skew-1000x3ms-procs4.schedtrace", "Go 1.27.3, the same load on 2 cores (GODEBUG=schedtrace=1)", 1000,
	  3000000, 4 },
	{ "skew-1000x50us-procs2.schedtrace", "Go 1.27.3, the same load on 2 cores (GODEBUG=schedtrace=1)", 1000, 50000,
	  2 },
	{ .file = NULL },
};

// ---- Which run -----------------------------------------------------------------------------------------------------

static const char *
samples_of(const struct obs *o)
{
	return json_string_value(json_object_get(o->row, "samples"));
}

static long
param(const struct obs *o, const char *name)
{
	return (long)json_integer_value(json_object_get(json_object_get(o->row, "params"), name));
}

static const struct reference *
reference_of(const struct obs *o)
{
	for (const struct reference *r = references; r->file; r++) {
		if (!strcmp(o->workload, "skewed") && param(o, "tasks") == r->tasks &&
		    param(o, "grain_ns") == r->grain_ns && o->procs == r->procs)
			return r;
	}
	return NULL;
}

static int
worth(const struct obs *o)
{
	const struct reference *r = reference_of(o);
	bool usual = !strcmp(o->policy, "half/random") && o->local_cap == 256;

	if (!samples_of(o))
		return 0;
	return 1 + (!strcmp(o->workload, "skewed") ? 8 : 0) + (r ? 4 : 0) + (r == references ? 2 : 0) + (usual ? 1 : 0);
}

static bool
same_cell(const struct obs *a, const struct obs *b)
{
	return !strcmp(a->workload, b->workload) && !strcmp(a->params, b->params) && !strcmp(a->policy, b->policy) &&
	       a->procs == b->procs && a->local_cap == b->local_cap;
}

static int
by_time(const void *a, const void *b)
{
	const struct obs *x = *(const struct obs *const *)a, *y = *(const struct obs *const *)b;

	if (x->wall_ns != y->wall_ns)
		return x->wall_ns > y->wall_ns ? 1 : -1;
	return (x->round > y->round) - (x->round < y->round);
}

static const struct obs *
choose(const struct obs_list *list, size_t *of)
{
	const struct obs *best = NULL, *runs[ROUNDS];

	*of = 0;
	for (size_t i = 0; i < list->n; i++) {
		if (worth(&list->obs[i]) > (best ? worth(best) : 0))
			best = &list->obs[i];
	}
	for (size_t i = 0; best && i < list->n && *of < ROUNDS; i++) {
		if (samples_of(&list->obs[i]) && same_cell(best, &list->obs[i]))
			runs[(*of)++] = &list->obs[i];
	}
	if (!best)
		return NULL;
	qsort(runs, *of, sizeof(*runs), by_time);
	return runs[(*of - 1) / 2];
}

// ---- Data files ----------------------------------------------------------------------------------------------------

struct events {
	FILE *f;
	const char *panel;
	double span_ms, labelled_ms;
	int highest; // of the global queue
};

// A number beside each drop of the global queue would be a smear at the end: those worth it and far enough apart.
static bool
label(struct events *e, const struct trace_event *v)
{
	bool far = e->labelled_ms < 0 || v->ms - e->labelled_ms >= 0.035 * e->span_ms;

	if (v->kind != TRACE_BATCH || v->n * 25 < e->highest || !far)
		return false;
	e->labelled_ms = v->ms;
	return true;
}

static void
put_event(void *arg, const struct trace_event *v)
{
	struct events *e = arg;

	fprintf(e->f, "%s\t%.6g\t%s\t", e->panel, v->ms, trace_kind_names[v->kind]);
	if (v->p < 0)
		fputs("global", e->f);
	else
		fprintf(e->f, "p%d", v->p);
	fprintf(e->f, "\t%d\t%d\t%s\n", v->n, v->level, label(e, v) ? "yes" : "no");
}

static void
put_events(FILE *f, const char *panel, const struct trace *t)
{
	struct events e = { .f = f, .panel = panel, .span_ms = t->ms[t->n - 1], .labelled_ms = -1 };

	e.highest = trace_max_global(t);
	trace_events(t, put_event, &e);
}

static void
write_grid(const struct trace *t, FILE *f)
{
	trace_write_grid(t, f, MAP_COLUMNS);
}

static int
put_trace(struct chart_job *job, const char *suffix, const struct trace *t,
          void (*writer)(const struct trace *, FILE *))
{
	struct plot_file file;
	char name[96];
	int err;

	snprintf(name, sizeof(name), "%s-%s.tsv", job->name, suffix);
	err = plot_file_open(&file, job->out, name);
	if (err)
		return err;
	writer(t, file.f);
	return plot_file_commit(&file);
}

static int
put_all_events(struct chart_job *job, const struct trace *ours, const struct trace *go)
{
	struct plot_file file;
	char name[96];
	int err;

	snprintf(name, sizeof(name), "%s-events.tsv", job->name);
	err = plot_file_open(&file, job->out, name);
	if (err)
		return err;
	fputs("panel\tt_ms\tkind\tqueue\tn\tlength\tlabel\n", file.f);
	put_events(file.f, "ours", ours);
	if (go)
		put_events(file.f, "go", go);
	return plot_file_commit(&file);
}

// ---- Variables -----------------------------------------------------------------------------------------------------

static long
counter(const struct obs *o, const char *name)
{
	return (long)json_integer_value(json_object_get(json_object_get(o->row, "counters"), name));
}

// What samples cannot show, for most of it happens in the first millisecond: the run's own counters.
static void
put_evidence(struct chart_job *job, const struct obs *o)
{
	char text[256] = "";

	if (json_is_object(json_object_get(o->row, "counters")))
		snprintf(text, sizeof(text),
		         "Whole run, by its counters: %ld spills moved %ld to the global queue, %ld batches took %ld, "
		         "%ld thefts took %ld",
		         counter(o, "spills"), counter(o, "spilled"), counter(o, "global_batches"),
		         counter(o, "global_got"), counter(o, "steal_ok"), counter(o, "stolen_in"));
	chart_text(job, "evidence", text);
	chart_number(job, "globq_max", (double)json_integer_value(json_object_get(o->row, "globq_max")));
}

static void
put_panel(struct chart_job *job, const char *prefix, const struct trace *t, const char *title)
{
	char name[64];

	snprintf(name, sizeof(name), "%s_title", prefix);
	chart_text(job, name, title);
	snprintf(name, sizeof(name), "%s_ms", prefix);
	chart_number(job, name, t->ms[t->n - 1]);
	snprintf(name, sizeof(name), "%s_global", prefix);
	chart_number(job, name, trace_max_global(t));
	snprintf(name, sizeof(name), "%s_local", prefix);
	chart_number(job, name, trace_max_local(t));
}

static void
put_vars(struct chart_job *job, const struct obs *o, size_t of, const struct trace *ours, const struct trace *go)
{
	const struct reference *r = reference_of(o);
	char text[512], title[160];

	snprintf(title, sizeof(title), "libmn: %s, %ld tasks", o->workload, param(o, "tasks"));
	if (param(o, "grain_ns"))
		snprintf(title + strlen(title), sizeof(title) - strlen(title), " of %g ms",
		         (double)param(o, "grain_ns") / 1e6);
	snprintf(title + strlen(title), sizeof(title) - strlen(title), ", procs %d, %s, local_cap %d", o->procs,
	         o->policy, o->local_cap);
	put_panel(job, "ours", ours, title);
	chart_number(job, "panels", go ? 2 : 1);
	if (go)
		put_panel(job, "go", go, r->title);
	chart_number(job, "procs", ours->procs);
	chart_number(job, "local_cap", o->local_cap);
	put_evidence(job, o);
	snprintf(text, sizeof(text),
	         "One run: round %d, the median in time of %zu. Lengths as sampled%s; time from the first "
	         "sample that shows work.",
	         o->round, of, go ? " (Go prints a sample about every 10 ms)" : "");
	chart_text(job, "caption", text);
}

// ---- The chart -----------------------------------------------------------------------------------------------------

static int
load_samples(struct chart_job *job, const struct obs *o, struct trace *t)
{
	char path[PLOT_PATH];
	const char *file = samples_of(o);

	snprintf(path, sizeof(path), "%s%s%s", file[0] == '/' ? "" : job->dir, file[0] == '/' ? "" : "/", file);
	return trace_read_samples(t, path, job->why, sizeof(job->why));
}

static int
load_reference(struct chart_job *job, const struct obs *o, struct trace *t)
{
	const struct reference *r = reference_of(o);
	char path[PLOT_PATH];

	if (!r || o->procs > LINES_MAX)
		return CHART_NOTHING;
	snprintf(path, sizeof(path), "%s/data/%s", job->scripts, r->file);
	return trace_read_schedtrace(t, path, r->procs, job->why, sizeof(job->why));
}

static int
put_files(struct chart_job *job, const struct trace *ours, const struct trace *go)
{
	bool map = ours->procs > LINES_MAX;
	int err = put_trace(job, "ours", ours, trace_write);

	if (!err && map) {
		job->script = "queues_map.gp";
		err = put_trace(job, "map", ours, write_grid);
		if (!err)
			err = put_trace(job, "summary", ours, trace_write_summary);
	}
	if (!err && go)
		err = put_trace(job, "go", go, trace_write);
	return err ? err : put_all_events(job, ours, go);
}

int
chart_queues(struct chart_job *job)
{
	struct trace ours, go;
	size_t of;
	const struct obs *o = choose(job->all, &of);
	int rc, with_go;

	if (!o) {
		snprintf(job->why, sizeof(job->why), "no run was sampled (option sample_us)");
		return CHART_NOTHING;
	}
	rc = load_samples(job, o, &ours);
	if (rc)
		return rc;
	if (!trace_loaded(&ours)) {
		snprintf(job->why, sizeof(job->why), "%s: no goroutine ever waited in a queue", samples_of(o));
		trace_free(&ours);
		return CHART_NOTHING;
	}
	trace_start_at_load(&ours);
	with_go = load_reference(job, o, &go);
	if (with_go == CHART_NOTHING)
		snprintf(job->note, sizeof(job->note), "no Go trace of the same run in plots/data, so it stands alone");
	rc = with_go < 0 ? with_go : put_files(job, &ours, with_go ? NULL : &go);
	if (!rc)
		put_vars(job, o, of, &ours, with_go ? NULL : &go);
	if (!with_go)
		trace_free(&go);
	trace_free(&ours);
	return rc;
}
