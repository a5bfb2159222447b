// SPDX-License-Identifier: MIT
// main.c: mnlab SUBCOMMAND: finds the subcommand and hands the rest of the command line over.
//
// Subcommands are rows of a table; each parses its own arguments, so that `mnlab run --help` is about run alone.
#include "experiments/mnlab/mnlab.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
};

// clang-format off
static const struct command commands[] = {
	{ "plan",    cmd_plan,    "show the cells, repetitions and expected duration of a matrix; run nothing" },
	{ "run",     cmd_run,     "run a matrix, or go on with it where it was interrupted" },
#ifdef MNLAB_COMPARE
	{ "compare", cmd_compare, "set the values of one factor against each other, with confidence intervals" },
#endif
#ifdef MNLAB_PLOT
	{ "plot",    cmd_plot,    "draw the charts of a results folder" },
#endif
#ifdef MNLAB_MODEL
	{ "model",   cmd_model,   "run the round model, step through it, or check golden files" },
#endif
	{ "topo",    cmd_topo,    "show the processors of this machine and how procs are bound to them" },
};
// clang-format on
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void
help(FILE *f)
{
	fprintf(f,
	        "Usage: mnlab COMMAND [ARGUMENT...]\n"
	        "A laboratory for goroutine-style scheduling: runs workloads under every policy, compares, draws.\n\n");
	for (int i = 0; i < COMMANDS; i++)
		fprintf(f, "  %-9s%s\n", commands[i].name, commands[i].help);
	fprintf(f, "\n`mnlab COMMAND --help` tells what a command takes; `mnlab --version` the version.\n"
	           "Exit status: 0 fine, 1 a cell failed, 2 usage, 3 cannot tell, 4 invalid data.\n");
}

static int
unknown(const char *name)
{
	fprintf(stderr, "mnlab: unknown command \"%s\"; allowed:", name);
	for (int i = 0; i < COMMANDS; i++)
		fprintf(stderr, " %s", commands[i].name);
	fprintf(stderr, "\n");
	return MNLAB_USAGE;
}

static int
dispatch(const struct command *c, int argc, char **argv)
{
	char name[64];

	snprintf(name, sizeof name, "mnlab %s", c->name);
	argv[0] = name; // what argp and error lines call the program
	return c->run(argc, argv);
}

int
main(int argc, char **argv)
{
	setlocale(LC_ALL, "C"); // numbers with a point, whatever the user's language
	if (argc < 2) {
		help(stderr);
		return MNLAB_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		help(stdout);
		return MNLAB_OK;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("mnlab %s\n", MNLAB_VERSION);
		return MNLAB_OK;
	}
	for (int i = 0; i < COMMANDS; i++)
		if (!strcmp(argv[1], commands[i].name))
			return dispatch(&commands[i], argc - 1, argv + 1);
	return unknown(argv[1]);
}
