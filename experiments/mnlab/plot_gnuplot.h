// SPDX-License-Identifier: MIT
// plot_gnuplot.h: runs gnuplot on a chart's script.
#ifndef EXPERIMENTS_MNLAB_PLOT_GNUPLOT_H
#define EXPERIMENTS_MNLAB_PLOT_GNUPLOT_H

#include <stdbool.h>
#include <stddef.h>

// The folder of the *.gp files: installed beside this program, or where it was built from. Returns 0 or -ENOENT.
int gnuplot_scripts(char *dir, size_t size);

// Whether PATH has a gnuplot. To be asked before gnuplot_draw, which runs the one found.
bool gnuplot_present(void);

// Runs script with the variables of vars (a file in dir) and terminal ("svg", "pngcairo", "dumb") in dir, and leaves the
// picture in dir/out, or prints it when out is NULL. Returns 0, with gnuplot's warnings in err, or -errno with one line in
// err: -ENODATA when gnuplot said that all is well and left no picture.
int gnuplot_draw(const char *dir, const char *vars, const char *script, const char *terminal, const char *out,
                 char *err, size_t size);

#endif
