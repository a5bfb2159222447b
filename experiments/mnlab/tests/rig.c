// SPDX-License-Identifier: MIT
// rig.c: see rig.h. Copies, no links: mnlab looks for mncell beside its own real place.
#include "experiments/mnlab/tests/rig.h"
#include "experiments/mnlab/rows.h"
#include "experiments/mnlab/tests/check.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

static char folder[64];
static long calls_before;

static void
copy(const char *from, const char *to)
{
	char chunk[65536];
	size_t n;
	FILE *in = fopen(from, "r"), *out = fopen(to, "w");

	if (!in || !out) {
		perror(in ? to : from);
		exit(1);
	}
	while ((n = fread(chunk, 1, sizeof chunk, in)))
		check(fwrite(chunk, 1, n, out) == n);
	check(!fclose(out) && !fclose(in) && !chmod(to, 0755));
}

void
rig_enter(const char *mnlab, const char *fake)
{
	snprintf(folder, sizeof folder, "mnlab-rig-XXXXXX");
	char *program = realpath(mnlab, NULL), *script = realpath(fake, NULL);
	check(program && script && mkdtemp(folder) && !chdir(folder) && !mkdir("bin", 0777));
	copy(program, "bin/mnlab");
	copy(script, "bin/mncell");
	free(program);
	free(script);
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)st;
	(void)type;
	(void)where;
	return remove(path);
}

void
rig_leave(void)
{
	check(!chdir(".."));
	nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void
put(const char *name, const char *mode, const char *text)
{
	FILE *f = fopen(name, mode);

	check(f && fputs(text, f) >= 0 && !fclose(f));
}

void
rig_write(const char *name, const char *text)
{
	put(name, "w", text);
}

void
rig_append(const char *name, const char *text)
{
	put(name, "a", text);
}

const struct exec_result *
rig_mnlab(const char *word, ...)
{
	static struct exec_result r;
	char *argv[32] = { (char *)"bin/mnlab", (char *)word };
	va_list args;
	int n = 2;

	exec_free(&r);
	va_start(args, word);
	while (n < 31 && (argv[n] = va_arg(args, char *)))
		n++;
	va_end(args);
	check_number(exec_run(&(struct exec_request){ argv, environ, 300 }, &r), 0);
	check(!r.timed_out);
	return &r;
}

pid_t
rig_start(const char *matrix, const char *out)
{
	pid_t pid = fork();

	if (pid == 0) {
		int null = open("/dev/null", O_RDWR);
		dup2(null, 1);
		dup2(null, 2);
		execl("bin/mnlab", "bin/mnlab", "run", matrix, "--out", out, (char *)NULL);
		_exit(127);
	}
	check(pid > 0);
	return pid;
}

int
rig_calls(void)
{
	FILE *f = fopen("bin/calls", "r");
	char line[8192];
	long n = 0;

	while (f && fgets(line, sizeof line, f))
		n += strcmp(line, "calibrate\n") != 0;
	if (f)
		fclose(f);
	long since = n - calls_before;
	calls_before = n;
	return (int)since;
}

json_t *
rig_rows(const char *dir)
{
	json_t *rows = NULL;
	char err[5000];

	if (rows_load(dir, &rows, NULL, err, sizeof err)) {
		fprintf(stderr, "%s\n", err);
		exit(1);
	}
	return rows;
}

static bool
has_status(const json_t *row, const char *status)
{
	return !status || !strcmp(json_string_value(json_object_get(row, "status")), status);
}

int
rig_count(const json_t *rows, const char *status)
{
	int n = 0;
	size_t i;
	json_t *row;

	json_array_foreach(rows, i, row) n += has_status(row, status);
	return n;
}

static int
doubles(const json_t *rows)
{
	json_t *seen = json_object(), *row;
	int n = 0;
	size_t i;

	json_array_foreach(rows, i, row)
	{
		char key[128];
		if (!has_status(row, "OK"))
			continue;
		snprintf(key, sizeof key, "%s/%lld", json_string_value(json_object_get(row, "cell")),
		         (long long)json_integer_value(json_object_get(row, "round")));
		n += json_object_get(seen, key) != NULL;
		json_object_set_new(seen, key, json_true());
	}
	json_decref(seen);
	return n;
}

int
rig_finals(const char *dir)
{
	json_t *rows = rig_rows(dir), *final = rows_final(rows);
	int n = (int)json_array_size(final);

	check_number(doubles(rows), 0);
	json_decref(final);
	json_decref(rows);
	return n;
}

const json_t *
rig_last(const json_t *rows)
{
	return json_array_get(rows, json_array_size(rows) - 1);
}

const char *
rig_text(const json_t *row, const char *key)
{
	const char *text = json_string_value(json_object_get(row, key));

	return text ? text : "(none)";
}

bool
rig_exists(const char *name)
{
	return !access(name, F_OK);
}

long
rig_size(const char *name)
{
	struct stat st;

	return stat(name, &st) ? -1 : (long)st.st_size;
}
