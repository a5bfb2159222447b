// SPDX-License-Identifier: MIT
// host.c: reads /proc, /sys and the topology. What is not to be had is left out of the object, never guessed.
#include "experiments/mnlab/host.h"

#include "sched/os/topo.h"

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

int
host_read_line(const char *path, char *text, size_t size)
{
	FILE *f = fopen(path, "re");
	bool ok = f && fgets(text, (int)size, f);

	if (f)
		fclose(f);
	if (!ok)
		text[0] = 0;
	text[strcspn(text, "\n")] = 0;
	return ok;
}

void
host_cpu(char *text, size_t size)
{
	// x86 says "model name", arm64 only numbers, others "cpu".
	static const char *const keys[] = { "model name", "CPU part", "cpu" };
	FILE *f = fopen("/proc/cpuinfo", "re");
	char line[512];
	size_t best = sizeof keys / sizeof keys[0];

	snprintf(text, size, "unknown");
	while (f && fgets(line, sizeof line, f))
		for (size_t i = 0; i < best; i++) {
			char *colon = strchr(line, ':');
			if (strncmp(line, keys[i], strlen(keys[i])) || !colon)
				continue;
			snprintf(text, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
			best = i;
		}
	if (f)
		fclose(f);
}

static void
put_line(json_t *o, const char *key, const char *path)
{
	char text[256];

	if (host_read_line(path, text, sizeof text))
		json_object_set_new(o, key, json_string(text));
}

static json_t *
caches(void)
{
	static const char *const files[] = { "level", "type", "size", "shared_cpu_list" };
	json_t *all = json_array();

	for (int i = 0; i < 10; i++) {
		json_t *cache = json_object();
		for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) {
			char path[128];
			snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", i, files[k]);
			put_line(cache, files[k], path);
		}
		if (json_object_size(cache))
			json_array_append(all, cache);
		json_decref(cache);
	}
	return all;
}

// The affinity mask as taskset writes it: "0-3,8".
static json_t *
affinity(void)
{
	char line[4096];
	FILE *f = fopen("/proc/self/status", "re");
	json_t *out = NULL;

	while (f && !out && fgets(line, sizeof line, f))
		if (!strncmp(line, "Cpus_allowed_list:", 18)) {
			line[strcspn(line, "\n")] = 0;
			out = json_string(line + 18 + strspn(line + 18, " \t"));
		}
	if (f)
		fclose(f);
	return out;
}

static json_t *
limits(void)
{
	static const struct {
		const char *name;
		int which;
	} all[] = { { "stack", RLIMIT_STACK },
		    { "nproc", RLIMIT_NPROC },
		    { "nofile", RLIMIT_NOFILE },
		    { "memlock", RLIMIT_MEMLOCK },
		    { "as", RLIMIT_AS } };
	json_t *out = json_object();

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
		struct rlimit r;
		if (getrlimit((__rlimit_resource_t)all[i].which, &r))
			continue;
		json_object_set_new(out, all[i].name,
		                    r.rlim_cur == RLIM_INFINITY ? json_string("unlimited")
		                                                : json_integer((json_int_t)r.rlim_cur));
	}
	return out;
}

static void
put_topology(json_t *o)
{
	struct mn_topo *t;
	char why[256];

	json_object_set_new(o, "procs_default", json_integer(mn_default_procs(why, sizeof why)));
	json_object_set_new(o, "procs_default_why", json_string(why));
	if (mn_topo_load(&t))
		return;
	json_object_set_new(o, "pus", json_integer(mn_topo_num_pus(t)));
	json_object_set_new(o, "cores", json_integer(mn_topo_num_cores(t)));
	json_object_set_new(o, "llcs", json_integer(mn_topo_num_llcs(t)));
	json_object_set_new(o, "numas", json_integer(mn_topo_num_numas(t)));
	char *xml = mn_topo_xml(t);
	if (xml)
		json_object_set_new(o, "topology", json_string(xml));
	free(xml);
	mn_topo_free(t);
}

static void
put_kernel(json_t *o)
{
	struct utsname u;
	char text[sizeof u.sysname + sizeof u.release + sizeof u.machine + 2];

	if (uname(&u))
		return;
	snprintf(text, sizeof text, "%s %s %s", u.sysname, u.release, u.machine);
	json_object_set_new(o, "kernel", json_string(text));
}

json_t *
host_describe(void)
{
	json_t *o = json_object();
	char cpu[256];

	host_cpu(cpu, sizeof cpu);
	json_object_set_new(o, "cpu", json_string(cpu));
	json_object_set_new(o, "caches", caches());
	json_object_set_new(o, "cpus_online", json_integer(sysconf(_SC_NPROCESSORS_ONLN)));
	put_line(o, "governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
	put_kernel(o);
	json_object_set_new(o, "affinity", affinity());
	json_object_set_new(o, "timer_slack_ns", json_integer(prctl(PR_GET_TIMERSLACK)));
	json_object_set_new(o, "limits", limits());
	put_topology(o);
	return o;
}
