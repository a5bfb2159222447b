// SPDX-License-Identifier: MIT
// net.c: pairs of connected sockets.
#include "workloads/net.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sched/mn.h"

static int
blocking_accept(int fd, void *addr, uint32_t *size)
{
	int n;

	while ((n = accept4(fd, addr, size, SOCK_CLOEXEC)) < 0 && errno == EINTR)
		;
	return n < 0 ? -errno : n;
}

static int
blocking_connect(int fd, const void *addr, uint32_t size)
{
	return connect(fd, addr, size) == 0 ? 0 : -errno;
}

static intptr_t
blocking_read(int fd, void *buf, size_t size)
{
	intptr_t n;

	while ((n = read(fd, buf, size)) < 0 && errno == EINTR)
		;
	return n < 0 ? -errno : n;
}

static intptr_t
blocking_write(int fd, const void *buf, size_t size)
{
	size_t done = 0;

	while (done < size) {
		intptr_t n = send(fd, (const char *)buf + done, size - done, MSG_NOSIGNAL);

		if (n < 0 && errno != EINTR)
			return -errno;
		done += n > 0 ? (size_t)n : 0;
	}
	return (intptr_t)done;
}

static int
blocking_close(int fd)
{
	return close(fd) == 0 ? 0 : -errno;
}

const struct net net_goroutines = { mn_accept, mn_connect, mn_read, mn_write, mn_close };
const struct net net_blocking = {
	blocking_accept, blocking_connect, blocking_read, blocking_write, blocking_close,
};

// A socket that sends at once what it is given. Descriptor or -errno.
static int
open_socket(void)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

	if (fd < 0)
		return -errno;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)); // otherwise only slower
	return fd;
}

// On a free port of the loopback device, which addr then holds. Descriptor or -errno.
static int
open_listener(struct sockaddr_in *addr)
{
	socklen_t size = sizeof(*addr);
	int fd = open_socket();

	if (fd < 0)
		return fd;
	*addr = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	if (bind(fd, (struct sockaddr *)addr, size) != 0 || listen(fd, 16) != 0 ||
	    getsockname(fd, (struct sockaddr *)addr, &size) != 0) {
		int error = -errno;

		close(fd);
		return error;
	}
	return fd;
}

// The listener's queue takes the connection before it is accepted, so one after the other will do.
static int
open_pair(const struct net *net, int listener, const struct sockaddr_in *addr, int *fd)
{
	fd[0] = open_socket();
	if (fd[0] < 0)
		return fd[0];
	int error = net->connect(fd[0], addr, sizeof(*addr));

	fd[1] = error ? error : net->accept(listener, NULL, NULL);
	if (fd[1] < 0) {
		net->close(fd[0]);
		return fd[1];
	}
	return 0;
}

int
net_pairs(const struct net *net, int *fd, long n)
{
	struct sockaddr_in addr;
	int listener = open_listener(&addr), error = listener < 0 ? listener : 0;
	long k = 0;

	while (k < n && !error) {
		error = open_pair(net, listener, &addr, &fd[2 * k]);
		k += !error;
	}
	if (listener >= 0)
		net->close(listener);
	if (error)
		net_close(net, fd, k);
	return error;
}

void
net_close(const struct net *net, int *fd, long n)
{
	for (long i = 0; i < 2 * n; i++)
		net->close(fd[i]);
}

int
net_read_all(const struct net *net, int fd, void *buf, size_t n)
{
	size_t got = 0;

	while (got < n) {
		intptr_t more = net->read(fd, (char *)buf + got, n - got);

		if (more < 0)
			return (int)more;
		if (more == 0)
			return got ? -EPIPE : -ENODATA;
		got += (size_t)more;
	}
	return 0;
}

int
net_write_all(const struct net *net, int fd, const void *buf, size_t n)
{
	intptr_t done = net->write(fd, buf, n);

	if (done < 0)
		return (int)done;
	return (size_t)done == n ? 0 : -EPIPE;
}
