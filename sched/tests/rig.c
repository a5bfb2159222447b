// SPDX-License-Identifier: MIT
// rig.c: runs and children of the behaviour tests.
#include "sched/tests/rig.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

_Noreturn static void
give_up(const char *what, const char *why)
{
	fprintf(stderr, "%s: %s\n", what, why);
	abort();
}

void
rig_clear_environment(void)
{
	char name[256];

	unsetenv("GOMAXPROCS");
	for (char **e = environ; e && *e;) {
		size_t n = strcspn(*e, "=");

		if (strncmp(*e, "MN_", 3) != 0 || n >= sizeof(name)) {
			e++;
			continue;
		}
		memcpy(name, *e, n);
		name[n] = 0;
		unsetenv(name);
		e = environ;
	}
}

void
rig_options(struct mn_options *o, const char *options)
{
	char text[512], err[MN_ERROR_MAX], *rest, *value;

	rig_clear_environment();
	mn_options_init(o);
	snprintf(text, sizeof(text), "%s", options);
	for (char *name = strtok_r(text, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
		value = strchr(name, '=');
		if (!value)
			give_up(name, "no value");
		*value++ = 0;
		if (mn_options_set(o, name, value, err, sizeof(err)))
			give_up(options, err);
	}
}

int
rig_run(const char *options, mn_fn fn, void *arg)
{
	struct mn_options o;
	char why[MN_ERROR_MAX];
	int error;

	rig_options(&o, options);
	error = mn_run(&o, fn, arg);
	if (error == -EUCLEAN && mn_stats_check(why, sizeof(why)))
		fprintf(stderr, "%s: %s\n", options, why);
	return error;
}

int
rig_run_at(const char *options, int n, mn_fn fn, void *arg)
{
	char text[512];

	// The callers' own literals.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(text, sizeof(text), options, n);
#pragma GCC diagnostic pop
	return rig_run(text, fn, arg);
}

struct mn_counters
rig_total(void)
{
	struct mn_stats s;

	mn_stats(&s);
	return s.total;
}

static void
read_all(int fd, char *text, size_t size)
{
	char rest[1024];
	size_t used = 0;
	ssize_t n;

	for (;;) {
		bool room = used + 1 < size;

		n = room ? read(fd, text + used, size - 1 - used) : read(fd, rest, sizeof(rest));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		used += room ? (size_t)n : 0;
	}
	text[used] = 0;
}

void
rig_fork(void (*fn)(void), struct rig_end *end)
{
	int fd[2];
	pid_t child;

	fflush(NULL);
	if (pipe(fd) || (child = fork()) < 0)
		give_up("rig_fork", strerror(errno));
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL); // a child that hangs must not outlive a test that ran out of time
		dup2(fd[1], STDERR_FILENO);
		close(fd[0]);
		close(fd[1]);
		fn();
		_exit(0);
	}
	close(fd[1]);
	read_all(fd[0], end->text, sizeof(end->text));
	close(fd[0]);
	while (waitpid(child, &end->status, 0) < 0 && errno == EINTR)
		continue;
}
