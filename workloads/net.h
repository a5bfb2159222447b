// SPDX-License-Identifier: MIT
// net.h: connections over the loopback device, by the calls of libmn or of the system: one table of calls for each, so
// that the code above is the same.
#ifndef WORKLOADS_NET_H
#define WORKLOADS_NET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// All return -errno where they fail. write writes all.
struct net {
	int (*accept)(int fd, void *addr, uint32_t *size);
	int (*connect)(int fd, const void *addr, uint32_t size);
	intptr_t (*read)(int fd, void *buf, size_t n);
	intptr_t (*write)(int fd, const void *buf, size_t n);
	int (*close)(int fd);
};

extern const struct net net_goroutines; // waits by parking
extern const struct net net_blocking;   // waits in the kernel

// n TCP connections of this process with itself: fd[2k] and fd[2k + 1] are the two ends of the k-th. 0, or -errno with all
// closed again.
int net_pairs(const struct net *net, int *fd, long n);
void net_close(const struct net *net, int *fd, long n);

// Reads n bytes: 0; or -errno, -ENODATA at the end before the first of them, -EPIPE at the end after that.
int net_read_all(const struct net *net, int fd, void *buf, size_t n);
// Writes n bytes: 0 or -errno.
int net_write_all(const struct net *net, int fd, const void *buf, size_t n);

#endif
