// SPDX-License-Identifier: MIT
// plot_chart.h: what a chart is: a name, a script, and a function that turns observations into its data files.
//
// Data and drawing meet in two kinds of files in DIR/plots: NAME*.tsv, tidy tables for people and other programs, and
// NAME.vars, gnuplot assignments that only the script reads (titles, lists, ranges). So each figure can be drawn again
// by hand:  cd DIR/plots && gnuplot -e "scripts='..'; term='svg'; out='x.svg'" speedup.vars ../../../plots/speedup.gp
#ifndef EXPERIMENTS_MNLAB_PLOT_CHART_H
#define EXPERIMENTS_MNLAB_PLOT_CHART_H

#include "experiments/mnlab/plot_rows.h"

#include <stdio.h>

enum { CHART_NOTHING = 1 };

struct chart_job {
	const char *dir;     // results folder
	const char *out;     // DIR/plots
	const char *scripts; // folder of the *.gp files
	bool sim;
	int cpus;          // of the machine measured
	char machine[256]; // "AMD EPYC, 2 CPUs, commit 0123456"
	const struct obs_list *all, *comparable;

	char name[64];      // "speedup", "speedup-sim"
	FILE *vars;         // NAME.vars, open
	const char *script; // "speedup.gp"; make may choose another
	char why[320];      // one line, when make does not return 0
	char note[160];     // what a reader of the chart should know, or ""
};

struct chart {
	const char *name;
	const char *script;
	const char *what;
	// Writes the data files and the variables. Returns 0, CHART_NOTHING when there is nothing to draw, or -errno.
	int (*make)(struct chart_job *);
};

int chart_speedup(struct chart_job *);
int chart_heatmap(struct chart_job *);
int chart_queues(struct chart_job *);

// Variables: NAME='value', NAME=value, and an array of strings.
void chart_text(struct chart_job *, const char *name, const char *value);
void chart_number(struct chart_job *, const char *name, double value);
void chart_texts(struct chart_job *, const char *name, const char *const *values, size_t n);

// "skewed: 200 tasks, 5 ms each" for a workload's panel.
void chart_title(const struct obs_list *, const char *workload, char *title, size_t size);

// Median and 95 % order-statistic interval of x, which is sorted in place. lo and hi are NaN when n is too small for one.
struct chart_median {
	size_t n;
	double median, lo, hi;
};
struct chart_median chart_median(double *x, size_t n);

// "12 rounds", "5 to 12 rounds".
void chart_rounds(size_t least, size_t most, char *text, size_t size);

#endif
