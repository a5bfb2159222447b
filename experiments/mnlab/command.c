// SPDX-License-Identifier: MIT
// command.c: writes the command line of a repetition so that a person can run it again as it stands.
//
// The environment is cleared of MN_*, GOMAXPROCS and BENCHMARK_*: an experiment says all that it wants in its command, or
// the row would not tell what was run.
#include "experiments/mnlab/command.h"
#include "experiments/mnlab/values.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

void
command_add(struct command *c, const char *format, ...)
{
	va_list args;

	if (c->n == COMMAND_WORDS)
		abort(); // options and parameters are far fewer
	va_start(args, format);
	if (vasprintf(&c->argv[c->n], format, args) < 0)
		abort();
	va_end(args);
	c->argv[++c->n] = NULL;
}

void
command_free(struct command *c)
{
	for (int i = 0; i < c->n; i++)
		free(c->argv[i]);
	c->n = 0;
}

// The policy is always spelled out; of the other options, what differs from its default.
static bool
worth_saying(const struct mn_option_info *info, const char *value)
{
	static const char *const always[] = { "procs", "steal", "victim", "local_cap" };

	for (size_t i = 0; i < sizeof always / sizeof always[0]; i++)
		if (!strcmp(info->name, always[i]))
			return true;
	return strcmp(value, info->initial) != 0;
}

static void
add_options(struct command *c, const struct mn_options *o)
{
	const struct mn_option_info *info;
	char value[VALUE_TEXT_MAX];

	for (int i = 0; (info = mn_option_at(i)); i++)
		if (!option_is_reserved(info->name) && !mn_options_get(o, info->name, value, sizeof value) &&
		    worth_saying(info, value))
			command_add(c, "--%s=%s", info->name, value);
}

void
command_make(struct command *c, const struct cell *cell, const struct command_facts *facts)
{
	const struct workload *w = cell->run.workload;

	*c = (struct command){ .n = 0 };
	command_add(c, "%s", facts->program);
	command_add(c, "--workload=%s", w->name);
	for (int i = 0; w->params[i].name; i++) {
		command_add(c, "--param");
		command_add(c, "%s=%ld", w->params[i].name, cell->run.param[i]);
	}
	if (cell->runtime != RUNTIME_MN)
		command_add(c, "--runtime=%s", runtime_names[cell->runtime]);
	else
		add_options(c, &cell->options);
	if (cell->runtime == RUNTIME_MN && facts->seed)
		command_add(c, "--seed=%llu", (unsigned long long)facts->seed);
	if (facts->sample_file)
		command_add(c, "--sample_file=%s", facts->sample_file);
	command_add(c, "--rate=%.9g", facts->rate);
}

static void
quote(FILE *f, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-=./:,+@%";

	if (*word && !word[strspn(word, plain)]) {
		fputs(word, f);
		return;
	}
	fputc('\'', f);
	for (; *word; word++)
		if (*word == '\'')
			fputs("'\\''", f);
		else
			fputc(*word, f);
	fputc('\'', f);
}

char *
command_text(const struct command *c)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		abort();
	for (int i = 0; i < c->n; i++) {
		if (i)
			fputc(' ', f);
		quote(f, c->argv[i]);
	}
	fclose(f);
	return text;
}

char **
command_environment(void)
{
	size_t n = 0, kept = 0;

	while (environ[n])
		n++;
	char **out = calloc(n + 1, sizeof *out);
	if (!out)
		abort();
	for (size_t i = 0; i < n; i++)
		if (strncmp(environ[i], "MN_", 3) && strncmp(environ[i], "GOMAXPROCS=", 11) &&
		    strncmp(environ[i], "BENCHMARK_", 10))
			out[kept++] = environ[i];
	return out;
}

int
command_find(char *path, size_t path_size, char *err, size_t size)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

	if (n < 0) {
		snprintf(err, size, "/proc/self/exe: %s", strerror(errno));
		return -errno;
	}
	self[n] = 0;
	*strrchr(self, '/') = 0;
	snprintf(path, path_size, "%s/mncell", self);
	if (!access(path, X_OK))
		return 0;
	snprintf(err, size, "%s: %s; mncell, which runs the cells, must stand beside mnlab: build it", path,
	         strerror(errno));
	return -ENOENT;
}
