// SPDX-License-Identifier: MIT
// mncell_help.c: the page that --help prints. Options, workloads and parameters are listed from their own tables.
#include "experiments/mncell.h"

#include <stdio.h>

#include "experiments/gbench.h"

static void
print_allowed(const struct mn_option_info *option)
{
	if (option->values) {
		for (int i = 0; option->values[i]; i++)
			printf("%s%s", i ? ", " : "", option->values[i]);
	} else if (option->min <= option->max) {
		printf("%ld..%ld", option->min, option->max);
	} else {
		printf("text");
	}
}

static void
print_options(void)
{
	const struct mn_option_info *option;

	printf("\nThe scheduler (also as MN_<NAME> in the environment):\n");
	for (int i = 0; (option = mn_option_at(i)); i++) {
		printf("  --%s=V\n        %s\n        allowed: ", option->name, option->help);
		print_allowed(option);
		printf("; default: %s\n", option->initial);
	}
}

static void
print_workloads(void)
{
	const struct workload *w;

	printf("\nWorkloads and their parameters (default, range):\n");
	for (int i = 0; (w = workload_at(i)); i++) {
		printf("  --workload=%s\n        %s\n", w->name, w->title);
		for (const struct workload_param *p = w->params; p->name; p++)
			printf("        --param %s=%ld  (%ld..%ld) %s\n", p->name, p->initial, p->min, p->max, p->help);
	}
}

void
cell_help(void)
{
	printf("Usage: mncell --workload=W [OPTION..]\n"
	       "Runs one cell of an experiment: one workload under one scheduler, timed and verified.\n"
	       "\n"
	       "The cell:\n"
	       "  --workload=W       what runs; see below\n"
	       "  --param KEY=VALUE  a parameter of it; may be given several times\n"
	       "  --runtime=R        mn (the scheduler), serial (one call after the other), threads (one thread a "
	       "task),\n"
	       "                     evloop (one thread, driven by events)\n"
	       "  --rate=X           work per microsecond, in iterations; without it the machine is calibrated first\n"
	       "  --evidence=FILE    write the figures of the last repetition, or of the first wrong one, as JSON\n"
	       "  --calibrate        print the rate of this machine as JSON, run nothing\n"
	       "  --version, --help\n"
	       "\n"
	       "Exit status: 0 fine; 1 it could not run; 2 bad arguments, or a fatal error of the scheduler; 4 its "
	       "answer or\n"
	       "its counters are wrong. Builds with sanitizers, checks or without optimisation refuse to measure, "
	       "unless\n"
	       "MNCELL_ANY_BUILD=1 is set.\n");
	print_workloads();
	print_options();
	printf("\n%s, which runs the cell, takes:\n", gbench_library());
	fflush(stdout);
	gbench_help();
}
