// SPDX-License-Identifier: MIT
// cgroup: finds the process's CPU quota. /proc/self/cgroup says which group, /proc/self/mountinfo where that hierarchy is
// mounted and which group its mount shows at the top (in a container often not the root); their difference is the folder.
// From there up to the mount every group's quota holds, so the smallest counts. Go reads the leaf alone, and so misses a
// limit set on a parent (a Kubernetes pod, a systemd slice).
//
// Whatever cannot be read or understood is no limit: a scheduler must start on odd systems too. Version 1 and 2 may both
// be mounted, but the cpu controller is only in one: where a version 1 hierarchy names cpu, that one counts.
#include "sched/os/cgroup.h"

#include "sched/base/base.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The hierarchy that carries the cpu controller, and our place in it.
struct place {
	bool found, v1;
	char group[PATH_MAX];  // as /proc/self/cgroup has it: from the root of the hierarchy
	char folder[PATH_MAX]; // where to look for its files; "" until the mount is found
	size_t mount_length;   // how much of folder is the mount point
};

struct quota {
	long long quota_us, period_us;
	char file[PATH_MAX];
};

// Is word one of the comma-separated words of list?
static bool
has_word(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (; *list; list += strspn(list, ",")) {
		size_t len = strcspn(list, ",");

		if (len == n && memcmp(list, word, n) == 0)
			return true;
		list += len;
	}
	return false;
}

static FILE *
open_under(const char *root, const char *path)
{
	char full[PATH_MAX];
	int n = snprintf(full, sizeof(full), "%s%s", root, path);

	return n < (int)sizeof(full) ? fopen(full, "re") : NULL;
}

// One line of /proc/self/cgroup, "4:cpu,cpuacct:/a/b" or, for version 2, "0::/a/b".
static void
read_group_line(char *line, struct place *p)
{
	char *controllers = strchr(line, ':');
	char *group = controllers ? strchr(controllers + 1, ':') : NULL;
	bool v1;

	if (!group)
		return;
	*controllers++ = '\0';
	*group++ = '\0';
	v1 = has_word(controllers, "cpu");
	if (!v1 && (strcmp(line, "0") != 0 || *controllers || p->found))
		return;
	p->found = snprintf(p->group, sizeof(p->group), "%s", group) < (int)sizeof(p->group);
	p->v1 = v1;
}

// Calls line() for each line of a file, without its newline.
static void
each_line(const char *root, const char *path, void (*line)(char *, struct place *), struct place *p)
{
	FILE *f = open_under(root, path);
	char *text = NULL;
	size_t size = 0;

	if (!f)
		return;
	while (getline(&text, &size, f) > 0) {
		text[strcspn(text, "\n")] = '\0';
		line(text, p);
	}
	free(text);
	fclose(f);
}

// Undoes mountinfo's escapes (\040 for a blank) in place.
static void
unescape(char *text)
{
	char *to = text;

	while (*text) {
		int c = (unsigned char)*text++;

		if (c == '\\' && strspn(text, "01234567") >= 3) {
			c = (text[0] - '0') * 64 + (text[1] - '0') * 8 + (text[2] - '0');
			text += 3;
		}
		*to++ = (char)c;
	}
	*to = '\0';
}

// What of path lies below top, or NULL if it does not: "/a/b" below "/a" is "/b", below "/" all of it, below "/ab" nothing.
static const char *
below(const char *path, const char *top)
{
	size_t n = strcmp(top, "/") == 0 ? 0 : strlen(top);

	if (strncmp(path, top, n) != 0 || (path[n] != '/' && path[n] != '\0'))
		return NULL;
	return strcmp(path + n, "/") == 0 ? "" : path + n;
}

// Is this the end of our hierarchy's line in mountinfo? "cgroup2 source rw,options", "cgroup source rw,cpu,cpuacct".
static bool
is_ours(char *tail, bool v1)
{
	char *save;
	const char *type = strtok_r(tail, " ", &save);
	const char *source = strtok_r(NULL, " ", &save);
	const char *options = strtok_r(NULL, " ", &save);

	if (!type || !source || strcmp(type, v1 ? "cgroup" : "cgroup2") != 0)
		return false;
	return !v1 || (options && has_word(options, "cpu"));
}

// One line of mountinfo: "31 25 0:28 /top /mount/point rw,nosuid shared:9 - cgroup2 source rw,options". The first mount
// that shows our group wins; a bind mount of some other group does not help.
static void
read_mount_line(char *line, struct place *p)
{
	char *tail = strstr(line, " - "), *field[5], *save;
	const char *group;

	if (!tail || p->folder[0] || !is_ours(tail + 3, p->v1))
		return;
	*tail = '\0';
	for (int i = 0; i < 5; i++) {
		field[i] = strtok_r(i ? NULL : line, " ", &save);
		if (!field[i])
			return;
	}
	unescape(field[3]);
	unescape(field[4]);
	group = below(p->group, field[3]);
	if (!group)
		return;
	p->mount_length = strlen(field[4]);
	if (snprintf(p->folder, sizeof(p->folder), "%s%s", field[4], group) >= (int)sizeof(p->folder))
		p->folder[0] = '\0';
}

// The number at *text, which must be one with a blank or the end behind it; moves *text past both.
static bool
read_number(const char **text, long long *value)
{
	char *end;

	errno = 0;
	*value = strtoll(*text, &end, 10);
	if (errno || end == *text || (*end && !strchr(" \n", *end)))
		return false;
	*text = end + strspn(end, " \n");
	return true;
}

// The first line of file in folder.
static bool
read_file(const char *root, const char *folder, const char *name, char *line, int size)
{
	char path[PATH_MAX];
	FILE *f = NULL;
	bool ok;

	if (snprintf(path, sizeof(path), "%s/%s", folder, name) < (int)sizeof(path))
		f = open_under(root, path);
	if (!f)
		return false;
	ok = fgets(line, size, f);
	fclose(f);
	return ok;
}

// The quota of the group whose folder this is, if it has one.
static bool
read_quota(const char *root, const char *folder, bool v1, struct quota *q)
{
	const char *name = v1 ? "cpu.cfs_quota_us" : "cpu.max";
	char line[128], line2[128];
	const char *at = line, *at2 = v1 ? line2 : at;

	if (!read_file(root, folder, name, line, sizeof(line)) || !read_number(&at, &q->quota_us))
		return false;
	if (v1 && !read_file(root, folder, "cpu.cfs_period_us", line2, sizeof(line2)))
		return false;
	if (!read_number(v1 ? &at2 : &at, &q->period_us) || q->quota_us <= 0 || q->period_us <= 0)
		return false;
	return snprintf(q->file, sizeof(q->file), "%s/%s", folder, name) < (int)sizeof(q->file);
}

static int
round_up(long long quota, long long period)
{
	long long cpus = quota / period + (quota % period != 0);

	return cpus < INT_MAX ? (int)cpus : INT_MAX;
}

// Takes the last name off folder, unless that would leave the mount.
static bool
up(char *folder, size_t mount_length)
{
	char *slash = strrchr(folder, '/');

	if (!slash || (size_t)(slash - folder) < mount_length)
		return false;
	*slash = '\0';
	return true;
}

int
mn_cgroup_cpus(const char *root, char *where, size_t size)
{
	struct place p = { 0 };
	struct quota q;
	int least = 0;

	snprintf(where, size, "%s", "");
	each_line(root, "/proc/self/cgroup", read_group_line, &p);
	if (p.found)
		each_line(root, "/proc/self/mountinfo", read_mount_line, &p);
	if (!p.folder[0])
		return 0;
	do {
		int cpus = read_quota(root, p.folder, p.v1, &q) ? round_up(q.quota_us, q.period_us) : 0;

		if (cpus == 0 || (least && cpus >= least))
			continue;
		least = cpus;
		snprintf(where, size, "%lld/%lld us in %s", q.quota_us, q.period_us, q.file);
	} while (up(p.folder, p.mount_length));
	return least;
}

int
mn_cgroup_default_procs(const char *root, int affinity, int max, char *why, size_t size)
{
	char where[PATH_MAX + 64];
	int quota = mn_cgroup_cpus(root, where, sizeof(where));
	int procs = quota == 1 ? 2 : quota;

	if (quota && procs < affinity && procs <= max) {
		snprintf(why, size, "cgroup quota of %s%s", where, quota < procs ? ", at least 2" : "");
		return procs;
	}
	if (affinity > max) {
		snprintf(why, size, "affinity mask of %d CPUs, at most %d", affinity, max);
		return max;
	}
	snprintf(why, size, "affinity mask of %d CPU%s", affinity, affinity == 1 ? "" : "s");
	return affinity > 1 ? affinity : 1;
}
