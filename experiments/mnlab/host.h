// SPDX-License-Identifier: MIT
// host.h: describes this machine for the manifest: what a reader of the results needs to judge them.
#ifndef EXPERIMENTS_MNLAB_HOST_H
#define EXPERIMENTS_MNLAB_HOST_H

#include <jansson.h>
#include <stddef.h>

// An object: cpu, caches, cpus_online, pus, governor, kernel, affinity, quota, timer_slack_ns, limits, topology (XML).
json_t *host_describe(void);

// The CPU's name as the kernel gives it, "unknown" without one.
void host_cpu(char *text, size_t size);

// The first line of a file without its newline; "" and false when there is none.
int host_read_line(const char *path, char *text, size_t size);

#endif
