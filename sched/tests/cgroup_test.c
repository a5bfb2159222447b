// SPDX-License-Identifier: MIT
// cgroup: a table of little file trees, each with the number of CPUs that its quota comes to and the default number of Ps
// for a machine of so many. The trees are written under a fresh folder that stands for the root of the file system.
#include "sched/os/cgroup.h"

#include "sched/base/base.h"
#include "sched/base/check.h"
#include "sched/mn.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define V2         "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
#define V1         "33 24 0:29 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
#define NO_CPU     "34 24 0:30 / /sys/fs/cgroup/cpuset rw shared:10 - cgroup cgroup rw,cpuset\n"
#define V2_UNIFIED "35 24 0:31 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
#define DISK       "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"

struct file {
	const char *path, *text;
};

struct tree {
	const char *name, *group, *mounts; // the last two: /proc/self/cgroup and mountinfo
	struct file file[4];
	int cpus, affinity, procs;
	const char *why; // part of the text
};

// clang-format off
static const struct tree trees[] = {
	{ "two CPUs", "0::/a\n", DISK V2,
	  { { "/sys/fs/cgroup/a/cpu.max", "200000 100000\n" } },
	  2, 8, 2, "cgroup quota of 200000/100000 us in /sys/fs/cgroup/a/cpu.max" },
	{ "two and a half round up", "0::/a\n", DISK V2,
	  { { "/sys/fs/cgroup/a/cpu.max", "250000 100000\n" } }, 3, 8, 3, "250000/100000" },
	{ "a little more than two", "0::/a\n", DISK V2,
	  { { "/sys/fs/cgroup/a/cpu.max", "200001 100000\n" } }, 3, 8, 3, "200001/100000" },
	{ "half a CPU counts as two", "0::/a\n", DISK V2,
	  { { "/sys/fs/cgroup/a/cpu.max", "50000 100000\n" } }, 1, 8, 2, "cpu.max, at least 2" },
	{ "half a CPU of one", "0::/a\n", DISK V2,
	  { { "/sys/fs/cgroup/a/cpu.max", "50000 100000\n" } }, 1, 1, 1, "affinity mask of 1 CPU" },
	{ "least that can be set", "0::/a\n", DISK V2,
	  { { "/sys/fs/cgroup/a/cpu.max", "1000 1000000\n" } }, 1, 64, 2, "at least 2" },
	{ "no limit", "0::/a\n", DISK V2,
	  { { "/sys/fs/cgroup/a/cpu.max", "max 100000\n" } }, 0, 8, 8, "affinity mask of 8 CPUs" },
	{ "quota above the mask", "0::/a\n", DISK V2,
	  { { "/sys/fs/cgroup/a/cpu.max", "900000 100000\n" } }, 9, 8, 8, "affinity mask of 8 CPUs" },
	{ "quota as large as the mask", "0::/a\n", DISK V2,
	  { { "/sys/fs/cgroup/a/cpu.max", "800000 100000\n" } }, 8, 8, 8, "affinity mask of 8 CPUs" },
	{ "no newline", "0::/a", "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw",
	  { { "/sys/fs/cgroup/a/cpu.max", "200000 100000" } }, 2, 8, 2, "a/cpu.max" },

	// The group above limits too, up to and with the top of the mount.
	{ "limit of the parent", "0::/pod/app\n", DISK V2,
	  { { "/sys/fs/cgroup/pod/app/cpu.max", "max 100000\n" },
	    { "/sys/fs/cgroup/pod/cpu.max", "300000 100000\n" } }, 3, 8, 3, "in /sys/fs/cgroup/pod/cpu.max" },
	{ "the smaller of both, below", "0::/pod/app\n", DISK V2,
	  { { "/sys/fs/cgroup/pod/app/cpu.max", "200000 100000\n" },
	    { "/sys/fs/cgroup/pod/cpu.max", "300000 100000\n" } }, 2, 8, 2, "in /sys/fs/cgroup/pod/app/cpu.max" },
	{ "the smaller of both, above", "0::/pod/app\n", DISK V2,
	  { { "/sys/fs/cgroup/pod/app/cpu.max", "400000 100000\n" },
	    { "/sys/fs/cgroup/pod/cpu.max", "150000 50000\n" } }, 3, 8, 3, "150000/50000 us in /sys/fs/cgroup/pod/cpu.max" },
	{ "a gap in between", "0::/x/y/z\n", DISK V2,
	  { { "/sys/fs/cgroup/x/cpu.max", "300000 100000\n" },
	    { "/sys/fs/cgroup/x/y/z/other", "1\n" } }, 3, 8, 3, "in /sys/fs/cgroup/x/cpu.max" },
	{ "garbage below, limit above", "0::/pod/app\n", DISK V2,
	  { { "/sys/fs/cgroup/pod/app/cpu.max", "many\n" },
	    { "/sys/fs/cgroup/pod/cpu.max", "300000 100000\n" } }, 3, 8, 3, "in /sys/fs/cgroup/pod/cpu.max" },
	{ "container with its own namespace", "0::/\n", DISK V2,
	  { { "/sys/fs/cgroup/cpu.max", "200000 100000\n" } }, 2, 8, 2, "in /sys/fs/cgroup/cpu.max" },
	{ "container without: the mount starts at our group", "0::/docker/c0ffee\n",
	  DISK "40 23 0:26 /docker/c0ffee /sys/fs/cgroup ro - cgroup2 cgroup rw\n",
	  { { "/sys/fs/cgroup/cpu.max", "200000 100000\n" } }, 2, 8, 2, "in /sys/fs/cgroup/cpu.max" },
	{ "the mount starts at our parent", "0::/docker/c0ffee/app\n",
	  DISK "40 23 0:26 /docker/c0ffee /sys/fs/cgroup ro - cgroup2 cgroup rw\n",
	  { { "/sys/fs/cgroup/app/cpu.max", "200000 100000\n" } }, 2, 8, 2, "in /sys/fs/cgroup/app/cpu.max" },
	{ "a mount of another group, then ours", "0::/docker/c0ffee\n",
	  "40 23 0:26 /docker/c0 /other ro - cgroup2 cgroup rw\n" V2,
	  { { "/other/cpu.max", "300000 100000\n" },
	    { "/sys/fs/cgroup/docker/c0ffee/cpu.max", "200000 100000\n" } }, 2, 8, 2, "docker/c0ffee/cpu.max" },
	{ "never above the mount", "0::/a\n", "30 23 0:26 / /mnt/cgroup rw - cgroup2 cgroup2 rw\n",
	  { { "/mnt/cgroup/a/cpu.max", "max 100000\n" }, { "/mnt/cpu.max", "200000 100000\n" } },
	  0, 8, 8, "affinity" },
	{ "blanks and backslashes in the mount point", "0::/a b\n",
	  "30 23 0:26 / /sys/my\\040c\\134group rw - cgroup2 cgroup2 rw\n",
	  { { "/sys/my c\\group/a b/cpu.max", "200000 100000\n" } }, 2, 8, 2, "my c\\group/a b/cpu.max" },
	{ "colons in the name", "0::/a:b:c\n", DISK V2,
	  { { "/sys/fs/cgroup/a:b:c/cpu.max", "200000 100000\n" } }, 2, 8, 2, "a:b:c/cpu.max" },

	// Version 1.
	{ "v1", "5:cpuset:/\n4:cpu,cpuacct:/a\n", DISK NO_CPU V1,
	  { { "/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "250000\n" },
	    { "/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n" } },
	  3, 8, 3, "250000/100000 us in /sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us" },
	{ "v1 without limit", "4:cpu,cpuacct:/a\n", DISK V1,
	  { { "/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "-1\n" },
	    { "/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n" } }, 0, 8, 8, "affinity" },
	{ "v1, limit of the parent", "4:cpuacct,cpu:/p/a\n", DISK V1,
	  { { "/sys/fs/cgroup/cpu,cpuacct/p/a/cpu.cfs_quota_us", "-1\n" },
	    { "/sys/fs/cgroup/cpu,cpuacct/p/a/cpu.cfs_period_us", "100000\n" },
	    { "/sys/fs/cgroup/cpu,cpuacct/p/cpu.cfs_quota_us", "20000\n" },
	    { "/sys/fs/cgroup/cpu,cpuacct/p/cpu.cfs_period_us", "5000\n" } }, 4, 8, 4, "20000/5000" },
	{ "v1, no period", "4:cpu,cpuacct:/a\n", DISK V1,
	  { { "/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "250000\n" } }, 0, 8, 8, "affinity" },
	{ "v1, period 0", "4:cpu,cpuacct:/a\n", DISK V1,
	  { { "/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "250000\n" },
	    { "/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "0\n" } }, 0, 8, 8, "affinity" },
	{ "both versions, cpu in v1", "4:cpu,cpuacct:/a\n0::/a\n", DISK V2_UNIFIED V1,
	  { { "/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "200000\n" },
	    { "/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n" },
	    { "/sys/fs/cgroup/unified/a/cpu.max", "400000 100000\n" } }, 2, 8, 2, "cfs_quota_us" },
	{ "both versions, v2 named first", "0::/a\n4:cpu,cpuacct:/a\n", DISK V2_UNIFIED V1,
	  { { "/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "200000\n" },
	    { "/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n" } }, 2, 8, 2, "cfs_quota_us" },
	{ "both versions, cpu in v2", "5:cpuset:/\n0::/a\n", DISK NO_CPU V2,
	  { { "/sys/fs/cgroup/a/cpu.max", "200000 100000\n" } }, 2, 8, 2, "cpu.max" },
	{ "cpuset and cpuacct are not cpu", "5:cpuset,cpuacct:/a\n", DISK NO_CPU, { { "/x", "" } }, 0, 8, 8, "affinity" },

	// Nothing to be had, or nothing that can be understood: no limit.
	{ "no files at all", NULL, NULL, { { "/x", "" } }, 0, 8, 8, "affinity mask of 8 CPUs" },
	{ "no mountinfo", "0::/a\n", NULL, { { "/sys/fs/cgroup/a/cpu.max", "200000 100000\n" } }, 0, 8, 8, "affinity" },
	{ "no mount of our kind", "0::/a\n", DISK V1, { { "/x", "" } }, 0, 8, 8, "affinity" },
	{ "no mount of our group", "0::/a\n", "40 23 0:26 /b /sys/fs/cgroup ro - cgroup2 cgroup rw\n",
	  { { "/sys/fs/cgroup/cpu.max", "200000 100000\n" } }, 0, 8, 8, "affinity" },
	{ "no file", "0::/a\n", DISK V2, { { "/x", "" } }, 0, 8, 8, "affinity" },
	{ "empty file", "0::/a\n", DISK V2, { { "/sys/fs/cgroup/a/cpu.max", "" } }, 0, 8, 8, "affinity" },
	{ "one number", "0::/a\n", DISK V2, { { "/sys/fs/cgroup/a/cpu.max", "200000\n" } }, 0, 8, 8, "affinity" },
	{ "words", "0::/a\n", DISK V2, { { "/sys/fs/cgroup/a/cpu.max", "two hundred\n" } }, 0, 8, 8, "affinity" },
	{ "a unit", "0::/a\n", DISK V2, { { "/sys/fs/cgroup/a/cpu.max", "200000us 100000\n" } }, 0, 8, 8, "affinity" },
	{ "zero", "0::/a\n", DISK V2, { { "/sys/fs/cgroup/a/cpu.max", "0 100000\n" } }, 0, 8, 8, "affinity" },
	{ "negative", "0::/a\n", DISK V2, { { "/sys/fs/cgroup/a/cpu.max", "-5 100000\n" } }, 0, 8, 8, "affinity" },
	{ "period 0", "0::/a\n", DISK V2, { { "/sys/fs/cgroup/a/cpu.max", "200000 0\n" } }, 0, 8, 8, "affinity" },
	{ "larger than any number", "0::/a\n", DISK V2,
	  { { "/sys/fs/cgroup/a/cpu.max", "99999999999999999999 100000\n" } }, 0, 8, 8, "affinity" },
	{ "largest number", "0::/a\n", DISK V2,
	  { { "/sys/fs/cgroup/a/cpu.max", "9223372036854775807 1\n" } }, INT_MAX, 8, 8, "affinity" },
	{ "torn lines", "0\n0:\n4:cpu\n::\n", "30 23\n - \n - cgroup2\n30 - cgroup2 cgroup2 rw\n", { { "/x", "" } },
	  0, 8, 8, "affinity" },
	{ "torn mount of v1", "4:cpu:/\n", "33 24 0:29 / /c rw - cgroup cgroup\n33 - cgroup x rw,cpu\n",
	  { { "/c/cpu.cfs_quota_us", "200000\n" }, { "/c/cpu.cfs_period_us", "100000\n" } }, 0, 8, 8, "affinity" },

	{ "more CPUs than Ps can be", "0::/a\n", DISK V2, { { "/x", "" } }, 0, 4096, 1024,
	  "affinity mask of 4096 CPUs, at most 1024" },
	{ "larger quota than Ps can be", "0::/a\n", DISK V2,
	  { { "/sys/fs/cgroup/a/cpu.max", "200000000 100000\n" } }, 2000, 4096, 1024, "at most 1024" },
	{ "no CPU at all", NULL, NULL, { { "/x", "" } }, 0, 0, 1, "affinity mask of 0 CPUs" },
};
// clang-format on

static void
make_folders(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(path, 0700) && errno != EEXIST)
			mn_throw("mkdir %s: %s", path, strerror(errno));
		*slash = '/';
	}
}

static void
write_file(const char *root, const char *path, const char *text)
{
	char full[PATH_MAX];
	FILE *f;

	if (!path || !text)
		return;
	snprintf(full, sizeof(full), "%s%s", root, path);
	make_folders(full);
	f = fopen(full, "w");
	if (!f || fputs(text, f) < 0 || fclose(f))
		mn_throw("%s: %s", full, strerror(errno));
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

static void
check_tree(const struct tree *t, const char *root)
{
	char where[PATH_MAX + 64], why[PATH_MAX + 64];
	int cpus = mn_cgroup_cpus(root, where, sizeof(where));
	int procs = mn_cgroup_default_procs(root, t->affinity, MN_PROCS_MAX, why, sizeof(why));

	if (cpus != t->cpus || !where[0] != !cpus)
		mn_throw("%s: quota: got %d (%s), expected %d", t->name, cpus, where, t->cpus);
	if (procs != t->procs || !strstr(why, t->why))
		mn_throw("%s: got %d (%s), expected %d (..%s..)", t->name, procs, why, t->procs, t->why);
}

static void
test_tree(const struct tree *t)
{
	char root[] = "/tmp/mn-cgroup-XXXXXX";

	if (!mkdtemp(root))
		mn_throw("mkdtemp: %s", strerror(errno));
	write_file(root, "/proc/self/cgroup", t->group);
	write_file(root, "/proc/self/mountinfo", t->mounts);
	for (size_t i = 0; i < array_len(t->file); i++)
		write_file(root, t->file[i].path, t->file[i].text);
	check_tree(t, root);
	if (nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS))
		mn_throw("cannot remove %s: %s", root, strerror(errno));
}

// Paths longer than the system takes are no limit either, wherever they turn up.
static void
test_long_paths(void)
{
	static char group[3 * PATH_MAX];
	struct tree t = { "long group", group, DISK V2, { { "/x", "" } }, 0, 8, 8, "affinity" };

	snprintf(group, sizeof(group), "0::/%0*d\n", 2 * PATH_MAX, 0);
	test_tree(&t);
	t.name = "long folder";
	snprintf(group, sizeof(group), "0::/%0*d\n", PATH_MAX - 10, 0);
	test_tree(&t);
	t.name = "long file";
	snprintf(group, sizeof(group), "0::/%0*d\n", PATH_MAX - 20, 0);
	test_tree(&t);
}

static void
test_short_text(void)
{
	char why[8];

	CHECK(mn_cgroup_default_procs("/nonexistent", 8, MN_PROCS_MAX, why, sizeof(why)) == 8);
	CHECK(strcmp(why, "affinit") == 0);
	CHECK(mn_cgroup_default_procs("/nonexistent", 8, MN_PROCS_MAX, NULL, 0) == 8);
	CHECK(mn_cgroup_cpus("/nonexistent", NULL, 0) == 0);
}

int
main(void)
{
	for (size_t i = 0; i < array_len(trees); i++)
		test_tree(&trees[i]);
	test_long_paths();
	test_short_text();
	return 0;
}
