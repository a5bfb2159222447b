// SPDX-License-Identifier: MIT
// cmd_plot.c: mnlab plot DIR: the charts of stored results, nothing re-run.
//
// Each chart first writes its tables into DIR/plots, then gnuplot draws them as SVG and PNG. The tables are of use
// without gnuplot, so they are written even where it is missing. Rows of real and of simulated machines never share a
// chart: the latter's are called NAME-sim. The same rows give the same SVG, byte for byte.
#include "experiments/mnlab/mnlab.h"

#include "experiments/mnlab/plot_chart.h"
#include "experiments/mnlab/plot_file.h"
#include "experiments/mnlab/plot_gnuplot.h"
#include "experiments/mnlab/rows.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct chart charts[] = {
	{ "speedup", "speedup.gp", "speed-up over procs", chart_speedup },
	{ "queues", "queues.gp", "run queue lengths over time", chart_queues },
	{ "heatmap", "heatmap.gp", "policies against half/random/256", chart_heatmap },
	{ .name = NULL },
};

struct plot {
	const char *dir, *only;
	bool ascii;
	char out[PLOT_PATH], scripts[PLOT_PATH];
	bool gnuplot;
	json_t *rows, *manifest;
	int drawn;
};

// ---- The command line ----------------------------------------------------------------------------------------------

static const struct argp_option options[] = {
	{ "only", 'o', "NAME", 0, "Draw this chart alone: speedup, queues or heatmap", 0 },
	{ "ascii", 'a', NULL, 0, "Draw on the terminal, in characters, instead of into files", 0 },
	{ 0 },
};

static error_t
parse(int key, char *arg, struct argp_state *state)
{
	struct plot *p = state->input;

	switch (key) {
	case 'o':
		p->only = arg;
		return 0;
	case 'a':
		p->ascii = true;
		return 0;
	case ARGP_KEY_ARG:
		if (p->dir)
			argp_error(state, "one results folder at a time: \"%s\" is too many", arg);
		p->dir = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "which results folder? (results/NAME, as mnlab run made it)");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	options, parse,
	"DIR",   "Draw the charts of the results in DIR into DIR/plots, as SVG and PNG, with their tables beside them.",
	NULL,    NULL,
	NULL,
};

static bool
wanted(const struct plot *p, const struct chart *c)
{
	return !p->only || !strcmp(p->only, c->name);
}

static bool
known(const char *name)
{
	for (const struct chart *c = charts; c->name; c++) {
		if (!strcmp(name, c->name))
			return true;
	}
	fprintf(stderr, "mnlab plot: no chart is called \"%s\"; allowed:", name);
	for (const struct chart *c = charts; c->name; c++)
		fprintf(stderr, " %s", c->name);
	fputc('\n', stderr);
	return false;
}

// ---- The machine ---------------------------------------------------------------------------------------------------

static void
describe(struct chart_job *job, const json_t *m)
{
	const json_t *machine = json_object_get(m, "machine"), *pus = json_object_get(machine, "pus");
	const char *cpu = json_string_value(json_object_get(machine, "cpu"));
	const char *commit = json_string_value(json_object_get(m, "commit"));
	char cpus[32] = "";

	job->cpus = json_is_integer(pus) ? (int)json_integer_value(pus) : 0;
	if (job->cpus)
		snprintf(cpus, sizeof(cpus), ", %d CPU%s", job->cpus, job->cpus == 1 ? "" : "s");
	snprintf(job->machine, sizeof(job->machine), "%.120s%s; commit %.12s%s", cpu ? cpu : "CPU unknown", cpus,
	         commit ? commit : "unknown",
	         json_is_true(json_object_get(m, "dirty")) ? " with uncommitted changes" : "");
}

// ---- Drawing -------------------------------------------------------------------------------------------------------

static int
draw_one(struct plot *p, const struct chart_job *job, const char *terminal, const char *ending)
{
	char vars[96], script[PLOT_PATH + 64], out[96], err[1200] = "";
	int rc;

	snprintf(vars, sizeof(vars), "%s.vars", job->name);
	snprintf(script, sizeof(script), "%s/%s", job->scripts, job->script);
	snprintf(out, sizeof(out), "%s%s", job->name, ending);
	fflush(stdout);
	rc = gnuplot_draw(p->out, vars, script, terminal, p->ascii ? NULL : out, err, sizeof(err));
	if (rc)
		fprintf(stderr, "mnlab plot: %s: %s\n", job->name, err);
	return rc;
}

static int
draw(struct plot *p, const struct chart_job *job)
{
	int rc;

	if (!p->gnuplot)
		return 0;
	if (p->ascii)
		return draw_one(p, job, "dumb", "") ? MNLAB_FAILED : MNLAB_OK;
	rc = draw_one(p, job, "svg", ".svg");
	if (!rc)
		rc = draw_one(p, job, "pngcairo", ".png");
	if (!rc)
		printf("%s/%s.svg and .png%s%s%s\n", p->out, job->name, job->note[0] ? " (" : "", job->note,
		       job->note[0] ? ")" : "");
	return rc ? MNLAB_FAILED : MNLAB_OK;
}

static int
make(struct chart_job *job, const struct chart *c)
{
	struct plot_file vars;
	char name[96];
	int rc;

	snprintf(name, sizeof(name), "%s.vars", job->name);
	rc = plot_file_open(&vars, job->out, name);
	if (rc)
		return rc;
	job->vars = vars.f;
	chart_text(job, "name", job->name);
	chart_text(job, "stamp", job->sim ? "SIM" : "MEASURED");
	chart_text(job, "machine", job->machine);
	chart_number(job, "cpus", job->cpus);
	rc = c->make(job);
	if (rc == 0)
		return plot_file_commit(&vars);
	plot_file_abandon(&vars);
	return rc;
}

static int
one_chart(struct plot *p, struct chart_job *job, const struct chart *c)
{
	int rc;

	snprintf(job->name, sizeof(job->name), "%s%s", c->name, job->sim ? "-sim" : "");
	job->script = c->script;
	job->why[0] = job->note[0] = '\0';
	rc = make(job, c);
	if (rc == 0) {
		p->drawn++;
		return draw(p, job);
	}
	if (rc == CHART_NOTHING) {
		fprintf(stderr, "mnlab plot: %s left out: %s\n", job->name, job->why);
		return MNLAB_OK;
	}
	if (job->why[0])
		fprintf(stderr, "mnlab plot: %s: %s\n", job->name, job->why);
	else
		fprintf(stderr, "mnlab plot: %s: cannot write into %s: %s\n", job->name, job->out, strerror(-rc));
	return rc == -EBADMSG ? MNLAB_BAD_DATA : MNLAB_USAGE;
}

static int
worse(int a, int b)
{
	return a > b ? a : b;
}

// All charts of one substrate. Without a row of it there is nothing to say, unless there is none of the other either.
static int
substrate(struct plot *p, bool sim, bool silent)
{
	struct obs_list all, comparable;
	struct chart_job job = { .dir = p->dir, .out = p->out, .scripts = p->scripts, .sim = sim };
	int code = MNLAB_OK;

	if (obs_load(p->rows, sim, &all))
		return MNLAB_USAGE;
	if ((all.n == 0 && silent) || obs_comparable(&all, &comparable)) {
		obs_free(&all);
		return MNLAB_OK;
	}
	job.all = &all;
	job.comparable = &comparable;
	describe(&job, p->manifest);
	for (const struct chart *c = charts; c->name; c++) {
		if (wanted(p, c))
			code = worse(code, one_chart(p, &job, c));
	}
	if (comparable.held_back)
		fprintf(stderr,
		        "mnlab plot: %zu rows with other parameters or options than most are not in the speed-up "
		        "and heat map charts\n",
		        comparable.held_back);
	obs_free(&comparable);
	obs_free(&all);
	return code;
}

static int
all_charts(struct plot *p)
{
	int code = substrate(p, true, true);

	code = worse(code, substrate(p, false, p->drawn > 0));
	if (!p->gnuplot && p->drawn) {
		fprintf(stderr,
		        "mnlab plot: gnuplot is not installed (Debian: apt install gnuplot-nox); the tables are in "
		        "%s\n",
		        p->out);
		return MNLAB_USAGE;
	}
	return code;
}

static int
make_folder(const char *path)
{
	struct stat st;
	int rc = mkdir(path, 0777) && errno != EEXIST ? errno : stat(path, &st) ? errno : 0;

	if (rc == 0 && S_ISDIR(st.st_mode))
		return MNLAB_OK;
	fprintf(stderr, "mnlab plot: %s: %s\n", path, strerror(rc ? rc : ENOTDIR));
	return MNLAB_USAGE;
}

static int
prepare(struct plot *p)
{
	char err[4500];
	int rc = rows_load(p->dir, &p->rows, &p->manifest, err, sizeof(err));

	if (rc) {
		fprintf(stderr, "mnlab plot: %s\n", err);
		return rc == -EBADMSG ? MNLAB_BAD_DATA : MNLAB_USAGE;
	}
	if (gnuplot_scripts(p->scripts, sizeof(p->scripts))) {
		fprintf(stderr, "mnlab plot: cannot find the gnuplot scripts (plots/*.gp) beside this program or in "
		                "its source\n");
		return MNLAB_USAGE;
	}
	p->gnuplot = gnuplot_present();
	snprintf(p->out, sizeof(p->out), "%s/plots", p->dir);
	return make_folder(p->out);
}

int
cmd_plot(int argc, char **argv)
{
	struct plot p = { 0 };
	int code;

	argp_err_exit_status = MNLAB_USAGE;
	argp_parse(&argp, argc, argv, 0, NULL, &p);
	if (p.only && !known(p.only))
		return MNLAB_USAGE;
	code = prepare(&p);
	if (code == MNLAB_OK)
		code = all_charts(&p);
	json_decref(p.rows);
	json_decref(p.manifest);
	return code;
}
