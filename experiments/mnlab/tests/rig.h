// SPDX-License-Identifier: MIT
// rig.h: a place to run mnlab in: a folder of its own with a copy of mnlab and the fake mncell beside it.
#ifndef EXPERIMENTS_MNLAB_TESTS_RIG_H
#define EXPERIMENTS_MNLAB_TESTS_RIG_H

#include "experiments/mnlab/exec.h"

#include <jansson.h>
#include <stdbool.h>
#include <sys/types.h>

// Makes the folder and goes there. From here on paths are relative to it: bin/mnlab, bin/mncell, bin/calls.
void rig_enter(const char *mnlab, const char *fake);
void rig_leave(void); // removes it

// Writes a file; appends to one.
void rig_write(const char *name, const char *text);
void rig_append(const char *name, const char *text);

// Runs bin/mnlab with these words (NULL at the end), and keeps what it said until the next call.
const struct exec_result *rig_mnlab(const char *word, ...) __attribute__((sentinel));
// The same in the background; a matrix and its results folder.
pid_t rig_start(const char *matrix, const char *out);

// How often the fake was called since the last time this was asked, calibrations not counted.
int rig_calls(void);

// The rows of a results folder.
json_t *rig_rows(const char *dir);
// How many rows have this status (NULL: any).
int rig_count(const json_t *rows, const char *status);
// How many (cell, round) of the folder have a row that counts; none may have two OK rows.
int rig_finals(const char *dir);
const json_t *rig_last(const json_t *rows);
// A key's text, "(none)" without it.
const char *rig_text(const json_t *row, const char *key);
bool rig_exists(const char *name);
long rig_size(const char *name);

#endif
