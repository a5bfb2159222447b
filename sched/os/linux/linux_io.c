// SPDX-License-Identifier: MIT
// linux_io.c: calls on descriptors. Each is a function of its own, never inlined: errno is read on the thread that made the
// call, by an address that no caller can keep until it runs on another thread.
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sched/os/os.h"

NOINLINE intptr_t
mn_os_read(int fd, void *buf, size_t n)
{
	ssize_t got;

	do
		got = read(fd, buf, n);
	while (got < 0 && errno == EINTR);
	return got < 0 ? -errno : got;
}

NOINLINE intptr_t
mn_os_write(int fd, const void *buf, size_t n, bool socket)
{
	ssize_t put;

	do
		put = socket ? send(fd, buf, n, MSG_NOSIGNAL) : write(fd, buf, n);
	while (put < 0 && errno == EINTR);
	return put < 0 ? -errno : put;
}

NOINLINE int
mn_os_accept(int fd, void *addr, uint32_t *addrlen)
{
	int got;

	do
		got = accept4(fd, addr, addrlen, SOCK_NONBLOCK | SOCK_CLOEXEC);
	while (got < 0 && errno == EINTR);
	return got < 0 ? -errno : got;
}

NOINLINE int
mn_os_connect(int fd, const void *addr, uint32_t addrlen)
{
	if (connect(fd, addr, addrlen) == 0)
		return 0;
	return errno == EINTR ? -EINPROGRESS : -errno;
}

// The descriptor is gone in any case, interrupted or not.
NOINLINE int
mn_os_close(int fd)
{
	return close(fd) == 0 || errno == EINTR ? 0 : -errno;
}

NOINLINE int
mn_os_dont_block(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0)
		return -errno;
	if (flags & O_NONBLOCK)
		return 0;
	return fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0 ? 0 : -errno;
}

NOINLINE bool
mn_os_is_socket(int fd)
{
	struct stat s;

	return fstat(fd, &s) == 0 && S_ISSOCK(s.st_mode);
}
