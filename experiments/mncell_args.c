// SPDX-License-Identifier: MIT
// mncell_args.c: mncell's arguments.
//
// The scheduler's options come from mn_option_at and a workload's parameters from its table, so a new option or parameter
// needs no change here. Both --name=value and --name value are taken; what begins with --benchmark_ is left alone.
//
// Rejected: argp. It reports an unknown option in two lines, without saying what there is, and stops at flags that belong
// to somebody else.
#include "experiments/mncell.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "workloads/work.h"

// Where the parsing stands. Names and values point into argv.
struct parse {
	struct cell *cell;
	const char *workload;
	const char *param[CELL_PARAMS_MAX];
	int params;
	enum cell_request request;
	char *err;
	size_t size;
};

static const char *const runtimes[] = {
	[RUNTIME_MN] = "mn",
	[RUNTIME_SERIAL] = "serial",
	[RUNTIME_THREADS] = "threads",
	[RUNTIME_EVLOOP] = "evloop",
};
enum { RUNTIMES = sizeof(runtimes) / sizeof(runtimes[0]) };

const char *
cell_runtime_name(enum cell_runtime r)
{
	return runtimes[r];
}

__attribute__((format(printf, 2, 3))) static int
refuse(struct parse *p, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(p->err, p->size, format, args);
	va_end(args);
	return -EINVAL;
}

// Appends to a text that may be too small for it.
__attribute__((format(printf, 3, 4))) static void
append(char *text, size_t size, const char *format, ...)
{
	size_t used = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + used, size - used, format, args);
	va_end(args);
}

// ---- One option each -----------------------------------------------------------------------------------------------

static int
take_workload(struct parse *p, const char *value)
{
	p->workload = value;
	return 0;
}

static int
take_runtime(struct parse *p, const char *value)
{
	for (int i = 0; i < RUNTIMES; i++) {
		if (!strcmp(value, runtimes[i])) {
			p->cell->runtime = (enum cell_runtime)i;
			return 0;
		}
	}
	return refuse(p, "--runtime=%s: no such runtime; allowed are mn, serial, threads, evloop", value);
}

static int
take_param(struct parse *p, const char *value)
{
	if (!strchr(value, '=') || *value == '=')
		return refuse(p, "--param=%s: expected is KEY=VALUE, like --param tasks=200", value);
	if (p->params == CELL_PARAMS_MAX)
		return refuse(p, "--param=%s: more than %d parameters", value, CELL_PARAMS_MAX);
	p->param[p->params++] = value;
	return 0;
}

static int
take_rate(struct parse *p, const char *value)
{
	char *end;
	double rate = strtod(value, &end);

	if (*end || end == value || !(rate >= work_rate_min && rate <= work_rate_max))
		return refuse(p, "--rate=%s: allowed is a number from %g to %g, iterations per microsecond", value,
		              work_rate_min, work_rate_max);
	p->cell->rate = rate;
	return 0;
}

static int
take_evidence(struct parse *p, const char *value)
{
	if (!*value)
		return refuse(p, "--evidence: expected is the name of a file");
	p->cell->evidence = value;
	return 0;
}

static int
take_calibrate(struct parse *p, const char *value)
{
	(void)value;
	p->cell->calibrate = true;
	return 0;
}

static int
take_help(struct parse *p, const char *value)
{
	(void)value;
	p->request = REQUEST_HELP;
	return 0;
}

static int
take_version(struct parse *p, const char *value)
{
	(void)value;
	p->request = REQUEST_VERSION;
	return 0;
}

static const struct own {
	const char *name;
	bool has_value;
	int (*take)(struct parse *, const char *value);
} owns[] = {
	{ "workload", true, take_workload }, { "runtime", true, take_runtime },
	{ "param", true, take_param },       { "rate", true, take_rate },
	{ "evidence", true, take_evidence }, { "calibrate", false, take_calibrate },
	{ "help", false, take_help },        { "version", false, take_version },
};
enum { OWNS = sizeof(owns) / sizeof(owns[0]) };

static const struct own *
find_own(const char *name)
{
	for (int i = 0; i < OWNS; i++) {
		if (!strcmp(name, owns[i].name))
			return &owns[i];
	}
	return NULL;
}

static const struct mn_option_info *
find_option(const char *name)
{
	const struct mn_option_info *option;

	for (int i = 0; (option = mn_option_at(i)); i++) {
		if (!strcmp(name, option->name))
			return option;
	}
	return NULL;
}

// ---- The arguments -------------------------------------------------------------------------------------------------

static bool
for_gbench(const char *arg)
{
	return !strncmp(arg, "--benchmark_", 12) || !strncmp(arg, "--v=", 4);
}

static int
refuse_unknown(struct parse *p, const char *arg)
{
	const struct mn_option_info *option;

	refuse(p, "%s: no such option; allowed are", arg);
	for (int i = 0; i < OWNS; i++)
		append(p->err, p->size, " --%s", owns[i].name);
	for (int i = 0; (option = mn_option_at(i)); i++)
		append(p->err, p->size, " --%s", option->name);
	append(p->err, p->size, " --benchmark_..; see --help");
	return -EINVAL;
}

// Applies one option whose value, if it has one, is value. Unknown names were refused before.
static int
take(struct parse *p, const char *name, const char *value)
{
	const struct own *own = find_own(name);

	if (own)
		return own->take(p, value);
	return mn_options_set(&p->cell->options, name, value, p->err, p->size);
}

// Takes the argument at argv[i], and the next one if that is its value. Returns how many, or -EINVAL.
static int
take_arg(struct parse *p, char **argv, int i)
{
	char name[64];
	const char *equals = strchr(argv[i], '=');
	size_t n = equals ? (size_t)(equals - argv[i]) : strlen(argv[i]);
	const struct own *own;

	if (strncmp(argv[i], "--", 2) != 0 || n - 2 >= sizeof(name))
		return refuse_unknown(p, argv[i]);
	snprintf(name, sizeof(name), "%.*s", (int)(n - 2), argv[i] + 2);
	own = find_own(name);
	if (!own && !find_option(name))
		return refuse_unknown(p, argv[i]);
	if (own && !own->has_value) {
		if (equals)
			return refuse(p, "%s: --%s takes no value", argv[i], name);
		return take(p, name, NULL) ? -EINVAL : 1;
	}
	if (equals)
		return take(p, name, equals + 1) ? -EINVAL : 1;
	if (!argv[i + 1])
		return refuse(p, "--%s: the value is missing, as in --%s=VALUE", name, name);
	return take(p, name, argv[i + 1]) ? -EINVAL : 2;
}

// Takes all, moving what is Google Benchmark's to the front.
static int
take_all(struct parse *p, int *argc, char **argv)
{
	int left = 1, n;

	for (int i = 1; i < *argc; i += n) {
		n = 1;
		if (for_gbench(argv[i]))
			argv[left++] = argv[i];
		else if ((n = take_arg(p, argv, i)) < 0)
			return n;
	}
	argv[left] = NULL;
	*argc = left;
	return 0;
}

// ---- What they mean together ---------------------------------------------------------------------------------------

static int
set_workload(struct parse *p)
{
	const struct workload *w;
	const char *what = p->workload ? p->workload : "";

	w = workload_find(what);
	if (w) {
		workload_init(&p->cell->run, w);
		return 0;
	}
	if (p->workload)
		refuse(p, "--workload=%s: no such workload; allowed are", what);
	else
		refuse(p, "--workload is missing; allowed are");
	for (int i = 0; (w = workload_at(i)); i++)
		append(p->err, p->size, "%s %s", i ? "," : "", w->name);
	return -EINVAL;
}

static int
set_params(struct parse *p)
{
	char key[64];

	for (int i = 0; i < p->params; i++) {
		const char *equals = strchr(p->param[i], '=');

		snprintf(key, sizeof(key), "%.*s", (int)(equals - p->param[i]), p->param[i]);
		if (workload_set(&p->cell->run, key, equals + 1, p->err, p->size))
			return -EINVAL;
	}
	return 0;
}

// All repetitions of a cell share one seed, so that they differ by the machine alone and any of them can be repeated.
static int
set_seed(struct parse *p)
{
	uint64_t *seed = &p->cell->options.seed;

	while (!*seed) {
		if (getrandom(seed, sizeof(*seed), 0) != sizeof(*seed))
			return refuse(p, "--seed=0: the system gives no random number: %s", strerror(errno));
		*seed >>= 1; // so that it fits a whole number in JSON
	}
	return 0;
}

// All workloads have the first two forms; the others are not to be had for each.
static int
check_form(struct parse *p)
{
	const struct workload *w = p->cell->run.workload;
	enum cell_runtime r = p->cell->runtime;

	if ((r != RUNTIME_THREADS || w->threads) && (r != RUNTIME_EVLOOP || w->evloop))
		return 0;
	return refuse(p, "--runtime=%s: workload %s has no such form; allowed are mn, serial%s%s", runtimes[r],
	              p->workload, w->threads ? ", threads" : "", w->evloop ? ", evloop" : "");
}

static int
complete(struct parse *p)
{
	if (p->cell->calibrate)
		return 0;
	if (set_workload(p) || set_params(p) || set_seed(p))
		return -EINVAL;
	if (check_form(p))
		return -EINVAL;
	if (p->cell->options.error[0])
		return refuse(p, "%s", p->cell->options.error);
	if (mn_options_check(&p->cell->options, p->err, p->size))
		return -EINVAL;
	return 0;
}

enum cell_request
cell_parse(struct cell *c, int *argc, char **argv, char *err, size_t size)
{
	struct parse p = { .cell = c, .err = err, .size = size };

	memset(c, 0, sizeof(*c));
	mn_options_init(&c->options);
	if (take_all(&p, argc, argv))
		return REQUEST_BAD;
	if (p.request == REQUEST_RUN && complete(&p))
		return REQUEST_BAD;
	return p.request;
}

// ---- The name ------------------------------------------------------------------------------------------------------

static bool
always_named(const char *option)
{
	static const char *const names[] = { "procs", "steal", "victim", "local_cap" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(option, names[i]))
			return true;
	}
	return false;
}

void
cell_name(const struct cell *c, char *text, size_t size)
{
	const struct workload_param *param = c->run.workload->params;
	const struct mn_option_info *option;
	char value[MN_TEXT_MAX];

	snprintf(text, size, "%s/runtime:%s", c->run.workload->name, cell_runtime_name(c->runtime));
	for (int i = 0; c->runtime == RUNTIME_MN && (option = mn_option_at(i)); i++) {
		mn_options_get(&c->options, option->name, value, sizeof(value));
		if (!strcmp(option->name, "seed") || strchr(value, '/'))
			continue;
		if (always_named(option->name) || strcmp(value, option->initial) != 0)
			append(text, size, "/%s:%s", option->name, value);
	}
	for (int i = 0; param[i].name; i++) {
		if (c->run.param[i] != param[i].initial)
			append(text, size, "/%s:%ld", param[i].name, c->run.param[i]);
	}
}
