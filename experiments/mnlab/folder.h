// SPDX-License-Identifier: MIT
// folder.h: the results folder as a place: made, locked, emptied for a fresh start.
#ifndef EXPERIMENTS_MNLAB_FOLDER_H
#define EXPERIMENTS_MNLAB_FOLDER_H

#include <stddef.h>

// Makes the folder and those above it. 0 or -errno with one line in err.
int folder_make(const char *dir, char *err, size_t size);

// Locks it against other runs for the life of the returned descriptor (also when we are killed). -EBUSY: one is going on.
int folder_lock(const char *dir, char *err, size_t size);

// Moves manifest.json, rows.jsonl, cells and plots into DIR/old-N, with the first N that is free; its path in aside.
int folder_set_aside(const char *dir, char *aside, size_t aside_size, char *err, size_t size);

#endif
