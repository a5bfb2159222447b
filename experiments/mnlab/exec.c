// SPDX-License-Identifier: MIT
// exec.c: one child, two pipes, one clock. See exec.h.
//
// poll watches the pipes and a pidfd, so nothing here waits for a signal handler. Both pipes are drained while the child
// runs, since a child that fills a pipe would stop there and look like a hang.
#include "experiments/mnlab/exec.h"
#include "experiments/mnlab/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum stage { RUNNING, ASKED, KILLED };

struct child {
	pid_t pid;
	int pidfd, out, err;
	enum stage stage;
	int64_t start, deadline; // ns, monotonic
	struct exec_result *r;
};

static int64_t
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

// ---- Streams ---------------------------------------------------------------------------------------------------------

// Appends, and forgets from the front so that at most EXEC_KEEP bytes stay.
static void
keep(struct exec_text *t, const char *data, size_t n)
{
	if (n > EXEC_KEEP) {
		data += n - EXEC_KEEP;
		n = EXEC_KEEP;
		t->cut = true;
	}
	if (t->n + n > EXEC_KEEP) {
		size_t drop = t->n + n - EXEC_KEEP;
		memmove(t->text, t->text + drop, t->n - drop);
		t->n -= drop;
		t->cut = true;
	}
	memcpy(t->text + t->n, data, n);
	t->n += n;
	t->text[t->n] = 0;
}

// Reads what is there. Closes at the end of the stream.
static void
drain(int *fd, struct exec_text *t)
{
	char chunk[8192];
	ssize_t n;

	while (*fd >= 0 && (n = read(*fd, chunk, sizeof chunk)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return;
		keep(t, chunk, (size_t)n);
	}
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

const char *
exec_last_lines(const struct exec_text *text, int n)
{
	size_t at = text->n;

	while (at && text->text[at - 1] == '\n')
		at--;
	for (; at; at--)
		if (text->text[at - 1] == '\n' && --n == 0)
			break;
	return text->text + at;
}

// ---- Start -----------------------------------------------------------------------------------------------------------

// In the child: becomes the program, or tells why not through `report`.
static void
become(const struct exec_request *q, int out, int err, int report, pid_t parent)
{
	int null = open("/dev/null", O_RDONLY);

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127); // it died before the line above
	if (null < 0 || dup2(null, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
		goto failed;
	sigprocmask(SIG_SETMASK, interrupt_mask(), NULL);
	signal(SIGPIPE, SIG_DFL);
	execve(q->argv[0], q->argv, q->envp);
failed:;
	int code = errno;
	if (write(report, &code, sizeof code) < 0)
		_exit(126);
	_exit(127);
}

static void
close_pair(int *pair)
{
	for (int i = 0; i < 2; i++) {
		if (pair[i] >= 0)
			close(pair[i]);
		pair[i] = -1;
	}
}

static int
open_pipes(int pipes[3][2])
{
	for (int i = 0; i < 3; i++)
		if (pipe2(pipes[i], O_CLOEXEC))
			return -errno;
	fcntl(pipes[0][0], F_SETFL, O_NONBLOCK);
	fcntl(pipes[1][0], F_SETFL, O_NONBLOCK);
	return 0;
}

// Waits for the exec: 0, or the errno that the child reported.
static int
exec_outcome(int report)
{
	int code = 0;
	ssize_t n;

	while ((n = read(report, &code, sizeof code)) < 0 && errno == EINTR)
		;
	return n == sizeof code ? -code : 0;
}

static int
start(struct child *c, const struct exec_request *q)
{
	int pipes[3][2] = { { -1, -1 }, { -1, -1 }, { -1, -1 } };
	pid_t parent = getpid();
	int rc = open_pipes(pipes);

	if (rc)
		goto close_pipes;
	c->start = now_ns();
	c->pid = fork();
	if (c->pid == 0)
		become(q, pipes[0][1], pipes[1][1], pipes[2][1], parent);
	if (c->pid < 0) {
		rc = -errno;
		goto close_pipes;
	}
	setpgid(c->pid, c->pid); // both do it: whoever comes first
	close(pipes[2][1]);
	pipes[2][1] = -1;
	rc = exec_outcome(pipes[2][0]);
	c->pidfd = rc ? -1 : pidfd_open(c->pid, 0);
	if (!rc && c->pidfd < 0)
		rc = -errno;
	if (rc) {
		kill(c->pid, SIGKILL);
		waitpid(c->pid, NULL, 0);
		goto close_pipes;
	}
	c->out = pipes[0][0];
	c->err = pipes[1][0];
	pipes[0][0] = pipes[1][0] = -1;
close_pipes:
	for (int i = 0; i < 3; i++)
		close_pair(pipes[i]);
	return rc;
}

// ---- Wait ------------------------------------------------------------------------------------------------------------

static void
advance(struct child *c)
{
	int64_t now = now_ns();

	if (interrupted() && c->stage != KILLED) {
		c->r->interrupted = true;
		c->stage = KILLED;
		kill(-c->pid, SIGKILL);
	} else if (now < c->deadline) {
		return;
	} else if (c->stage == RUNNING) {
		c->r->timed_out = true;
		c->stage = ASKED;
		c->deadline = now + EXEC_GRACE_MS * INT64_C(1000000);
		kill(c->pid, SIGQUIT);
	} else if (c->stage == ASKED) {
		c->stage = KILLED;
		kill(-c->pid, SIGKILL);
	}
}

static void
watch(struct child *c)
{
	for (;;) {
		struct pollfd fds[3] = { { c->pidfd, POLLIN, 0 }, { c->out, POLLIN, 0 }, { c->err, POLLIN, 0 } };
		int64_t left = c->deadline - now_ns();
		left = left < 0 ? 0 : left;
		struct timespec limit = { left / 1000000000, left % 1000000000 };
		ppoll(fds, 3, c->stage == KILLED ? NULL : &limit, interrupt_mask());
		drain(&c->out, &c->r->out);
		drain(&c->err, &c->r->err);
		if (fds[0].revents)
			return;
		advance(c);
	}
}

static void
finish(struct child *c)
{
	struct exec_result *r = c->r;
	int status = 0;

	while (wait4(c->pid, &status, 0, &r->usage) < 0 && errno == EINTR)
		;
	r->elapsed_ns = now_ns() - c->start;
	kill(-c->pid, SIGKILL); // whatever it left behind
	drain(&c->out, &r->out);
	drain(&c->err, &r->err);
	if (c->out >= 0)
		close(c->out);
	if (c->err >= 0)
		close(c->err);
	close(c->pidfd);
	r->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	r->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

int
exec_run(const struct exec_request *request, struct exec_result *result)
{
	struct child c = { .pidfd = -1, .out = -1, .err = -1, .r = result };

	*result = (struct exec_result){ 0 };
	result->out.text = calloc(1, EXEC_KEEP + 1);
	result->err.text = calloc(1, EXEC_KEEP + 1);
	if (!result->out.text || !result->err.text)
		return -ENOMEM;
	int rc = start(&c, request);
	if (rc)
		return rc;
	c.deadline = c.start + (int64_t)(request->timeout_s * 1e9);
	watch(&c);
	finish(&c);
	return 0;
}

void
exec_free(struct exec_result *result)
{
	free(result->out.text);
	free(result->err.text);
	*result = (struct exec_result){ 0 };
}
