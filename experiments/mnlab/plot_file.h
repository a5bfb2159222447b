// SPDX-License-Identifier: MIT
// plot_file.h: files that appear whole or not at all: written under another name, then renamed.
#ifndef EXPERIMENTS_MNLAB_PLOT_FILE_H
#define EXPERIMENTS_MNLAB_PLOT_FILE_H

#include <stddef.h>
#include <stdio.h>

enum { PLOT_PATH = 4096 };

struct plot_file {
	FILE *f;
	char path[PLOT_PATH], temp[PLOT_PATH];
};

// Opens DIR/NAME for writing. commit puts it in place, or removes it when anything could not be written; abandon removes
// it. Return 0 or -errno.
int plot_file_open(struct plot_file *, const char *dir, const char *name);
int plot_file_commit(struct plot_file *);
void plot_file_abandon(struct plot_file *);

// Writes text as a gnuplot string constant, quotes included.
void plot_quote(FILE *f, const char *text);

#endif
