// SPDX-License-Identifier: MIT
// fds.c: descriptors for the tests of netpoll.
#include "sched/tests/fds.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define NEED(condition)                                                        \
	do {                                                                   \
		if (!(condition)) {                                            \
			fprintf(stderr, "%s: %s: %m\n", __func__, #condition); \
			abort();                                               \
		}                                                              \
	} while (0)

int
fds_count(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = -1; // that of the directory itself

	NEED(d);
	for (struct dirent *e; (e = readdir(d));)
		n += e->d_name[0] != '.';
	closedir(d);
	return n;
}

void
fds_pipe(int fd[2])
{
	NEED(pipe2(fd, O_CLOEXEC) == 0);
}

void
fds_pair(int fd[2])
{
	NEED(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd) == 0);
}

int
fds_tcp(void)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

	NEED(fd >= 0);
	// Else a second short segment waits for the answer to the first, up to 40 ms. Accepted sockets inherit it.
	NEED(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) == 0);
	return fd;
}

int
fds_deaf(struct sockaddr_in *addr)
{
	int fd = fds_tcp();
	socklen_t size = sizeof(*addr);

	*addr = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	NEED(bind(fd, (struct sockaddr *)addr, size) == 0);
	NEED(getsockname(fd, (struct sockaddr *)addr, &size) == 0);
	return fd;
}

int
fds_listen(int backlog, struct sockaddr_in *addr)
{
	int fd = fds_deaf(addr);

	NEED(listen(fd, backlog) == 0);
	return fd;
}

size_t
fds_fill(int fd)
{
	char block[4096] = { 0 };
	size_t all = 0;
	ssize_t n;

	NEED(fcntl(fd, F_SETFL, O_NONBLOCK) == 0);
	while ((n = write(fd, block, sizeof(block))) > 0 || (n = write(fd, block, 1)) > 0)
		all += (size_t)n;
	NEED(errno == EAGAIN);
	return all;
}

static void
wait_for(int fd, short events)
{
	struct pollfd p = { .fd = fd, .events = events };

	NEED(errno == EAGAIN || errno == EINTR);
	poll(&p, 1, -1);
}

void
fds_write_all(int fd, const void *buf, size_t n)
{
	for (const char *at = buf; n > 0;) {
		ssize_t put = write(fd, at, n);

		if (put < 0) {
			wait_for(fd, POLLOUT);
			continue;
		}
		at += put;
		n -= (size_t)put;
	}
}

void
fds_read_all(int fd, void *buf, size_t n)
{
	for (char *at = buf; n > 0;) {
		ssize_t got = read(fd, at, n);

		if (got < 0) {
			wait_for(fd, POLLIN);
			continue;
		}
		NEED(got > 0);
		at += got;
		n -= (size_t)got;
	}
}

void
fds_pattern(uint32_t seed, void *buf, size_t n)
{
	for (size_t i = 0; i < n; i++)
		((uint8_t *)buf)[i] = fds_byte(seed, i);
}

size_t
fds_differ(uint32_t seed, const void *buf, size_t n)
{
	size_t differ = 0;

	for (size_t i = 0; i < n; i++)
		differ += ((const uint8_t *)buf)[i] != fds_byte(seed, i);
	return differ;
}
