// SPDX-License-Identifier: MIT
// mnlab.h: what the parts of the command share: its subcommands and its exit codes.
//
// Each subcommand is one function in cmd_NAME.c. It reads its own arguments with argp (argv[0] is "mnlab NAME"), prints
// what it has to say, and returns the exit code; it never calls exit for a failure of its own.
#ifndef EXPERIMENTS_MNLAB_MNLAB_H
#define EXPERIMENTS_MNLAB_MNLAB_H

enum mnlab_exit {
	MNLAB_OK = 0,
	MNLAB_FAILED = 1,        // a cell failed, or compare found a regression
	MNLAB_USAGE = 2,         // bad arguments, bad matrix, missing tool, unusable folder
	MNLAB_CANNOT_TELL = 3,   // too few repetitions for an answer
	MNLAB_BAD_DATA = 4,      // stored results that cannot be what this program wrote
	MNLAB_INTERRUPTED = 130, // SIGINT or SIGTERM: everything finished so far is stored
};

int cmd_plan(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_plot(int argc, char **argv);
int cmd_model(int argc, char **argv);
int cmd_topo(int argc, char **argv);

#endif
