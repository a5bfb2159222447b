// SPDX-License-Identifier: MIT
// plot_file.c: see plot_file.h. No fsync: a chart can be drawn again, a row cannot.
#include "experiments/mnlab/plot_file.h"

#include <errno.h>
#include <unistd.h>

int
plot_file_open(struct plot_file *p, const char *dir, const char *name)
{
	int n = snprintf(p->path, sizeof(p->path), "%s/%s", dir, name);
	int m = snprintf(p->temp, sizeof(p->temp), "%s/.%s.new", dir, name);

	if (n >= (int)sizeof(p->path) || m >= (int)sizeof(p->temp))
		return -ENAMETOOLONG;
	p->f = fopen(p->temp, "we");
	return p->f ? 0 : -errno;
}

int
plot_file_commit(struct plot_file *p)
{
	int err = fflush(p->f) || ferror(p->f) ? -errno : 0;

	if (fclose(p->f) && !err)
		err = -errno;
	if (!err && rename(p->temp, p->path))
		err = -errno;
	if (err)
		unlink(p->temp);
	return err;
}

void
plot_file_abandon(struct plot_file *p)
{
	fclose(p->f);
	unlink(p->temp);
}

// Between single quotes gnuplot takes every character as it is; a quote is written twice.
void
plot_quote(FILE *f, const char *text)
{
	fputc('\'', f);
	for (; *text; text++) {
		if (*text == '\'')
			fputc('\'', f);
		fputc(*text == '\n' ? ' ' : *text, f);
	}
	fputc('\'', f);
}
