// SPDX-License-Identifier: MIT
// linux_poll.c: epoll, edge-triggered, with an eventfd as its bell.
//
// Timeouts of the scheduler are in ns and often shorter than epoll_wait's unit: epoll_pwait2 (Linux 5.11) takes them as they
// are. Where it is missing or forbidden the time is rounded up: rounded down, the last fraction would be waited for by polling.
#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "sched/base/check.h"
#include "sched/os/os.h"

#define BELL_TAG UINT64_MAX

static int
control(struct mn_os_poll *p, int how, int fd, uint32_t events, uint64_t tag)
{
	struct epoll_event e = { .events = events, .data.u64 = tag };

	return epoll_ctl(p->set, how, fd, &e) == 0 ? 0 : -errno;
}

int
mn_os_poll_open(struct mn_os_poll *p)
{
	int error;

	p->set = epoll_create1(EPOLL_CLOEXEC);
	if (p->set < 0)
		return -errno;
	p->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	error = p->bell < 0 ? -errno : control(p, EPOLL_CTL_ADD, p->bell, EPOLLIN, BELL_TAG);
	if (!error)
		return 0;
	if (p->bell >= 0)
		close(p->bell);
	close(p->set);
	return error;
}

void
mn_os_poll_close(struct mn_os_poll *p)
{
	close(p->bell);
	close(p->set);
}

int
mn_os_poll_add(struct mn_os_poll *p, int fd, uint64_t tag)
{
	enum { EVENTS = EPOLLIN | EPOLLOUT | EPOLLRDHUP };
	int error = control(p, EPOLL_CTL_ADD, fd, EVENTS | EPOLLET, tag);

	// Known under this number since before: closed behind our back while a duplicate kept the file alive, and come again.
	return error == -EEXIST ? control(p, EPOLL_CTL_MOD, fd, EVENTS | EPOLLET, tag) : error;
}

void
mn_os_poll_remove(struct mn_os_poll *p, int fd)
{
	control(p, EPOLL_CTL_DEL, fd, 0, 0);
}

// ---- Waiting

static int
wait_ms(struct mn_os_poll *p, struct epoll_event *e, int max, int64_t timeout)
{
	enum { NS_PER_MS = 1000000, MS_MAX = 1000000000 };
	int64_t ms = timeout / NS_PER_MS + (timeout % NS_PER_MS > 0);

	return epoll_wait(p->set, e, max, timeout < 0 ? -1 : (int)(ms < MS_MAX ? ms : MS_MAX));
}

static int
wait_ns(struct mn_os_poll *p, struct epoll_event *e, int max, int64_t timeout)
{
	static _Atomic uint32_t missing; // relaxed: whoever does not know yet finds out by himself

#ifdef SYS_epoll_pwait2
	// The system's own type: with 64-bit time on every processor.
	struct {
		int64_t sec, nsec;
	} limit = { timeout / 1000000000, timeout % 1000000000 };

	// Two ends need no fine measure, and the common call is known to every tool.
	if (timeout > 0 && !load_relaxed(&missing)) {
		long n = syscall(SYS_epoll_pwait2, p->set, e, max, &limit, NULL, 0);

		if (n >= 0 || (errno != ENOSYS && errno != EPERM))
			return (int)n;
		store_relaxed(&missing, 1);
	}
#else
	(void)missing;
#endif
	return wait_ms(p, e, max, timeout);
}

static uint32_t
ready_of(const struct epoll_event *e)
{
	enum { BOTH = EPOLLHUP | EPOLLERR };

	if (e->data.u64 == BELL_TAG)
		return MN_OS_BELL;
	return (e->events & (EPOLLIN | EPOLLRDHUP | BOTH) ? MN_OS_READABLE : 0u) |
	       (e->events & (EPOLLOUT | BOTH) ? MN_OS_WRITABLE : 0u);
}

int
mn_os_poll_wait(struct mn_os_poll *p, struct mn_os_event *events, int max, int64_t timeout)
{
	enum { MAX = 128 };
	struct epoll_event e[MAX];
	int n;

	do
		n = wait_ns(p, e, max < MAX ? max : MAX, timeout);
	while (n < 0 && errno == EINTR && timeout <= 0);
	// With a limit the caller works out anew what is left of it.
	CHECK(n >= 0 || errno == EINTR);
	for (int i = 0; i < n; i++)
		events[i] = (struct mn_os_event){ e[i].data.u64, ready_of(&e[i]) };
	return n < 0 ? 0 : n;
}

// ---- The bell

void
mn_os_poll_ring(struct mn_os_poll *p)
{
	uint64_t one = 1;
	int saved = errno; // a signal handler may call this
	ssize_t n;

	do
		n = write(p->bell, &one, sizeof(one));
	while (n < 0 && errno == EINTR);
	errno = saved;
}

void
mn_os_poll_silence(struct mn_os_poll *p)
{
	uint64_t count;

	while (read(p->bell, &count, sizeof(count)) < 0 && errno == EINTR)
		continue;
}
