// SPDX-License-Identifier: MIT
// sample.c: see sample.h. Made through a matrix file, as everything is.
#include "experiments/mnlab/tests/sample.h"
#include "experiments/mnlab/machine.h"
#include "experiments/mnlab/matrix.h"
#include "experiments/mnlab/tests/check.h"

#include <unistd.h>

struct cells sample;

void
sample_make(void)
{
	static const struct machine machine = { .pus = 2, .cores = 2, .llcs = 1, .numas = 1, .usable = 2 };
	char path[64], err[1024];
	struct matrix m;

	snprintf(path, sizeof path, "sample-%ld.matrix", (long)getpid());
	FILE *f = fopen(path, "w");
	check(f && fputs("[matrix]\nworkload = skewed\nprocs = 1, 2, 4\nruntime = mn, threads\nrounds = 2\n", f) >= 0);
	check(!fclose(f));
	check_number(matrix_read(&m, path, &machine, err, sizeof err), 0);
	check_number(cells_make(&sample, &m, 1, &machine, err, sizeof err), 0);
	matrix_free(&m);
	unlink(path);
}

void
sample_free(void)
{
	cells_free(&sample);
}

int
sample_find(enum runtime runtime, int procs)
{
	for (int i = 0; i < sample.n; i++)
		if (sample.cell[i].runtime == runtime && sample.cell[i].options.procs == procs)
			return i;
	fprintf(stderr, "no %s cell with procs=%d in the sample\n", runtime_names[runtime], procs);
	exit(1);
}
