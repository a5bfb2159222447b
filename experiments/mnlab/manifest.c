// SPDX-License-Identifier: MIT
// manifest.c: makes, compares and writes manifests.
//
// A folder belongs to one machine and one binary; everything else may change from run to run (another matrix, another
// commit that left the binary as it was), and the list of runs tells it. The seed and the rate of work stay those of the
// first run, so that a run in two halves is the run in one.
#include "experiments/mnlab/manifest.h"
#include "experiments/mnlab/exec.h"
#include "experiments/mnlab/host.h"
#include "experiments/mnlab/matrix.h"
#include "experiments/mnlab/rows.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

extern char **environ;

static json_t *
hex(uint64_t n)
{
	return json_sprintf("%016llx", (unsigned long long)n);
}

static json_t *
timestamp(void)
{
	char text[32];
	time_t now = time(NULL);
	struct tm tm;

	strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &tm));
	return json_string(text);
}

// ---- The source ------------------------------------------------------------------------------------------------------

// What git prints for these arguments in the source tree, without its newline. NULL: no git, no tree.
static char *
git(const char *command, const char *option)
{
	char *argv[] = { "/usr/bin/env", "git",           "--no-optional-locks", "-C",
		         MNLAB_SOURCE,   (char *)command, (char *)option,        NULL };
	struct exec_result r;
	char *text = NULL;

	if (!exec_run(&(struct exec_request){ argv, environ, 20 }, &r) && !r.signal && !r.exit_code) {
		r.out.text[strcspn(r.out.text, "\n")] = 0;
		text = strdup(r.out.text);
	}
	exec_free(&r);
	return text;
}

static void
put_source(json_t *m)
{
	char *commit = git("rev-parse", "HEAD");
	char *changes = commit ? git("status", "--porcelain=v1") : NULL;

	json_object_set_new(m, "commit", json_string(commit && *commit ? commit : "unknown"));
	if (changes)
		json_object_set_new(m, "dirty", json_boolean(*changes));
	free(commit);
	free(changes);
}

// ---- Making ----------------------------------------------------------------------------------------------------------

void
manifest_host(char *text, size_t size)
{
	char id[128], all[512], cpu[256];

	if (!host_read_line("/etc/machine-id", id, sizeof id) && gethostname(id, sizeof id))
		id[0] = 0;
	host_cpu(cpu, sizeof cpu);
	int n = snprintf(all, sizeof all, "%s\n%s", id, cpu);
	snprintf(text, size, "%016llx", (unsigned long long)XXH3_64bits(all, (size_t)n));
}

static json_t *
command_line(int argc, char *const *argv)
{
	json_t *words = json_array();

	for (int i = 0; i < argc; i++)
		json_array_append_new(words, json_string(argv[i]));
	return words;
}

static json_t *
matrix_facts(const struct matrix *m)
{
	return json_pack("{s:s, s:o, s:s%}", "file", m->path, "hash", hex(XXH3_64bits(m->text, m->length)), "text",
	                 m->text, m->length);
}

json_t *
manifest_make(const struct manifest_facts *f)
{
	json_t *m = json_object();
	char host[32];

	manifest_host(host, sizeof host);
	json_object_set_new(m, "schema", json_integer(ROWS_SCHEMA));
	json_object_set_new(m, "created", timestamp());
	put_source(m);
	json_object_set_new(m, "binary", hex(f->binary));
	json_object_set_new(m, "compiler", json_string(MNLAB_COMPILER));
	json_object_set_new(m, "flags", json_string(MNLAB_FLAGS));
	json_object_set_new(m, "host", json_string(host));
	json_object_set_new(m, "machine", host_describe());
	json_object_set_new(m, "seed", json_integer((json_int_t)f->seed));
	json_object_set_new(m, "rate", json_real(f->rate));
	json_object_set_new(m, "matrix", matrix_facts(f->matrix));
	json_object_set_new(m, "runs",
	                    json_pack("[{s:o, s:o, s:O, s:O}]", "started", timestamp(), "command",
	                              command_line(f->argc, f->argv), "commit", json_object_get(m, "commit"),
	                              "matrix_hash", json_object_get(json_object_get(m, "matrix"), "hash")));
	return m;
}

void
manifest_continue(json_t *now, const json_t *old)
{
	json_t *created = json_object_get(old, "created");
	json_t *runs = json_deep_copy(json_object_get(old, "runs"));

	if (created)
		json_object_set(now, "created", created);
	if (!json_is_array(runs)) {
		json_decref(runs);
		runs = json_array();
	}
	json_array_extend(runs, json_object_get(now, "runs"));
	json_object_set_new(now, "runs", runs);
}

// ---- Comparing -------------------------------------------------------------------------------------------------------

static const char *
text_of(const json_t *m, const char *key)
{
	const char *text = json_string_value(json_object_get(m, key));

	return text ? text : "unknown";
}

int
manifest_accepts(const json_t *old, uint64_t binary, char *err, size_t size)
{
	char host[32], cpu[256], now[32];

	manifest_host(host, sizeof host);
	snprintf(now, sizeof now, "%016llx", (unsigned long long)binary);
	if (json_integer_value(json_object_get(old, "schema")) != ROWS_SCHEMA) {
		snprintf(err, size, "schema %lld, this program writes %d",
		         (long long)json_integer_value(json_object_get(old, "schema")), ROWS_SCHEMA);
		return -EXDEV;
	}
	if (strcmp(text_of(old, "host"), host)) {
		host_cpu(cpu, sizeof cpu);
		snprintf(err, size, "another machine: %s (%s), this is %s (%s)", text_of(old, "host"),
		         text_of(json_object_get(old, "machine"), "cpu"), host, cpu);
		return -EXDEV;
	}
	if (strcmp(text_of(old, "binary"), now)) {
		snprintf(err, size, "another binary: mncell %s of commit %.12s, this is %s", text_of(old, "binary"),
		         text_of(old, "commit"), now);
		return -EXDEV;
	}
	return 0;
}

// ---- Writing ---------------------------------------------------------------------------------------------------------

static int
write_synced(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	size_t n = strlen(text);

	if (fd < 0)
		return -errno;
	ssize_t written = write(fd, text, n);
	int rc = written < 0 ? -errno : (size_t)written < n ? -ENOSPC : fsync(fd) ? -errno : 0;
	if (close(fd) && !rc)
		rc = -errno;
	return rc;
}

static void
sync_folder(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0) {
		fsync(fd); // not every file system can; the rename itself is atomic in any case
		close(fd);
	}
}

int
manifest_write(const json_t *m, const char *dir, char *err, size_t size)
{
	char path[4096], fresh[4096 + 8];
	char *text = json_dumps(m, JSON_INDENT(2) | JSON_REAL_PRECISION(9));

	snprintf(path, sizeof path, "%s/manifest.json", dir);
	snprintf(fresh, sizeof fresh, "%s.tmp", path);
	int rc = text ? write_synced(fresh, text) : -ENOMEM;
	free(text);
	if (!rc && rename(fresh, path))
		rc = -errno;
	if (rc) {
		snprintf(err, size, "%s: %s", path, strerror(-rc));
		unlink(fresh);
		return rc;
	}
	sync_folder(dir);
	return 0;
}
