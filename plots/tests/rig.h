// SPDX-License-Identifier: MIT
// rig.h: runs mnlab plot in a child process on results folders of its own, and looks at what it leaves.
#ifndef PLOTS_TESTS_RIG_H
#define PLOTS_TESTS_RIG_H

#include <stdbool.h>
#include <stddef.h>

struct said {
	int code; // exit code, -1: killed
	char out[65536], err[65536];
};

// A fresh folder, removed with everything in it by rig_done. Paths below are relative to it.
void rig_begin(void);
void rig_done(void);
const char *rig_dir(const char *name); // makes the folder NAME

// mnlab plot with these arguments, up to a NULL. path: PATH of the child, NULL for our own.
void rig_plot(struct said *, const char *path, ...) __attribute__((sentinel));

bool rig_gnuplot(void); // there is a gnuplot in our PATH

// Files: length (-1: none), contents (the caller frees), equality, files of a folder whose name ends so.
long rig_length(const char *path);
char *rig_read(const char *path, size_t *n);
void rig_write(const char *path, const char *text, bool executable);
bool rig_same(const char *a, const char *b);
int rig_count(const char *dir, const char *ending);

// The number in `column` (from 0) of the line of a table that begins with `key` (its fields joined by blanks); NaN if
// there is none.
double rig_number(const char *path, const char *key, int column);

#endif
