// SPDX-License-Identifier: MIT
// echo_evloop.c: the echo workload on one thread: epoll tells which ends have something to read, and each end remembers
// how far it is. What goroutines keep on their stacks, is a struct here; and there is nothing to wake.
//
// Level-triggered, one read for each event: with one request under way on a connection there is never more to read. For
// the same reason a write never meets a full socket; if it did, the run fails.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "workloads/echo.h"

enum { EVENTS = 64 }; // taken from the kernel at a time

struct end {
	int fd;
	bool serves;
	size_t got; // bytes of what is being read
	struct echo_client client;
	uint8_t buf[ECHO_SIZE_MAX];
};

struct loop {
	const struct workload_run *run;
	size_t size;  // of a request
	long clients; // that are not done
	int epoll;
	struct end *end;
	int *fd;
};

static int
send_buf(const struct loop *l, struct end *e)
{
	e->got = 0;
	return net_write_all(&net_blocking, e->fd, e->buf, l->size);
}

static int
ask(const struct loop *l, struct end *e)
{
	echo_ask(l->run, &e->client, e->buf);
	return send_buf(l, e);
}

// The whole of a request, or of an answer, is there.
static int
complete(struct loop *l, struct end *e)
{
	if (e->serves) {
		echo_serve(l->run, e->buf);
		return send_buf(l, e);
	}
	int error = echo_take(l->run, &e->client, e->buf);

	if (error)
		return error;
	if (e->client.part.tasks < (uint64_t)l->run->param[ECHO_ROUNDS])
		return ask(l, e);
	l->clients--;
	return 0;
}

static int
readable(struct loop *l, struct end *e)
{
	intptr_t n = net_blocking.read(e->fd, e->buf + e->got, l->size - e->got);

	if (n == -EAGAIN)
		return 0;
	if (n <= 0)
		return n < 0 ? (int)n : -EPIPE;
	e->got += (size_t)n;
	return e->got == l->size ? complete(l, e) : 0;
}

static int
run_loop(struct loop *l)
{
	struct epoll_event event[EVENTS];
	int error = 0;

	while (l->clients > 0 && !error) {
		int n = epoll_wait(l->epoll, event, EVENTS, -1);

		if (n < 0 && errno != EINTR)
			return -errno;
		for (int i = 0; i < n && !error; i++)
			error = readable(l, event[i].data.ptr);
	}
	return error;
}

static int
add_end(struct loop *l, long i)
{
	struct end *e = &l->end[i];
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = e };

	e->fd = l->fd[i];
	e->serves = i % 2;
	e->client = (struct echo_client){ .number = i / 2 };
	e->got = 0;
	if (fcntl(e->fd, F_SETFL, O_NONBLOCK) != 0 || epoll_ctl(l->epoll, EPOLL_CTL_ADD, e->fd, &event) != 0)
		return -errno;
	return e->serves ? 0 : ask(l, e);
}

static int
serve_all(struct loop *l, struct crew *crew)
{
	int error = 0;

	for (long i = 0; i < crew->n && !error; i++)
		error = add_end(l, i);
	if (!error)
		error = run_loop(l);
	for (long i = 0; i < crew->n && !error; i += 2)
		crew->part[i] = l->end[i].client.part;
	return error;
}

int
echo_evloop(struct workload_run *run)
{
	struct crew *crew = crew_begin(run, false);
	struct loop l = { .run = run, .size = (size_t)run->param[ECHO_SIZE], .clients = crew->n / 2 };
	int error = -ENOMEM;

	l.end = malloc((size_t)crew->n * sizeof(*l.end));
	l.fd = malloc((size_t)crew->n * sizeof(*l.fd));
	if (!l.end || !l.fd)
		goto free_ends;
	l.epoll = epoll_create1(EPOLL_CLOEXEC);
	error = l.epoll < 0 ? -errno : 0;
	if (error)
		goto free_ends;
	error = net_pairs(&net_blocking, l.fd, crew->n / 2);
	if (error)
		goto close_epoll;
	error = serve_all(&l, crew);
	net_close(&net_blocking, l.fd, crew->n / 2);
close_epoll:
	close(l.epoll);
free_ends:
	free(l.end);
	free(l.fd);
	crew_collect(run);
	return error;
}
