// SPDX-License-Identifier: MIT
// folder.c: see folder.h. Nothing here removes anything.
#include "experiments/mnlab/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static int
fail(int rc, char *err, size_t size, const char *path, const char *why)
{
	snprintf(err, size, "%s: %s", path, why);
	return rc;
}

static int
make_one(const char *path, char *err, size_t size)
{
	struct stat st;

	if (!mkdir(path, 0777))
		return 0;
	if (errno != EEXIST)
		return fail(-errno, err, size, path, strerror(errno));
	if (stat(path, &st))
		return fail(-errno, err, size, path, strerror(errno));
	return S_ISDIR(st.st_mode) ? 0 : fail(-ENOTDIR, err, size, path, "a folder is needed here, this is a file");
}

int
folder_make(const char *dir, char *err, size_t size)
{
	char path[4096];

	if (!*dir || strlen(dir) >= sizeof path)
		return fail(-EINVAL, err, size, dir, "not a usable folder name");
	strcpy(path, dir);
	for (char *p = path + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = 0;
		int rc = make_one(path, err, size);
		if (rc)
			return rc;
		*p = '/';
	}
	int rc = make_one(path, err, size);
	if (!rc && access(path, W_OK | X_OK))
		rc = fail(-errno, err, size, path, "not writable");
	return rc;
}

int
folder_lock(const char *dir, char *err, size_t size)
{
	char path[4096 + 8];

	snprintf(path, sizeof path, "%s/.lock", dir);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return fail(-errno, err, size, path, strerror(errno));
	if (flock(fd, LOCK_EX | LOCK_NB)) {
		int rc = errno == EWOULDBLOCK ? -EBUSY : -errno;
		close(fd);
		return fail(rc, err, size, dir, rc == -EBUSY ? "another run is writing here" : strerror(-rc));
	}
	return fd;
}

int
folder_set_aside(const char *dir, char *aside, size_t aside_size, char *err, size_t size)
{
	static const char *const parts[] = { "manifest.json", "rows.jsonl", "cells", "plots", "report.html" };
	int rc = -EEXIST;

	for (int i = 1; rc == -EEXIST && i < 100000; i++) {
		snprintf(aside, aside_size, "%s/old-%d", dir, i);
		rc = mkdir(aside, 0777) ? -errno : 0;
	}
	if (rc)
		return fail(rc, err, size, aside, strerror(-rc));
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		char from[4096 + 32], to[4096 + 64];
		snprintf(from, sizeof from, "%s/%s", dir, parts[i]);
		snprintf(to, sizeof to, "%s/%s", aside, parts[i]);
		if (rename(from, to) && errno != ENOENT)
			return fail(-errno, err, size, from, strerror(errno));
	}
	return 0;
}
