// SPDX-License-Identifier: MIT
// mncell_evidence.c: what one run leaves behind, as one JSON object in a file that is there as a whole or not at all.
//
// Options are text, as on a command line that repeats the run: procs=auto stands as the number that it came to. seed is the
// one that was drawn, and a number unless it is too large for one (JSON's are signed: those drawn here fit). Counters and the matrix of thefts belong to libmn and are absent for the baselines.
#include "experiments/mncell.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static json_t *
integer(uint64_t value)
{
	return json_integer((json_int_t)value);
}

static int
add_params(json_t *root, const struct workload_run *run)
{
	json_t *params = json_object();
	int error = json_object_set_new(root, "params", params);

	for (int i = 0; run->workload->params[i].name; i++)
		error |= json_object_set_new(params, run->workload->params[i].name, json_integer(run->param[i]));
	return error;
}

static int
add_options(json_t *root, const struct cell *c)
{
	const struct mn_option_info *option;
	char value[MN_TEXT_MAX];
	int error = 0;

	for (int i = 0; (option = mn_option_at(i)); i++) {
		mn_options_get(&c->options, option->name, value, sizeof(value));
		error |= json_object_set_new(root, option->name, json_string(value));
	}
	if (c->options.seed <= INT64_MAX)
		error |= json_object_set_new(root, "seed", integer(c->options.seed));
	return error;
}

static int
add_result(json_t *root, const struct cell *c)
{
	char checksum[17];
	int error = 0;

	snprintf(checksum, sizeof(checksum), "%016" PRIx64, c->run.result.checksum);
	error |= json_object_set_new(root, "rate", json_real(c->rate));
	error |= json_object_set_new(root, "wall_ns", json_integer(c->wall_ns));
	error |= json_object_set_new(root, "cpu_ns", json_integer(c->cpu_ns));
	error |= json_object_set_new(root, "run_ns", json_integer(c->run_ns));
	error |= json_object_set_new(root, "tasks", integer(c->run.result.tasks));
	error |= json_object_set_new(root, "checksum", json_string(checksum));
	if (c->invalid[0])
		error |= json_object_set_new(root, "invalid", json_string(c->invalid));
	return error;
}

static json_t *
counters_of(const struct mn_counters *counters)
{
	json_t *object = json_object();
	const char *name;

	for (int i = 0; (name = mn_counter_name(i)); i++)
		json_object_set_new(object, name, integer(mn_counter_value(counters, i)));
	return object;
}

static json_t *
per_p(int procs)
{
	json_t *array = json_array();
	struct mn_counters counters;

	for (int p = 0; p < procs && !mn_stats_p(p, &counters); p++)
		json_array_append_new(array, counters_of(&counters));
	return array;
}

// Row: the victim; column: the thief.
static json_t *
victims(int procs)
{
	json_t *rows = json_array();

	for (int victim = 0; victim < procs; victim++) {
		json_t *row = json_array();

		for (int thief = 0; thief < procs; thief++)
			json_array_append_new(row, integer(mn_stats_stolen(victim, thief)));
		json_array_append_new(rows, row);
	}
	return rows;
}

static int
add_stats(json_t *root)
{
	struct mn_stats stats;
	char procs[16];
	int error = 0;

	mn_stats(&stats);
	snprintf(procs, sizeof(procs), "%d", stats.procs);
	error |= json_object_set_new(root, "procs", json_string(procs));
	error |= json_object_set_new(root, "threads", json_integer(stats.threads));
	error |= json_object_set_new(root, "counters", counters_of(&stats.total));
	error |= json_object_set_new(root, "per_p", per_p(stats.procs));
	error |= json_object_set_new(root, "victims", victims(stats.procs));
	error |= json_object_set_new(root, "runq_max", integer(stats.total.runq_max));
	error |= json_object_set_new(root, "globq_max", integer(stats.globq_max));
	return error;
}

static json_t *
evidence(const struct cell *c)
{
	json_t *root = json_object();
	int error = 0;

	error |= json_object_set_new(root, "workload", json_string(c->run.workload->name));
	error |= json_object_set_new(root, "runtime", json_string(cell_runtime_name(c->runtime)));
	error |= json_object_set_new(root, "version", json_integer(c->run.workload->version));
	error |= add_params(root, &c->run);
	error |= add_options(root, c);
	error |= add_result(root, c);
	if (c->runtime == RUNTIME_MN)
		error |= add_stats(root);
	if (!error)
		return root;
	json_decref(root);
	return NULL;
}

// ---- The file ------------------------------------------------------------------------------------------------------

// A name in the folder of file that nobody else uses. The caller frees it.
static char *
temporary(const char *file)
{
	char *name;

	return asprintf(&name, "%s.%d.tmp", file, (int)getpid()) < 0 ? NULL : name;
}

static int
open_new(const char *name)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	return fd < 0 ? -errno : fd;
}

static int
write_line(json_t *root, const char *name)
{
	int fd = open_new(name), error = 0;
	FILE *f;

	if (fd < 0)
		return fd;
	f = fdopen(fd, "w");
	if (!f) {
		close(fd);
		return -ENOMEM;
	}
	errno = 0;
	if (json_dumpf(root, f, JSON_COMPACT) || fputc('\n', f) == EOF)
		error = errno ? -errno : -EIO;
	if (fclose(f) && !error)
		error = -errno;
	return error;
}

static int
write_as(json_t *root, const char *file, const char *name)
{
	int error = write_line(root, name);

	if (!error && rename(name, file))
		error = -errno;
	if (error)
		unlink(name);
	return error;
}

int
cell_evidence_write(const struct cell *c)
{
	json_t *root = evidence(c);
	char *name = temporary(c->evidence);
	int error = root && name ? write_as(root, c->evidence, name) : -ENOMEM;

	free(name);
	json_decref(root);
	return error;
}

int
cell_evidence_check(const char *file)
{
	char *name = temporary(file);
	int fd = name ? open_new(name) : -ENOMEM;

	if (fd >= 0) {
		close(fd);
		unlink(name);
	}
	free(name);
	return fd < 0 ? fd : 0;
}
