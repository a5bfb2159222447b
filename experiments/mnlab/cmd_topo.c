// SPDX-License-Identifier: MIT
// cmd_topo.c: mnlab topo: the processors of this machine, and which of them each P would be bound to.
#include "experiments/mnlab/mnlab.h"
#include "experiments/mnlab/setup.h"

#include "sched/mn.h"
#include "sched/os/topo.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct request {
	long procs; // 0: what GOMAXPROCS would be
	const char *pin;
	bool xml;
};

static const struct argp_option options[] = {
	{ "procs", 'p', "N", 0, "Show the binding of that many Ps (as many as GOMAXPROCS would be)", 0 },
	{ "pin", 'b', "HOW", 0, "none, close, spread, or a list like 0,2-5 (close)", 0 },
	{ "xml", 'x', NULL, 0, "Print the topology as hwloc's XML and nothing else", 0 },
	{ 0 },
};

static error_t
take(int key, char *arg, struct argp_state *state)
{
	struct request *r = state->input;

	switch (key) {
	case 'p':
		r->procs = setup_number("mnlab topo", "procs", arg, 1, MN_PROCS_MAX);
		return r->procs < 0 ? EINVAL : 0;
	case 'b':
		r->pin = arg;
		return 0;
	case 'x':
		r->xml = true;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "\"%s\" is not an option", arg);
		return EINVAL;
	}
	return ARGP_ERR_UNKNOWN;
}

static int
print_xml(const struct mn_topo *t)
{
	char *xml = mn_topo_xml(t);

	if (!xml) {
		fprintf(stderr, "mnlab topo: out of memory\n");
		return MNLAB_FAILED;
	}
	fputs(xml, stdout);
	free(xml);
	return MNLAB_OK;
}

static int
print_binding(const struct mn_topo *t, const struct request *r)
{
	static int pu[MN_PROCS_MAX];
	char text[512], why[256];
	int procs = r->procs ? (int)r->procs : mn_default_procs(why, sizeof why);

	if (mn_topo_plan(t, r->pin, procs, pu, text, sizeof text)) {
		fprintf(stderr, "mnlab topo: --pin=%s: %s\n", r->pin, text);
		return MNLAB_USAGE;
	}
	printf("binding of %d Ps, pin=%s:\n", procs, r->pin);
	for (int p = 0; p < procs; p++)
		if (!mn_topo_describe(t, pu[p], text, sizeof text))
			printf("%d: %s\n", p, text);
	return MNLAB_OK;
}

static int
print_all(const struct mn_topo *t, const struct request *r)
{
	char why[256];
	int procs = mn_default_procs(why, sizeof why);

	printf("%d processors, %d cores, %d last-level caches, %d memory nodes, %d packages%s\n", mn_topo_num_pus(t),
	       mn_topo_num_cores(t), mn_topo_num_llcs(t), mn_topo_num_numas(t), mn_topo_num_packages(t),
	       mn_topo_is_real(t) ? "" : " (not this machine: HWLOC_SYNTHETIC or HWLOC_XMLFILE is set, nothing binds)");
	printf("default number of Ps: %d, by %s\n", procs, why);
	return print_binding(t, r);
}

int
cmd_topo(int argc, char **argv)
{
	static const struct argp argp = {
		options, take,
		NULL,    "Shows the processors that this process may use, and which of them each P is bound to.",
		NULL,    NULL,
		NULL
	};
	struct request r = { .pin = "close" };
	struct mn_topo *t;

	argp_err_exit_status = MNLAB_USAGE;
	if (argp_parse(&argp, argc, argv, 0, NULL, &r))
		return MNLAB_USAGE;
	int rc = mn_topo_load(&t);
	if (rc) {
		fprintf(stderr, "mnlab topo: the topology cannot be read: %s\n", strerror(-rc));
		return MNLAB_FAILED;
	}
	int code = r.xml ? print_xml(t) : print_all(t, &r);
	mn_topo_free(t);
	return code;
}
