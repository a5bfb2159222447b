// SPDX-License-Identifier: MIT
// plot_queues.c: the queue chart: lengths of all run queues over one run, and beside it those that Go's own scheduler
// printed in the same run. Scripts: plots/queues.gp (lines), plots/queues_map.gp (a heat map, for more Ps than lines can
// be told apart).
//
// Which of the sampled runs is drawn is plot_sampled.c's choice.
#include "experiments/mnlab/plot_chart.h"
#include "experiments/mnlab/plot_file.h"
#include "experiments/mnlab/plot_sampled.h"
#include "experiments/mnlab/plot_trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_MAX = 8, MAP_COLUMNS = 400 };

// ---- Data files ----------------------------------------------------------------------------------------------------

struct events {
	FILE *f;
	const char *panel;
	double span_ms;
	double labelled_ms[2]; // when a batch, a theft last got a label
	int highest[2];        // global queue, local queue
};

// A number beside each batch and theft would be a smear at the end: those worth it and far enough apart.
static bool
label(struct events *e, const struct trace_event *v)
{
	int k = v->kind == TRACE_STEAL;

	if ((v->kind != TRACE_BATCH && !k) || v->n * 25 < e->highest[k])
		return false;
	if (e->labelled_ms[k] >= 0 && v->ms - e->labelled_ms[k] < 0.035 * e->span_ms)
		return false;
	e->labelled_ms[k] = v->ms;
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
	struct events e = { .f = f, .panel = panel, .span_ms = t->ms[t->n - 1], .labelled_ms = { -1, -1 } };

	e.highest[0] = trace_max_global(t);
	e.highest[1] = trace_max_local(t);
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
		         "Whole run, by its counters: %ld spilled to the global queue (spills: %ld), %ld taken from it "
		         "(batches: %ld), "
		         "%ld stolen (thefts: %ld)",
		         counter(o, "spilled"), counter(o, "spills"), counter(o, "global_got"),
		         counter(o, "global_batches"), counter(o, "stolen_in"), counter(o, "steal_ok"));
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

// The end of the run, enlarged in a corner: thefts begin when the global queue is empty, and move little.
struct ending {
	double from_ms; // of the first theft in the second half; -1: none
	double half_ms;
	int thefts;
};

static void
find_ending(void *arg, const struct trace_event *v)
{
	struct ending *e = arg;

	if (v->kind != TRACE_STEAL || v->ms < e->half_ms)
		return;
	if (e->thefts++ == 0)
		e->from_ms = v->ms;
}

static int
longest_since(const struct trace *t, double ms)
{
	int max = 0;

	for (size_t i = 0; i < t->n; i++) {
		if (t->ms[i] < ms)
			continue;
		for (int k = 0; k <= t->procs; k++)
			max = trace_at(t, i)[k] > max ? trace_at(t, i)[k] : max;
	}
	return max;
}

static void
put_ending(struct chart_job *job, const struct trace *t)
{
	double end = t->ms[t->n - 1];
	struct ending e = { .from_ms = -1, .half_ms = end / 2 };

	trace_events(t, find_ending, &e);
	e.from_ms -= 0.05 * (end - e.from_ms);
	chart_number(job, "ending", e.thefts >= 2);
	chart_number(job, "ending_ms", e.from_ms);
	chart_number(job, "ending_top", longest_since(t, e.from_ms));
	chart_number(job, "late_top", longest_since(t, 0.55 * end));
}

static void
put_title(struct chart_job *job, const struct obs *o, const struct trace *t)
{
	char title[256] = "", grain[48] = "";

	if (sampled_param(o, "grain_ns"))
		snprintf(grain, sizeof(grain), " of %g ms", (double)sampled_param(o, "grain_ns") / 1e6);
	snprintf(title, sizeof(title), "libmn: %s, %ld tasks%s, procs %d, %s, local_cap %d", o->workload,
	         sampled_param(o, "tasks"), grain, o->procs, o->policy, o->local_cap);
	put_panel(job, "ours", t, title);
}

static void
put_caption(struct chart_job *job, const struct obs *o, size_t of, bool go)
{
	double period = json_number_value(json_object_get(o->row, "sample_us")) / 1000;
	char which[64] = "the only one", text[512];

	if (of > 1)
		snprintf(which, sizeof(which), "the median in time of %zu", of);
	snprintf(text, sizeof(text),
	         "One run: round %d, %s%s. A sample every %g ms%s; time from the first that shows work.", o->round,
	         which, o->tainted ? ", TAINTED: something else used the machine" : "", period,
	         go ? " (Go: about 10 ms)" : "");
	chart_text(job, "caption", text);
}

static void
put_vars(struct chart_job *job, const struct obs *o, size_t of, const struct trace *ours, const struct trace *go)
{
	put_title(job, o, ours);
	chart_number(job, "panels", go ? 2 : 1);
	if (go)
		put_panel(job, "go", go, sampled_reference_of(o)->title);
	chart_number(job, "procs", ours->procs);
	chart_number(job, "local_cap", o->local_cap);
	put_evidence(job, o);
	put_ending(job, ours);
	put_caption(job, o, of, go != NULL);
}

// ---- The chart -----------------------------------------------------------------------------------------------------

static int
load_samples(struct chart_job *job, const struct obs *o, struct trace *t)
{
	char path[PLOT_PATH];
	const char *file = sampled_file(o);

	snprintf(path, sizeof(path), "%s%s%s", file[0] == '/' ? "" : job->dir, file[0] == '/' ? "" : "/", file);
	return trace_read_samples(t, path, job->why, sizeof(job->why));
}

// The sampler's clock starts with the scheduler, when nothing is queued; its own first look may come late.
static int
start_empty(struct trace *t)
{
	struct trace whole;
	int *len = calloc((size_t)t->procs + 1, sizeof(*len)), rc = len ? 0 : -ENOMEM;

	trace_init(&whole, t->procs);
	if (!rc && t->ms[0] > 0)
		rc = trace_add(&whole, 0, len);
	for (size_t i = 0; i < t->n && !rc; i++)
		rc = trace_add(&whole, t->ms[i], trace_at(t, i));
	free(len);
	trace_free(t);
	*t = whole;
	return rc;
}

static int
load_reference(struct chart_job *job, const struct obs *o, struct trace *t)
{
	const struct sampled_reference *r = sampled_reference_of(o);
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
	const struct obs *o = sampled_choose(job->all, &of);
	int rc, with_go;

	if (!o) {
		snprintf(job->why, sizeof(job->why), "no run was sampled (option sample_us)");
		return CHART_NOTHING;
	}
	rc = load_samples(job, o, &ours);
	if (!rc)
		rc = start_empty(&ours);
	if (rc)
		return rc;
	if (!trace_loaded(&ours)) {
		snprintf(job->why, sizeof(job->why), "%s: no goroutine ever waited in a queue", sampled_file(o));
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
