// SPDX-License-Identifier: MIT
// matrix.h: a matrix file as it was written: sections of factors with their values, all of them checked.
//
//	[matrix]
//	workload = uniform, skewed
//	procs = 1, 2, 4..200% *2
//	steal = half, one, all
//	rounds = 12
//	exclude = steal:all victim:most-loaded
//
//	[workload skewed]
//	tasks = 200
//
//	[set control]              adds the cells of [matrix] once more with these factors in place of its own
//	steal = none
//	skewed.tasks = 1000        a workload parameter, for this set only
//
// Reading only; cells.h makes cells of it. Any error is told as file:line:column, and stops the reading.
#ifndef EXPERIMENTS_MNLAB_MATRIX_H
#define EXPERIMENTS_MNLAB_MATRIX_H

#include "experiments/mnlab/factor.h"
#include "experiments/mnlab/values.h"

#include <stdint.h>

struct machine;

enum { MATRIX_NAME_MAX = 64 };

// One factor and the values it takes, in their canonical spelling.
struct factor {
	char name[MATRIX_NAME_MAX];
	struct factor_id id;
	struct values values;
	int line;
};

// A conjunction: a cell is left out when every term's factor has one of the term's values.
struct exclude {
	struct factor *terms;
	int n;
};

// [matrix] (named "") or one [set NAME].
struct section {
	char name[MATRIX_NAME_MAX];
	struct factor *factors;
	int nfactors;
	struct exclude *excludes;
	int nexcludes;
	long rounds, timeout_s; // 0: not said
	int line;
};

struct matrix {
	const char *path; // the caller's
	char *text;       // the whole file
	size_t length;
	uint64_t seed; // 0: not said
	bool seed_said;
	struct section *sections; // [matrix] first, whether it was met or not
	int nsections;
	struct section workloads; // all [workload NAME] sections: factors named NAME.PARAMETER
};

enum { MATRIX_ROUNDS = 12, MATRIX_TIMEOUT_S = 60 }; // when nothing is said

// Returns 0, or -errno with one line in err. On failure *m is empty.
int matrix_read(struct matrix *m, const char *path, const struct machine *machine, char *err, size_t size);
void matrix_free(struct matrix *m);

// The factor of that name in a section, or NULL.
const struct factor *section_find(const struct section *s, const char *name);

#endif
