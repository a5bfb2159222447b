// SPDX-License-Identifier: MIT
// rig.c: see rig.h.
#include "plots/tests/rig.h"

#include "experiments/mnlab/mnlab.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char root[64];

void
rig_begin(void)
{
	const char *base = getenv("TMPDIR");

	if (chdir(base ? base : "/tmp"))
		abort();
	snprintf(root, sizeof(root), "plot-test-XXXXXX");
	if (!mkdtemp(root) || chdir(root))
		abort();
}

static int
drop(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path);
}

void
rig_done(void)
{
	if (chdir("..") == 0)
		nftw(root, drop, 16, FTW_DEPTH | FTW_PHYS);
}

const char *
rig_dir(const char *name)
{
	if (mkdir(name, 0777))
		abort();
	return name;
}

// ---- Running -------------------------------------------------------------------------------------------------------

static _Noreturn void
child(const char *path, int argc, char **argv)
{
	if (!freopen("rig.out", "w", stdout) || !freopen("rig.err", "w", stderr))
		_exit(99);
	if (path)
		setenv("PATH", path, 1);
	exit(cmd_plot(argc, argv));
}

static void
slurp(const char *path, char *text, size_t size)
{
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(text, 1, size - 1, f) : 0;

	text[n] = '\0';
	if (f)
		fclose(f);
}

void
rig_plot(struct said *s, const char *path, ...)
{
	char *argv[16] = { (char *)"mnlab plot" };
	int argc = 1, status = 0;
	va_list ap;
	pid_t pid;

	va_start(ap, path);
	while (argc < 15 && (argv[argc] = va_arg(ap, char *)))
		argc++;
	va_end(ap);
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		child(path, argc, argv);
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		abort();
	s->code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	slurp("rig.out", s->out, sizeof(s->out));
	slurp("rig.err", s->err, sizeof(s->err));
}

bool
rig_gnuplot(void)
{
	return system("gnuplot --version >rig.out 2>&1") == 0;
}

// ---- Files ---------------------------------------------------------------------------------------------------------

long
rig_length(const char *path)
{
	struct stat st;

	return stat(path, &st) ? -1 : (long)st.st_size;
}

char *
rig_read(const char *path, size_t *n)
{
	long length = rig_length(path);
	FILE *f = fopen(path, "r");
	char *text = calloc((size_t)(length < 0 ? 0 : length) + 1, 1);

	*n = f ? fread(text, 1, (size_t)length, f) : 0;
	if (f)
		fclose(f);
	return text;
}

void
rig_write(const char *path, const char *text, bool executable)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, executable ? 0777 : 0666);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		abort();
	close(fd);
}

bool
rig_same(const char *a, const char *b)
{
	size_t n, m;
	char *x = rig_read(a, &n), *y = rig_read(b, &m);
	bool same = n > 0 && n == m && !memcmp(x, y, n);

	free(x);
	free(y);
	return same;
}

int
rig_count(const char *dir, const char *ending)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	int n = 0;

	while (d && (e = readdir(d))) {
		size_t length = strlen(e->d_name), want = strlen(ending);
		n += length >= want && !strcmp(e->d_name + length - want, ending);
	}
	if (d)
		closedir(d);
	return n;
}

static const char *
field(const char *line, int column)
{
	for (; column > 0 && line; column--) {
		line = strchr(line, '\t');
		line = line ? line + 1 : NULL;
	}
	return line;
}

static bool
begins(const char *line, const char *key)
{
	for (; *key; key++, line++) {
		if (*line != *key && !(*line == '\t' && *key == ' '))
			return false;
	}
	return *line == '\t';
}

double
rig_number(const char *path, const char *key, int column)
{
	size_t n;
	char *text = rig_read(path, &n), *save = NULL, *end;
	double value = NAN;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		const char *at = begins(line, key) ? field(line, column) : NULL;
		if (!at)
			continue;
		value = strtod(at, &end);
		value = end == at ? NAN : value;
		break;
	}
	free(text);
	return value;
}
