// SPDX-License-Identifier: MIT
// plot_gnuplot.c: gnuplot as a child process, without a shell in between: names of folders are nobody's program text.
//
// gnuplot's exit code does not always tell that a picture is missing (a terminal without a font, a full disk), so the
// picture is looked at too. It is drawn under a temporary name; only one that is there and not empty is renamed.
#include "experiments/mnlab/plot_gnuplot.h"

#include "experiments/mnlab/plot_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef MNLAB_PLOTS_DIR
#define MNLAB_PLOTS_DIR ""
#endif

static bool
has_scripts(const char *dir)
{
	char path[PLOT_PATH + 16];

	snprintf(path, sizeof(path), "%s/style.gp", dir);
	return access(path, R_OK) == 0;
}

int
gnuplot_scripts(char *dir, size_t size)
{
	static const char *const beside[] = { "../share/mnlab/plots", "../../../plots", "plots", NULL };
	char exe[PLOT_PATH];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	char *slash;

	exe[n > 0 ? n : 0] = '\0';
	slash = strrchr(exe, '/');
	if (slash)
		*slash = '\0';
	for (int i = 0; slash && beside[i]; i++) {
		snprintf(dir, size, "%s/%s", exe, beside[i]);
		if (has_scripts(dir))
			return 0;
	}
	snprintf(dir, size, "%s", MNLAB_PLOTS_DIR);
	return has_scripts(dir) ? 0 : -ENOENT;
}

// Found once, as an absolute path: the child runs in another folder, and PATH may hold relative ones.
static char program[PATH_MAX];

bool
gnuplot_present(void)
{
	const char *path = getenv("PATH");
	char file[PLOT_PATH];

	for (; path && *path; path += *path == ':') {
		size_t n = strcspn(path, ":");
		snprintf(file, sizeof(file), "%.*s/gnuplot", (int)n, n ? path : ".");
		if (access(file, X_OK) == 0 && realpath(file, program))
			return true;
		path += n;
	}
	return false;
}

// -e's text: what the script must know before it begins, and what is the same for every chart of a folder.
static int
settings(char *text, size_t size, const char *script, const char *terminal, const char *out)
{
	FILE *f = fmemopen(text, size, "w");
	const char *slash = strrchr(script, '/');
	char dir[PLOT_PATH];

	if (!f)
		return -errno;
	snprintf(dir, sizeof(dir), "%.*s", slash ? (int)(slash - script) : 1, slash ? script : ".");
	fputs("scripts=", f);
	plot_quote(f, dir);
	fputs("; term=", f);
	plot_quote(f, terminal);
	fputs("; out=", f);
	plot_quote(f, out ? out : "");
	return fclose(f) ? -ENAMETOOLONG : 0;
}

static _Noreturn void
child(const char *dir, const char *set, const char *vars, const char *script, int err_fd)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	setenv("LC_ALL", "C.UTF-8", 1); // one number format, whoever draws
	unsetenv("GNUTERM");
	if (null >= 0 && dup2(null, 0) == 0 && dup2(err_fd, 2) == 2 && chdir(dir) == 0)
		execl(program, "gnuplot", "-e", set, vars, script, (char *)NULL);
	dprintf(2, "%s", strerror(errno));
	_exit(127);
}

// The first line of what the child says, the rest read away so that it never blocks.
static void
first_line(int fd, char *line, size_t size)
{
	char chunk[512];
	size_t used = 0;
	ssize_t n;

	while ((n = read(fd, chunk, sizeof(chunk))) > 0 || (n < 0 && errno == EINTR)) {
		for (ssize_t i = 0; i < n && used + 1 < size; i++)
			line[used++] = chunk[i];
	}
	line[used] = '\0';
	used = strspn(line, "\n \t");
	memmove(line, line + used, strlen(line + used) + 1);
	for (char *s = line; *s; s++) {
		if (*s == '\n')
			*s = ' ';
	}
}

static int
run(const char *dir, const char *set, const char *vars, const char *script, char *said, size_t size)
{
	int fd[2], status = 0;
	pid_t pid;

	if (pipe2(fd, O_CLOEXEC))
		return -errno;
	pid = fork();
	if (pid == 0)
		child(dir, set, vars, script, fd[1]);
	close(fd[1]);
	if (pid > 0)
		first_line(fd[0], said, size);
	close(fd[0]);
	if (pid < 0)
		return -EAGAIN;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -ECHILD;
}

// Viewers smooth an image that they enlarge, and two Ps of a heat map then run into each other. gnuplot has no word for
// it, SVG has two: the standard's own, and CSS's, which wins where it is known.
static int
keep_sharp(const char *path)
{
	static const char image[] = "<image ",
	                  sharp[] = "<image image-rendering='optimizeSpeed' style='image-rendering:pixelated' ";
	FILE *in = fopen(path, "re"), *out;
	char *text = NULL, *at, *rest;
	size_t room = 0;

	if (!in)
		return -errno;
	if (getdelim(&text, &room, '\0', in) > 0 && strstr(text, image) && (out = freopen(path, "we", in))) {
		for (rest = text; (at = strstr(rest, image)); rest = at + strlen(image))
			fprintf(out, "%.*s%s", (int)(at - rest), rest, sharp);
		fputs(rest, out);
		in = out;
	}
	free(text);
	return fclose(in) ? -errno : 0;
}

static int
keep_picture(const char *dir, const char *temp, const char *out, const char *script, char *err, size_t size)
{
	char from[PLOT_PATH], to[PLOT_PATH];
	struct stat st;

	if (snprintf(from, sizeof(from), "%s/%s", dir, temp) >= (int)sizeof(from) ||
	    snprintf(to, sizeof(to), "%s/%s", dir, out) >= (int)sizeof(to))
		return -ENAMETOOLONG;
	if (strstr(out, ".svg") && keep_sharp(from))
		unlink(from);
	if (stat(from, &st) || st.st_size == 0) {
		snprintf(err, size, "gnuplot left no picture for %s", script);
		unlink(from);
		return -ENODATA;
	}
	if (rename(from, to) == 0)
		return 0;
	snprintf(err, size, "%s: %s", to, strerror(errno));
	return -errno;
}

int
gnuplot_draw(const char *dir, const char *vars, const char *script, const char *terminal, const char *out, char *err,
             size_t size)
{
	char set[2 * PLOT_PATH], said[1024] = "", temp[256] = "";
	int rc;

	if (out)
		snprintf(temp, sizeof(temp), ".%s.new", out);
	rc = settings(set, sizeof(set), script, terminal, out ? temp : NULL);
	if (!rc)
		rc = run(dir, set, vars, script, said, sizeof(said));
	snprintf(err, size, "%s", said);
	if (rc) {
		snprintf(err, size, "gnuplot failed on %s: %s", script, said[0] ? said : strerror(-rc));
		return rc;
	}
	return out ? keep_picture(dir, temp, out, script, err, size) : 0;
}
