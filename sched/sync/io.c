// SPDX-License-Identifier: MIT
// io.c: read, write, accept, connect. Each tries first and waits only when the system says that it would block: most calls
// find data, and an edge that came before the wait is remembered (netpoll.h).
//
// Goroutines that use a descriptor in the same direction take turns, in order of arrival, for whole calls. Go's poller calls two
// waiters in one direction a fatal error and its os and net packages keep them apart by a lock; here both are one.
#include <errno.h>

#include "sched/mn.h"
#include "sched/sync/netpoll.h"

static int
begin(int fd, enum poll_dir dir, struct poll_desc **d)
{
	int error = mn_desc_enter(fd, d);

	if (!error)
		turn_take(&(*d)->side[dir].turn);
	return error;
}

static void
end(struct poll_desc *d, enum poll_dir dir)
{
	turn_give(&d->side[dir].turn);
	mn_desc_leave(d);
}

static bool
is_file(struct poll_desc *d)
{
	return load_relaxed(&d->kind) == POLL_FILE;
}

// ---- Reading

static intptr_t
read_file(int fd, void *buf, size_t n)
{
	intptr_t got;

	mn_blocking_enter();
	got = mn_os_read(fd, buf, n);
	mn_blocking_exit();
	return got;
}

static intptr_t
read_ready(struct poll_desc *d, int fd, void *buf, size_t n)
{
	for (;;) {
		intptr_t got = mn_os_read(fd, buf, n);

		if (got == -EAGAIN)
			got = mn_netpoll_wait(d, POLL_READ);
		else
			return got;
		if (got)
			return got;
	}
}

intptr_t
mn_read(int fd, void *buf, size_t n)
{
	struct poll_desc *d;
	intptr_t got = begin(fd, POLL_READ, &d);

	if (got)
		return got;
	got = is_file(d) ? read_file(fd, buf, n) : read_ready(d, fd, buf, n);
	end(d, POLL_READ);
	return got;
}

// ---- Writing

static intptr_t
write_file(int fd, const char *buf, size_t n)
{
	intptr_t put;

	mn_blocking_enter();
	put = mn_os_write(fd, buf, n, false);
	mn_blocking_exit();
	// A file that takes nothing and says no reason: nobody should try for ever.
	return put == 0 && n > 0 ? -EIO : put;
}

// Some of it, 0: none, try again.
static intptr_t
write_ready(struct poll_desc *d, int fd, const char *buf, size_t n)
{
	intptr_t put = mn_os_write(fd, buf, n, load_relaxed(&d->kind) == POLL_SOCKET);

	return put == -EAGAIN ? mn_netpoll_wait(d, POLL_WRITE) : put;
}

static intptr_t
write_all(struct poll_desc *d, int fd, const char *buf, size_t n)
{
	size_t done = 0;

	do {
		intptr_t put =
		        is_file(d) ? write_file(fd, buf + done, n - done) : write_ready(d, fd, buf + done, n - done);

		if (put < 0)
			return done > 0 ? (intptr_t)done : put;
		done += (size_t)put;
	} while (done < n);
	return (intptr_t)done;
}

intptr_t
mn_write(int fd, const void *buf, size_t n)
{
	struct poll_desc *d;
	intptr_t put = begin(fd, POLL_WRITE, &d);

	if (put)
		return put;
	put = write_all(d, fd, buf, n);
	end(d, POLL_WRITE);
	return put;
}

// ---- Connections

static int
accept_ready(struct poll_desc *d, int fd, void *addr, uint32_t *addrlen)
{
	for (;;) {
		int got = mn_os_accept(fd, addr, addrlen), error;

		// Aborted: that caller has gone; the next may be there already.
		if (got == -ECONNABORTED)
			continue;
		if (got != -EAGAIN)
			return got;
		error = mn_netpoll_wait(d, POLL_READ);
		if (error)
			return error;
	}
}

int
mn_accept(int fd, void *addr, uint32_t *addrlen)
{
	struct poll_desc *d;
	int got = begin(fd, POLL_READ, &d);

	if (got)
		return got;
	got = accept_ready(d, fd, addr, addrlen);
	end(d, POLL_READ);
	return got;
}

// A local socket whose listener has its hands full: no event tells when there is room.
static int
connect_again(struct poll_desc *d, int fd, const void *addr, uint32_t addrlen)
{
	enum { PAUSE_MIN_NS = 100 * 1000, PAUSE_MAX_NS = 10 * 1000 * 1000 };
	int error = -EAGAIN, trouble;

	for (int64_t pause = PAUSE_MIN_NS; error == -EAGAIN; pause = pause < PAUSE_MAX_NS ? 2 * pause : pause) {
		trouble = mn_netpoll_trouble(d, POLL_WRITE);
		if (trouble)
			return trouble;
		mn_sleep(pause);
		error = mn_os_connect(fd, addr, addrlen);
	}
	return error;
}

// A socket that is not connected yet counts as ready in both directions: that edge may still be remembered, and the first wait
// be over at once.
static int
wait_connected(struct poll_desc *d, int fd, const void *addr, uint32_t addrlen)
{
	int error;

	do {
		error = mn_netpoll_wait(d, POLL_WRITE);
		if (error)
			return error;
		error = mn_os_connect(fd, addr, addrlen);
	} while (error == -EALREADY || error == -EINPROGRESS);
	return error == -EISCONN ? 0 : error;
}

int
mn_connect(int fd, const void *addr, uint32_t addrlen)
{
	struct poll_desc *d;
	int error = begin(fd, POLL_WRITE, &d);

	if (error)
		return error;
	error = mn_os_connect(fd, addr, addrlen);
	if (error == -EAGAIN)
		error = connect_again(d, fd, addr, addrlen);
	if (error == -EINPROGRESS || error == -EALREADY)
		error = wait_connected(d, fd, addr, addrlen);
	end(d, POLL_WRITE);
	return error;
}
