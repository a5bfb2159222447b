// SPDX-License-Identifier: MIT
// compare_rig.c: see compare_rig.h.
#include "experiments/mnlab/compare_rig.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "experiments/mnlab/mnlab.h"

enum { ARGS_MAX = 12 };

// ---- A results folder --------------------------------------------------------------------------------------------------

char rig_folder[RIG_PATH_SIZE];
FILE *rig_file;
struct expect_count expected;

static uint64_t noise_state;

static const char *
in_folder(const char *name)
{
	static char path[RIG_PATH_SIZE + 64];

	snprintf(path, sizeof(path), "%s/%s", rig_folder, name);
	return path;
}

void
rig_must(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "cannot test: %s: %s\n", what, strerror(errno));
	exit(1);
}

void
rig_begin(void)
{
	FILE *manifest;

	noise_state = 1;
	snprintf(rig_folder, sizeof(rig_folder), "%s/mnlab-compare-XXXXXX",
	         getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	rig_must(mkdtemp(rig_folder) != NULL, rig_folder);
	manifest = fopen(in_folder("manifest.json"), "w");
	rig_must(manifest != NULL, "manifest.json");
	fputs("{\"schema\": 1}\n", manifest);
	fclose(manifest);
	rig_file = fopen(in_folder("rows.jsonl"), "w");
	rig_must(rig_file != NULL, "rows.jsonl");
}

void
rig_end(void)
{
	fclose(rig_file);
	unlink(in_folder("manifest.json"));
	unlink(in_folder("rows.jsonl"));
	rmdir(rig_folder);
}

static const char *
given(const char *text, const char *usual)
{
	return text ? text : usual;
}

json_t *
rig_object(const struct rig_row *r)
{
	char cell[160];
	json_t *o;

	snprintf(cell, sizeof(cell), "%s/%s/%s/%s/%d/%d/%d/%s/%s", given(r->workload, "skewed"),
	         given(r->runtime, "mn"), given(r->steal, "half"), given(r->victim, "random"), r->procs, r->local_cap,
	         r->tasks, given(r->binary, "b"), given(r->machine, "m"));
	o = json_pack("{ss ss si ss ss s{si} ss sb si ss ss si ss ss si sI si}", "cell", given(r->cell, cell), "block",
	              "x", "round", r->round, "status", given(r->status, "OK"), "workload",
	              given(r->workload, "skewed"), "params", "tasks", r->tasks ? r->tasks : 200, "runtime",
	              given(r->runtime, "mn"), "sim", 0, "procs", r->procs ? r->procs : 2, "steal",
	              given(r->steal, "half"), "victim", given(r->victim, "random"), "local_cap",
	              r->local_cap ? r->local_cap : 256, "queue", "local", "binary", given(r->binary, "b"), "seed",
	              1000 + r->round, "wall_ns", (json_int_t)r->wall_ns, "tasks", r->tasks ? r->tasks : 200);
	rig_must(o != NULL, "json_pack");
	if (r->machine)
		json_object_set_new(o, "machine", json_string(r->machine));
	if (!r->no_counters)
		json_object_set_new(o, "counters",
		                    json_pack("{si si si si si}", "steal_ok", 20, "steal_attempts", 80, "steal_raced",
		                              2, "spills", 3, "idle_ns", (int)(r->wall_ns / 5)));
	return o;
}

void
rig_put_object(json_t *o)
{
	json_dumpf(o, rig_file, JSON_COMPACT);
	fputc('\n', rig_file);
	json_decref(o);
}

void
rig_put(struct rig_row r)
{
	rig_put_object(rig_object(&r));
}

// 1 + something in +-1 %.
static double
noise(void)
{
	noise_state = noise_state * 6364136223846793005u + 1442695040888963407u;
	return 1 + 0.02 * ((double)(noise_state >> 33) / 0x1p31 - 0.5);
}

double
rig_weather(int round)
{
	return 1e6 * (1 + 0.25 * round);
}

void
rig_rounds(struct rig_row r, int rounds, double effect)
{
	for (r.round = 0; r.round < rounds; r.round++) {
		r.wall_ns = rig_weather(r.round) * effect * noise();
		rig_put(r);
	}
}

// ---- Running it ----------------------------------------------------------------------------------------------------

void
rig_read(FILE *f, char *text)
{
	size_t n;

	rewind(f);
	n = fread(text, 1, RIG_TEXT_MAX - 1, f);
	text[n] = 0;
	fclose(f);
}

int
rig_wait(pid_t child)
{
	int status;

	rig_must(waitpid(child, &status, 0) == child, "waitpid");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

void
rig_child(int out, int err, char **argv)
{
	int argc = 0;

	while (argv[argc])
		argc++;
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	exit(cmd_compare(argc, argv));
}

struct rig_outcome *
rig_run(const char *const *arg)
{
	static struct rig_outcome o;
	char *argv[ARGS_MAX + 2] = { "mnlab compare" };
	FILE *out = tmpfile(), *err = tmpfile();
	pid_t child;

	for (int n = 0; n < ARGS_MAX && arg[n]; n++)
		argv[n + 1] = (char *)arg[n];
	rig_must(out && err, "tmpfile");
	fflush(rig_file);
	fflush(stdout);
	child = fork();
	rig_must(child >= 0, "fork");
	if (child == 0)
		rig_child(fileno(out), fileno(err), argv);
	o.status = rig_wait(child);
	rig_read(out, o.out);
	rig_read(err, o.err);
	return &o;
}

size_t
rig_lines(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

void
rig_refused(const struct rig_outcome *o, int status, int line)
{
	bool usage = strstr(o->err, "--help") != NULL;

	expect_at(&expected, o->status == status, "exit code of a refusal", __FILE__, line);
	expect_at(&expected, !o->out[0], "nothing on stdout", __FILE__, line);
	expect_at(&expected, rig_lines(o->err) == (usage ? 2u : 1u), "one line on stderr", __FILE__, line);
	expect_at(&expected, strncmp(o->err, "mnlab compare: ", 15) == 0, "says who speaks", __FILE__, line);
}
