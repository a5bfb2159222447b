// SPDX-License-Identifier: MIT
// cmd_compare.c: `mnlab compare DIR --by FACTOR`: arguments in, table out, exit code. The work is in compare_*.c.
#include "experiments/mnlab/mnlab.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "experiments/mnlab/compare_blocks.h"
#include "experiments/mnlab/compare_data.h"
#include "experiments/mnlab/compare_out.h"
#include "experiments/mnlab/rows.h"

enum { ERR_MAX = 1024, OPT_FORCE = 256, OPT_ALL, OPT_TAINTED };

static const char *const metrics[] = { "wall_ns", "cpu_ns" };

static const char doc[] = "Set the values of FACTOR (steal, victim, local_cap, runtime, a workload's parameter, ..) "
                          "against each other, in "
                          "the results folder DIR.\v"
                          "Repetitions are grouped into blocks in which all but FACTOR is equal; times are compared "
                          "within a round, and the "
                          "median ratio gets the exact interval of the sign test. A verdict is given where that "
                          "interval allows one: better, "
                          "worse, no difference beyond noise; with fewer than 6 common rounds: cannot tell.\n\n"
                          "Exit status: 0 compared; 2 usage, or nothing to compare; 3 every comparison has too few "
                          "rounds; 4 rows that do "
                          "not belong together, or that no run writes.";

static const struct argp_option options[] = {
	{ "by", 'b', "FACTOR", 0, "What to compare", 0 },
	{ "base", 'B', "VALUE", 0, "Compare with this value (default: the scheduler's default, else the most frequent)",
	  0 },
	{ "metric", 'm', "wall_ns|cpu_ns", 0, "Which time (default wall_ns)", 0 },
	{ "json", 'j', NULL, 0, "One JSON object in place of the table", 0 },
	{ "all", OPT_ALL, NULL, 0, "Show blocks without any difference too", 0 },
	{ "tainted", OPT_TAINTED, NULL, 0, "Let repetitions count during which the machine was disturbed", 0 },
	{ "force", OPT_FORCE, NULL, 0, "Compare although rows come from several machines or binaries", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const char *
known_metric(const char *name)
{
	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++)
		if (!strcmp(metrics[i], name))
			return metrics[i];
	return NULL;
}

static void
set_metric(struct cmp_request *q, const char *name, struct argp_state *state)
{
	q->metric = known_metric(name);
	if (!q->metric)
		argp_error(state, "unknown metric \"%s\"; allowed: wall_ns cpu_ns", name);
}

static error_t
parse_rest(int key, char *arg, struct argp_state *state)
{
	struct cmp_request *q = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		if (q->dir)
			argp_error(state, "one results folder at a time (\"%s\" is the second)", arg);
		q->dir = arg;
		return 0;
	case ARGP_KEY_END:
		if (!q->dir)
			argp_error(state, "which results folder? (results/default, ..)");
		if (!q->factor)
			argp_error(state, "compare what? --by FACTOR (steal, victim, ..)");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t
parse(int key, char *arg, struct argp_state *state)
{
	struct cmp_request *q = state->input;

	switch (key) {
	case 'b':
		q->factor = arg;
		return 0;
	case 'B':
		q->base = arg;
		return 0;
	case 'm':
		set_metric(q, arg, state);
		return 0;
	case 'j':
		q->json = true;
		return 0;
	case OPT_ALL:
		q->all = true;
		return 0;
	case OPT_TAINTED:
		q->tainted = true;
		return 0;
	case OPT_FORCE:
		q->force = true;
		return 0;
	default:
		return parse_rest(key, arg, state);
	}
}

static int
refuse(int rc, const char *err)
{
	fprintf(stderr, "mnlab compare: %s\n", err);
	return rc == -EXDEV || rc == -EBADMSG ? MNLAB_BAD_DATA : MNLAB_USAGE;
}

static bool
wants_colour(void)
{
	const char *no_color = getenv("NO_COLOR");

	return isatty(STDOUT_FILENO) && !(no_color && *no_color);
}

static int
show(const struct cmp *c, const struct cmp_request *q)
{
	bool told = c->comparisons || !c->hopeless;

	if (q->json)
		cmp_print_json(stdout, c, q);
	else
		cmp_print(stdout, c, q, wants_colour());
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "mnlab compare: cannot write: %s\n", strerror(errno));
		return MNLAB_FAILED;
	}
	return told ? MNLAB_OK : MNLAB_CANNOT_TELL;
}

static int
compare(const struct cmp_data *d, const struct cmp_request *q)
{
	char err[ERR_MAX];
	struct cmp c;
	int rc = cmp_compare(&c, d, q, err, sizeof(err));
	int status = rc ? refuse(rc, err) : show(&c, q);

	cmp_free(&c);
	return status;
}

static int
load_and_compare(const struct cmp_request *q)
{
	char err[ERR_MAX];
	struct cmp_data d;
	json_t *rows, *manifest;
	int status, rc = rows_load(q->dir, &rows, &manifest, err, sizeof(err));

	if (rc)
		return refuse(rc, err);
	rc = cmp_data_load(&d, rows, q, err, sizeof(err));
	status = rc ? refuse(rc, err) : compare(&d, q);
	cmp_data_free(&d);
	json_decref(rows);
	json_decref(manifest);
	return status;
}

int
cmd_compare(int argc, char **argv)
{
	static const struct argp argp = { options, parse, "DIR --by FACTOR", doc, NULL, NULL, NULL };
	struct cmp_request q = { .metric = metrics[0] };

	argp_err_exit_status = MNLAB_USAGE;
	if (argp_parse(&argp, argc, argv, 0, NULL, &q))
		return MNLAB_USAGE;
	return load_and_compare(&q);
}
