// SPDX-License-Identifier: MIT
// manifest.h: DIR/manifest.json: what the rows of a results folder were made with and on.
#ifndef EXPERIMENTS_MNLAB_MANIFEST_H
#define EXPERIMENTS_MNLAB_MANIFEST_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

struct matrix;

struct manifest_facts {
	const struct matrix *matrix;
	uint64_t binary; // hash of the program that runs the cells
	uint64_t seed;
	double rate; // iterations of work per microsecond
	int argc;    // the command line
	char *const *argv;
};

// A new manifest of this machine and these facts.
json_t *manifest_make(const struct manifest_facts *facts);

// This machine as an identity: the same for every run on it, and for no other machine.
void manifest_host(char *text, size_t size);

// Whether rows of the old manifest may stand beside new ones made here with this binary. 0, or -EXDEV with the difference
// in err ("machine 1a2b.. (CPU), this is ..").
int manifest_accepts(const json_t *old, uint64_t binary, char *err, size_t size);

// Takes over when the folder was begun, and adds this run to the list of its runs.
void manifest_continue(json_t *now, const json_t *old);

// Replaces DIR/manifest.json in one step: a reader meets the old one or the new one. 0 or -errno with one line in err.
int manifest_write(const json_t *m, const char *dir, char *err, size_t size);

#endif
