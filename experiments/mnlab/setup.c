// SPDX-License-Identifier: MIT
// setup.c: see setup.h.
#include "experiments/mnlab/setup.h"
#include "experiments/mnlab/command.h"
#include "experiments/mnlab/mnlab.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

long
setup_number(const char *program, const char *option, const char *text, long min, long max)
{
	char *end;

	errno = 0;
	long n = strtol(text, &end, 10);
	if (!errno && end != text && !*end && n >= min && n <= max)
		return n;
	fprintf(stderr, "%s: --%s=%s; allowed: a whole number from %ld to %ld\n", program, option, text, min, max);
	return -1;
}

// results/NAME for any/where/NAME.matrix.
static void
default_folder(const char *file, char *dir, size_t size)
{
	const char *base = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
	size_t n = strlen(base);

	if (n > 7 && !strcmp(base + n - 7, ".matrix"))
		n -= 7;
	snprintf(dir, size, "results/%.*s", (int)n, base);
}

static int
open_program(struct setup *s, bool needed, char *err, size_t size)
{
	int rc = command_find(s->program, sizeof s->program, err, size);

	if (!rc && (rc = file_hash(s->program, &s->binary)))
		snprintf(err, size, "%s: %s", s->program, strerror(-rc));
	if (rc && !needed) {
		s->program[0] = 0;
		rc = 0;
	}
	return rc;
}

static void
override(struct cells *c, const struct setup_request *q)
{
	for (int i = 0; i < c->n; i++) {
		c->cell[i].rounds = q->rounds ? q->rounds : c->cell[i].rounds;
		c->cell[i].timeout_s = q->timeout_s ? q->timeout_s : c->cell[i].timeout_s;
	}
}

static int
read_all(struct setup *s, const struct setup_request *q, char *err, size_t size)
{
	char why[512];
	int rc = machine_read(&s->machine, err, size);

	if (!rc)
		rc = matrix_read(&s->matrix, q->file, &s->machine, err, size);
	if (!rc)
		rc = open_program(s, q->need_program, err, size);
	if (!rc && (rc = cells_make(&s->cells, &s->matrix, s->binary, &s->machine, why, sizeof why)))
		snprintf(err, size, "%s: %s", q->file, why);
	return rc;
}

int
setup_open(struct setup *s, const struct setup_request *q)
{
	char err[8192];
	int rc;

	memset(s, 0, sizeof *s);
	if (q->out && strlen(q->out) >= sizeof s->dir - 64) {
		fprintf(stderr, "--out: a name of %zu characters; allowed: up to %zu\n", strlen(q->out),
		        sizeof s->dir - 65);
		return MNLAB_USAGE;
	}
	if (q->out)
		snprintf(s->dir, sizeof s->dir, "%s", q->out);
	else
		default_folder(q->file, s->dir, sizeof s->dir);
	rc = read_all(s, q, err, sizeof err);
	if (rc) {
		fprintf(stderr, "%s\n", err);
		setup_close(s);
		return MNLAB_USAGE;
	}
	override(&s->cells, q);
	return MNLAB_OK;
}

void
setup_close(struct setup *s)
{
	cells_free(&s->cells);
	matrix_free(&s->matrix);
}
