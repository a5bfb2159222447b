// SPDX-License-Identifier: MIT
// plot_trace.c: the container of queue lengths, the reader of our own samples, and the writers. See plot_trace.h.
#include "experiments/mnlab/plot_trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void
trace_init(struct trace *t, int procs)
{
	*t = (struct trace){ .procs = procs };
}

void
trace_free(struct trace *t)
{
	free(t->ms);
	free(t->len);
	trace_init(t, 0);
}

static size_t
width(const struct trace *t)
{
	return (size_t)t->procs + 1;
}

static int
grow(struct trace *t)
{
	size_t room = t->room ? 2 * t->room : 256;
	double *ms = realloc(t->ms, room * sizeof(*ms));
	int *len;

	if (!ms)
		return -ENOMEM;
	t->ms = ms;
	len = realloc(t->len, room * width(t) * sizeof(*len));
	if (!len)
		return -ENOMEM;
	t->len = len;
	t->room = room;
	return 0;
}

int
trace_add(struct trace *t, double ms, const int *len)
{
	int err = t->n == t->room ? grow(t) : 0;

	if (err)
		return err;
	t->ms[t->n] = ms;
	memcpy(t->len + t->n++ * width(t), len, width(t) * sizeof(*len));
	return 0;
}

const int *
trace_at(const struct trace *t, size_t i)
{
	return t->len + i * width(t);
}

// ---- Our samples ---------------------------------------------------------------------------------------------------

static int
bad(char *err, size_t size, const char *path, size_t line, const char *what)
{
	snprintf(err, size, "%s:%zu: %s", path, line, what);
	return -EBADMSG;
}

// Counts the Ps of a header "t_us global p0 p1 ..", -1 if it is another one.
static int
header_procs(char *line)
{
	char *save, want[16], *word = strtok_r(line, "\t\n", &save);
	int procs = 0;

	if (!word || strcmp(word, "t_us"))
		return -1;
	word = strtok_r(NULL, "\t\n", &save);
	if (!word || strcmp(word, "global"))
		return -1;
	while ((word = strtok_r(NULL, "\t\n", &save))) {
		snprintf(want, sizeof(want), "p%d", procs);
		if (strcmp(word, want) || ++procs > TRACE_PROCS_MAX)
			return -1;
	}
	return procs ? procs : -1;
}

static bool
read_sample(const struct trace *t, const char *line, double *us, int *len)
{
	char *end;

	*us = strtod(line, &end);
	if (end == line)
		return false;
	for (size_t i = 0; i < width(t); i++) {
		long v;

		line = end;
		v = strtol(line, &end, 10);
		if (end == line || v < 0 || v > 1 << 30)
			return false;
		len[i] = (int)v;
	}
	return end[strspn(end, " \t\r\n")] == '\0';
}

static int
read_table(struct trace *t, FILE *f, const char *path, char *err, size_t size)
{
	int len[TRACE_PROCS_MAX + 1], rc = 0;
	char *line = NULL;
	size_t room = 0, number = 1;
	ssize_t n = getline(&line, &room, f);
	double us;

	t->procs = n < 0 ? -1 : header_procs(line);
	if (t->procs < 0)
		rc = bad(err, size, path, 1, "not a table of queue lengths: t_us, global, p0, p1, .. expected");
	while (!rc && (n = getline(&line, &room, f)) > 0 && line[n - 1] == '\n') {
		number++;
		if (read_sample(t, line, &us, len))
			rc = trace_add(t, us / 1000, len);
		else
			rc = bad(err, size, path, number, "not a sample: a time and a length for each queue expected");
		if (!rc && t->n > 1 && t->ms[t->n - 1] < t->ms[t->n - 2])
			rc = bad(err, size, path, number, "time runs backwards");
	}
	free(line);
	return rc;
}

int
trace_read_samples(struct trace *t, const char *path, char *err, size_t size)
{
	FILE *f = fopen(path, "re");
	int rc;

	trace_init(t, 0);
	if (!f) {
		snprintf(err, size, "%s: %s", path, strerror(errno));
		return -errno;
	}
	rc = read_table(t, f, path, err, size);
	fclose(f);
	if (!rc && t->n == 0)
		rc = bad(err, size, path, 1, "no sample");
	if (rc)
		trace_free(t);
	return rc;
}

// ---- Figures -------------------------------------------------------------------------------------------------------

static bool
empty(const struct trace *t, size_t i)
{
	const int *len = trace_at(t, i);

	for (size_t k = 0; k < width(t); k++) {
		if (len[k])
			return false;
	}
	return true;
}

void
trace_start_at_load(struct trace *t)
{
	size_t first = 0;
	double zero;

	while (first < t->n && empty(t, first))
		first++;
	if (first == t->n)
		return;
	zero = t->ms[first];
	first -= first > 0;
	t->n -= first;
	memmove(t->ms, t->ms + first, t->n * sizeof(*t->ms));
	memmove(t->len, t->len + first * width(t), t->n * width(t) * sizeof(*t->len));
	for (size_t i = 0; i < t->n; i++)
		t->ms[i] -= zero;
}

bool
trace_loaded(const struct trace *t)
{
	for (size_t i = 0; i < t->n; i++) {
		if (!empty(t, i))
			return true;
	}
	return false;
}

int
trace_max_global(const struct trace *t)
{
	int max = 0;

	for (size_t i = 0; i < t->n; i++)
		max = trace_at(t, i)[0] > max ? trace_at(t, i)[0] : max;
	return max;
}

int
trace_max_local(const struct trace *t)
{
	int max = 0;

	for (size_t i = 0; i < t->n; i++) {
		for (int p = 1; p <= t->procs; p++)
			max = trace_at(t, i)[p] > max ? trace_at(t, i)[p] : max;
	}
	return max;
}

// ---- Writing -------------------------------------------------------------------------------------------------------

// Samples that change nothing say nothing, but for the last, which ends the curve.
static bool
tells(const struct trace *t, size_t i)
{
	return i == 0 || i + 1 == t->n || memcmp(trace_at(t, i), trace_at(t, i - 1), width(t) * sizeof(int));
}

void
trace_write(const struct trace *t, FILE *f)
{
	fputs("t_ms\tglobal", f);
	for (int p = 0; p < t->procs; p++)
		fprintf(f, "\tp%d", p);
	fputc('\n', f);
	for (size_t i = 0; i < t->n; i++) {
		if (!tells(t, i))
			continue;
		fprintf(f, "%.6g", t->ms[i]);
		for (size_t k = 0; k < width(t); k++)
			fprintf(f, "\t%d", trace_at(t, i)[k]);
		fputc('\n', f);
	}
}

// Largest length of queue k from sample *i on, up to the time `end`; a slot without a sample keeps what stood before.
static int
largest(const struct trace *t, size_t *i, double end, int k)
{
	int max = trace_at(t, *i)[k];

	while (*i + 1 < t->n && t->ms[*i + 1] < end) {
		++*i;
		max = trace_at(t, *i)[k] > max ? trace_at(t, *i)[k] : max;
	}
	return max;
}

void
trace_write_grid(const struct trace *t, FILE *f, int columns)
{
	double slot = t->ms[t->n - 1] > 0 ? t->ms[t->n - 1] / columns : 1;

	fputs("t_ms\tp\tlength\n", f);
	for (int p = 0; p < t->procs; p++) {
		size_t i = 0;
		for (int c = 0; c < columns; c++)
			fprintf(f, "%.6g\t%d\t%d\n", (c + 0.5) * slot, p, largest(t, &i, (c + 1) * slot, p + 1));
	}
}

void
trace_write_summary(const struct trace *t, FILE *f)
{
	fputs("t_ms\tlongest\tmean\n", f);
	for (size_t i = 0; i < t->n; i++) {
		int longest = 0, sum = 0;
		if (!tells(t, i))
			continue;
		for (int p = 1; p <= t->procs; p++) {
			longest = trace_at(t, i)[p] > longest ? trace_at(t, i)[p] : longest;
			sum += trace_at(t, i)[p];
		}
		fprintf(f, "%.6g\t%d\t%.6g\n", t->ms[i], longest, (double)sum / t->procs);
	}
}
