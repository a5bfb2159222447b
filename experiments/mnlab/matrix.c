// SPDX-License-Identifier: MIT
// matrix.c: reads a matrix file: inih finds the pairs, this file makes factors, exclusions and numbers of them.
//
// Lines, section headings and positions are the business of matrix_lines.c. Values are checked as they are read, so that
// an error in line 7 is told as line 7, and nothing after it is looked at.
#include "experiments/mnlab/matrix.h"
#include "experiments/mnlab/matrix_lines.h"

#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MAX_BYTES = 1 << 20 };

// ---- Pairs -----------------------------------------------------------------------------------------------------------

static struct section *
current(struct parser *p)
{
	return p->where == IN_SET ? &p->m->sections[p->m->nsections - 1] : &p->m->sections[0];
}

static int
value_column(const struct parser *p)
{
	size_t at = strcspn(p->line, "=:") + 1;

	return p->column + (int)(at + strspn(p->line + at, " \t"));
}

static int
read_whole(struct parser *p, const char *name, const char *value, unsigned long long min, unsigned long long max,
           unsigned long long *out)
{
	char *end;

	errno = 0;
	*out = strtoull(value, &end, 10);
	if (errno || end == value || *end || value[0] == '-' || *out < min || *out > max)
		return matrix_refuse(p, value_column(p), "%s \"%s\"; allowed: a whole number from %llu to %llu", name,
		                     value, min, max);
	return 0;
}

static int
check_values(struct parser *p, struct factor *f)
{
	char err[1024];

	for (int i = 0; i < f->values.n; i++)
		if (factor_check(&f->id, f->values.v[i].text, err, sizeof err))
			return matrix_refuse(p, f->values.v[i].column, "%s", err);
	return 0;
}

// Reads NAME = VALUES into *f, which is zeroed.
static int
read_factor(struct parser *p, struct factor *f, const char *name, int name_column, const char *value, int column)
{
	char err[1024];
	int at;

	if (factor_find(&f->id, name, err, sizeof err))
		return matrix_refuse(p, name_column, "%s", err);
	if (f->id.kind == FACTOR_PARAM && !f->id.param->name)
		return matrix_refuse(p, name_column, "a parameter is missing after the point");
	if (values_read(&f->values, value, column, factor_is_numeric(&f->id), p->machine, &at, err, sizeof err))
		return matrix_refuse(p, at, "%s", err);
	snprintf(f->name, sizeof f->name, "%s", name);
	f->line = p->number;
	return check_values(p, f);
}

static int
add_factor(struct parser *p, struct section *s, const char *name, const char *value)
{
	const struct factor *old = section_find(s, name);

	if (old)
		return matrix_refuse(p, p->column, "\"%s\" once more; the first is in line %d", name, old->line);
	struct factor *f = matrix_grow(p, s->factors, s->nfactors, sizeof *f);
	if (!f)
		return p->rc;
	s->factors = f;
	return read_factor(p, &f[s->nfactors++], name, p->column, value, value_column(p));
}

// One term "factor:values" of an exclude line.
static int
add_term(struct parser *p, struct exclude *e, char *term, int column)
{
	char *colon = strchr(term, ':');

	if (!colon)
		return matrix_refuse(
		        p, column, "\"%s\" is no condition; allowed: FACTOR:VALUE, several with blanks between", term);
	*colon = 0;
	struct factor *f = matrix_grow(p, e->terms, e->n, sizeof *f);
	if (!f)
		return p->rc;
	e->terms = f;
	return read_factor(p, &f[e->n++], term, column, colon + 1, column + (int)(colon + 1 - term));
}

static int
add_exclude(struct parser *p, struct section *s, const char *value)
{
	struct exclude *e = matrix_grow(p, s->excludes, s->nexcludes, sizeof *e);
	char text[LINE_MAX_CHARS + 2], *rest = text;
	int column = value_column(p);

	if (!e)
		return p->rc;
	s->excludes = e;
	e += s->nexcludes++;
	snprintf(text, sizeof text, "%s", value);
	for (char *term; (term = strsep(&rest, " \t"));)
		if (*term && add_term(p, e, term, column + (int)(term - text)))
			return p->rc;
	return e->n ? 0 : matrix_refuse(p, column, "a condition is missing here; allowed: FACTOR:VALUE");
}

static int
set_number(struct parser *p, const char *name, const char *value, long *field, long max)
{
	unsigned long long n;

	if (*field)
		return matrix_refuse(p, p->column, "\"%s\" once more in this section", name);
	if (read_whole(p, name, value, 1, (unsigned long long)max, &n))
		return p->rc;
	*field = (long)n;
	return 0;
}

static int
set_seed(struct parser *p, const char *value)
{
	unsigned long long n;

	if (p->where != IN_MATRIX)
		return matrix_refuse(p, p->column, "seed belongs to [matrix]: one run has one seed");
	if (p->m->seed_said)
		return matrix_refuse(p, p->column, "\"seed\" once more in this section");
	if (read_whole(p, "seed", value, 1, INT64_MAX, &n))
		return p->rc;
	p->m->seed = n;
	p->m->seed_said = true;
	return 0;
}

static int
section_pair(struct parser *p, const char *name, const char *value)
{
	struct section *s = current(p);

	if (!strcmp(name, "rounds"))
		return set_number(p, name, value, &s->rounds, 10000);
	if (!strcmp(name, "timeout_s"))
		return set_number(p, name, value, &s->timeout_s, 86400);
	if (!strcmp(name, "seed"))
		return set_seed(p, value);
	if (!strcmp(name, "exclude"))
		return add_exclude(p, s, value);
	return add_factor(p, s, name, value);
}

static int
workload_pair(struct parser *p, const char *name, const char *value)
{
	char full[2 * MATRIX_NAME_MAX];

	snprintf(full, sizeof full, "%s.%s", p->workload->name, name);
	return add_factor(p, &p->m->workloads, full, value);
}

static int
on_pair(void *user, const char *section, const char *name, const char *value)
{
	struct parser *p = user;

	(void)section; // the reader knows it already, and checked it
	if (p->rc)
		return 0;
	return p->where == IN_WORKLOAD ? !workload_pair(p, name, value) : !section_pair(p, name, value);
}

// ---- The file --------------------------------------------------------------------------------------------------------

static int
load_text(struct matrix *m, char *err, size_t size)
{
	FILE *f = fopen(m->path, "re");

	if (!f) {
		snprintf(err, size, "%s: %s", m->path, strerror(errno));
		return -errno;
	}
	m->text = malloc(FILE_MAX_BYTES + 1);
	errno = m->text ? 0 : ENOMEM;
	m->length = m->text ? fread(m->text, 1, FILE_MAX_BYTES + 1, f) : 0;
	int rc = ferror(f) || !m->text ? -errno : m->length > FILE_MAX_BYTES ? -EFBIG : 0;
	fclose(f);
	if (rc)
		snprintf(err, size, "%s: %s", m->path, strerror(-rc));
	else
		m->text[m->length] = 0;
	return rc;
}

static int
check_whole(struct parser *p)
{
	const struct section *s = &p->m->sections[0];

	if (!s->line) {
		p->number = p->number ? p->number : 1;
		return matrix_refuse(p, 1, "no [matrix] section");
	}
	if (!section_find(s, "workload")) {
		p->number = s->line;
		return matrix_refuse(p, 1, "[matrix] names no workload; needed: workload = NAME, ..");
	}
	return 0;
}

static int
parse(struct parser *p)
{
	struct section *s = matrix_add_section(p, "");

	if (!s)
		return p->rc;
	int rc = ini_parse_stream(matrix_next_line, p, on_pair, p);
	if (p->rc)
		return p->rc;
	if (rc)
		return matrix_refuse(p, 1, "line %d cannot be understood", rc);
	return check_whole(p);
}

int
matrix_read(struct matrix *m, const char *path, const struct machine *machine, char *err, size_t size)
{
	*m = (struct matrix){ .path = path };
	int rc = load_text(m, err, size);
	if (!rc) {
		struct parser p = { .m = m, .machine = machine, .next = m->text, .err = err, .size = size };
		rc = parse(&p);
	}
	if (rc)
		matrix_free(m);
	return rc;
}

const struct factor *
section_find(const struct section *s, const char *name)
{
	for (int i = 0; i < s->nfactors; i++)
		if (!strcmp(s->factors[i].name, name))
			return &s->factors[i];
	return NULL;
}

static void
free_factors(struct factor *f, int n)
{
	for (int i = 0; i < n; i++)
		values_free(&f[i].values);
	free(f);
}

static void
free_section(struct section *s)
{
	free_factors(s->factors, s->nfactors);
	for (int i = 0; i < s->nexcludes; i++)
		free_factors(s->excludes[i].terms, s->excludes[i].n);
	free(s->excludes);
}

void
matrix_free(struct matrix *m)
{
	for (int i = 0; i < m->nsections; i++)
		free_section(&m->sections[i]);
	free_section(&m->workloads);
	free(m->sections);
	free(m->text);
	*m = (struct matrix){ 0 };
}
