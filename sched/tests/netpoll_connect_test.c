// SPDX-License-Identifier: MIT
// netpoll_connect_test: accept and connect, over the loopback and between local sockets.
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "sched/tests/fds_run.h"

enum { MS = 1000000, CALLERS = 16 };

static struct sockaddr_in where;
static int listener;
static _Atomic int served, called;

// ---- Both ends

static void
serve_one(void *unused)
{
	struct sockaddr_in from;
	socklen_t size = sizeof(from);
	char byte = 0;
	int fd = mn_accept(listener, &from, &size);

	(void)unused;
	EXPECT(fd >= 0);
	EXPECT_EQ(size, sizeof(from));
	EXPECT_EQ(from.sin_addr.s_addr, htonl(INADDR_LOOPBACK));
	EXPECT(fcntl(fd, F_GETFL) & O_NONBLOCK);
	EXPECT(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	EXPECT_EQ(mn_read(fd, &byte, 1), 1);
	EXPECT_EQ(mn_write(fd, &byte, 1), 1);
	EXPECT_EQ(mn_close(fd), 0);
	add_relaxed(&served, 1);
}

static void
call_one(void *unused)
{
	int fd = fds_tcp();
	char byte = 'c';

	(void)unused;
	EXPECT_EQ(mn_connect(fd, &where, sizeof(where)), 0);
	EXPECT_EQ(mn_connect(fd, &where, sizeof(where)), -EISCONN);
	EXPECT_EQ(mn_write(fd, &byte, 1), 1);
	EXPECT_EQ(mn_read(fd, &byte, 1), 1);
	EXPECT_EQ(byte, 'c');
	EXPECT_EQ(mn_read(fd, &byte, 1), 0);
	EXPECT_EQ(mn_close(fd), 0);
	add_relaxed(&called, 1);
}

static void
call_and_serve(void *unused)
{
	struct mn_task *tasks[2 * CALLERS];

	(void)unused;
	store_relaxed(&served, 0);
	store_relaxed(&called, 0);
	listener = fds_listen(CALLERS, &where);
	for (int i = 0; i < CALLERS; i++)
		tasks[i] = mn_spawn(serve_one, NULL); // all on one listener, by turns
	fds_until_waiting(1);
	for (int i = CALLERS; i < 2 * CALLERS; i++)
		tasks[i] = mn_spawn(call_one, NULL);
	for (int i = 0; i < 2 * CALLERS; i++)
		mn_join(tasks[i]);
	EXPECT_EQ(load_relaxed(&served), CALLERS);
	EXPECT_EQ(load_relaxed(&called), CALLERS);
	EXPECT_EQ(mn_close(listener), 0);
}

static void
test_accept_and_connect(void)
{
	fds_run_everywhere(call_and_serve);
}

// ---- Nobody there

static void
call_nobody(void *unused)
{
	int deaf = fds_deaf(&where), fd = fds_tcp();

	(void)unused;
	EXPECT_EQ(mn_connect(fd, &where, sizeof(where)), -ECONNREFUSED);
	EXPECT_EQ(mn_accept(fd, NULL, NULL), -EINVAL);
	EXPECT_EQ(mn_close(fd), 0);
	EXPECT_EQ(mn_close(deaf), 0);
}

static void
test_refused(void)
{
	fds_run_everywhere(call_nobody);
}

// A listener that accepts nobody: some calls are taken on trust, the next get no answer.
static void
call_busy(void *unused)
{
	enum { CALLS = 8 };
	int fd[CALLS], n = 0, error = 0;

	(void)unused;
	listener = fds_listen(0, &where);
	while (n < CALLS && !error) {
		fd[n] = fds_tcp();
		EXPECT_EQ(mn_set_deadline(fd[n], 0, mn_now() + 50 * MS), 0);
		error = mn_connect(fd[n++], &where, sizeof(where));
	}
	EXPECT_EQ(error, -ETIMEDOUT);
	while (n > 0)
		EXPECT_EQ(mn_close(fd[--n]), 0);
	EXPECT_EQ(mn_close(listener), 0);
}

static void
test_connect_gives_up_at_its_deadline(void)
{
	fds_run_everywhere(call_busy);
}

static int caller;

static void
call_in_vain(void *unused)
{
	(void)unused;
	EXPECT_EQ(mn_connect(caller, &where, sizeof(where)), -ECANCELED);
	add_relaxed(&called, 1);
}

static void
accept_in_vain(void *unused)
{
	(void)unused;
	EXPECT_EQ(mn_accept(listener, NULL, NULL), -ECANCELED);
	add_relaxed(&served, 1);
}

static void
close_listener(void *unused)
{
	struct mn_task *server;

	(void)unused;
	store_relaxed(&served, 0);
	listener = fds_listen(1, &where);
	server = mn_spawn(accept_in_vain, NULL);
	fds_until_waiting(1);
	EXPECT_EQ(mn_close(listener), 0);
	mn_join(server);
	EXPECT_EQ(load_relaxed(&served), 1);
}

static void
test_close_ends_accept(void)
{
	fds_run_everywhere(close_listener);
}

// ---- Local sockets: a full queue answers EAGAIN, of which no event tells the end

enum { QUEUE = 3 };
static struct sockaddr_un local;
static socklen_t local_size;
static int local_caller[QUEUE];

static int
local_socket(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	EXPECT(fd >= 0);
	return fd;
}

// In the abstract name space: nothing to clean up.
static void
listen_locally(int run)
{
	local = (struct sockaddr_un){ .sun_family = AF_UNIX };
	int n = snprintf(local.sun_path + 1, sizeof(local.sun_path) - 1, "mn-netpoll-%d-%d", (int)getpid(), run);

	local_size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
	listener = local_socket();
	EXPECT_EQ(bind(listener, (struct sockaddr *)&local, local_size), 0);
	EXPECT_EQ(listen(listener, QUEUE - 1), 0);
	for (int i = 0; i < QUEUE; i++) {
		local_caller[i] = local_socket();
		EXPECT_EQ(mn_connect(local_caller[i], &local, local_size), 0);
	}
}

static void
call_locally(void *unused)
{
	(void)unused;
	EXPECT_EQ(mn_connect(caller, &local, local_size), 0);
	add_relaxed(&called, 1);
}

static void
call_full_queue(void *unused)
{
	static int run;
	struct mn_task *task;
	int fd;

	(void)unused;
	listen_locally(run++);
	store_relaxed(&called, 0);
	caller = local_socket();
	EXPECT_EQ(mn_set_deadline(caller, 0, mn_now() + MS), 0);
	EXPECT_EQ(mn_connect(caller, &local, local_size), -ETIMEDOUT);
	EXPECT_EQ(mn_set_deadline(caller, 0, 0), 0);
	task = mn_spawn(call_locally, NULL);
	mn_sleep(MS);
	EXPECT_EQ(load_relaxed(&called), 0);
	for (int i = 0; i <= QUEUE; i++) {
		fd = mn_accept(listener, NULL, NULL);
		EXPECT(fd >= 0);
		EXPECT_EQ(mn_close(fd), 0);
	}
	mn_join(task);
	EXPECT_EQ(load_relaxed(&called), 1);
	for (int i = 0; i < QUEUE; i++)
		EXPECT_EQ(mn_close(local_caller[i]), 0);
	EXPECT_EQ(mn_close(caller), 0);
	EXPECT_EQ(mn_close(listener), 0);
}

static void
test_full_local_queue(void)
{
	fds_run_everywhere(call_full_queue);
}

// A call that is still being made, closed.
static void
close_caller(void *unused)
{
	enum { CALLS = 8 };
	int fd[CALLS], n = 0, error = 0;
	struct mn_task *task;

	(void)unused;
	store_relaxed(&called, 0);
	listener = fds_listen(0, &where);
	while (n < CALLS && !error) {
		fd[n] = fds_tcp();
		EXPECT_EQ(mn_set_deadline(fd[n], 0, mn_now() + 50 * MS), 0);
		error = mn_connect(fd[n++], &where, sizeof(where));
	}
	fds_until_quiet();
	caller = fds_tcp();
	task = mn_spawn(call_in_vain, NULL);
	fds_until_waiting(1);
	EXPECT_EQ(mn_close(caller), 0);
	mn_join(task);
	EXPECT_EQ(load_relaxed(&called), 1);
	while (n > 0)
		EXPECT_EQ(mn_close(fd[--n]), 0);
	EXPECT_EQ(mn_close(listener), 0);
}

static void
test_close_ends_connect(void)
{
	fds_run_everywhere(close_caller);
}

int
main(void)
{
	RUN(test_accept_and_connect);
	RUN(test_refused);
	RUN(test_connect_gives_up_at_its_deadline);
	RUN(test_close_ends_accept);
	RUN(test_close_ends_connect);
	RUN(test_full_local_queue);
	return test_result();
}
