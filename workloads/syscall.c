// SPDX-License-Identifier: MIT
// syscall: tasks that mix CPU work with calls into the kernel, announced or not: what becomes of a P whose goroutine
// blocks. Three kinds of call, each with its own lesson: reading a pipe that somebody else fills, sleeping, and a file
// access that may block but hardly ever does (giving its P away is then a loss).
//
// Each call carries a byte there and back; their sum, in the checksum, proves that every call was made. The file is one
// of the file system and unlinked, not a memfd: what happens in the page cache belongs to the measurement.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "workloads/tasks.h"
#include "workloads/timekeeper.h"
#include "workloads/work.h"

enum { TASKS, CALLS, GRAIN_NS, BLOCK_US, KINDS, ANNOUNCED };

enum { RECORD = 64 }; // bytes of the file that belong to a task

// By default 100 ms of CPU, and as much of blocking: neither hides the other.
static const struct workload_param params[] = {
	[TASKS] = { "tasks", 200, 1, 100000, "number of tasks" },
	[CALLS] = { "calls", 5, 0, 1000, "calls that a task makes" },
	[GRAIN_NS] = { "grain_ns", 100000, 0, 10000000000, "CPU work before each call, ns" },
	[BLOCK_US] = { "block_us", 100, 0, 10000000, "how long a pipe or sleep call blocks, us" },
	[KINDS] = { "kinds", 7, 1, 7, "which calls, the sum of: 1 pipe, 2 nanosleep, 4 file" },
	[ANNOUNCED] = { "announced", 0, 0, 1, "1: the P is given up before the call; 0: when it lasts" },
	{ 0 },
};

struct outside {
	struct timekeeper keeper;
	int file;
};

// The calls return the byte or -errno. They go through a table, and so are never inlined between enter and exit: errno
// is then looked up on the thread that the call was made on.
static int
call_pipe(struct task *t, uint8_t byte)
{
	struct outside *o = t->all->extra;

	return timekeeper_wait(&o->keeper, byte);
}

static int
call_sleep(struct task *t, uint8_t byte)
{
	long us = t->all->run->param[BLOCK_US];
	struct timespec left = { .tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000 };
	int error;

	while ((error = clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left)) == EINTR)
		;
	return error ? -error : byte;
}

static int
call_file(struct task *t, uint8_t byte)
{
	struct outside *o = t->all->extra;
	uint8_t record[RECORD];
	off_t at = (off_t)t->index * RECORD;

	memset(record, byte, sizeof(record));
	ssize_t n = pwrite(o->file, record, sizeof(record), at);

	if (n != (ssize_t)sizeof(record))
		return n < 0 ? -errno : -ENOSPC;
	n = pread(o->file, record, sizeof(record), at);
	if (n != (ssize_t)sizeof(record))
		return n < 0 ? -errno : -EIO;
	return record[RECORD - 1];
}

static int (*const kinds[])(struct task *, uint8_t) = { call_pipe, call_sleep, call_file };
enum { KINDS_MAX = sizeof(kinds) / sizeof(kinds[0]) };

// Call j of a task: the enabled kinds in turn, each task starting with another.
static int
kind_of(const struct workload_run *run, long i, long j)
{
	int enabled[KINDS_MAX];
	int n = 0;

	for (int k = 0; k < KINDS_MAX; k++) {
		if (run->param[KINDS] >> k & 1)
			enabled[n++] = k;
	}
	return enabled[(i + j) % n];
}

static uint8_t
byte_of(long i, long j)
{
	return (uint8_t)(i * 31 + j);
}

static int
call_in_brackets(struct task *t, long j)
{
	const struct workload_run *run = t->all->run;
	int (*call)(struct task *, uint8_t) = kinds[kind_of(run, t->index, j)];
	uint8_t byte = byte_of(t->index, j);
	int got;

	if (!t->all->in_goroutines) {
		got = call(t, byte);
	} else if (run->param[ANNOUNCED]) {
		mn_blocking_enter();
		got = call(t, byte);
		mn_blocking_exit();
	} else {
		mn_syscall_enter();
		got = call(t, byte);
		mn_syscall_exit();
	}
	return got;
}

static uint64_t
body(struct task *t)
{
	const struct workload_run *run = t->all->run;
	uint64_t work = 0, bytes = 0;

	for (long j = 0; j < run->param[CALLS]; j++) {
		work += work_ns(run->param[GRAIN_NS], tasks_seed(t->index));
		int got = call_in_brackets(t, j);

		if (got < 0)
			t->error = got;
		else
			bytes += (uint64_t)got;
	}
	// The bytes are not bound to the task: those of the pipe may have come to another.
	return tasks_answer(work, t->index) + bytes;
}

static void
expect(const struct workload_run *run, struct workload_result *right)
{
	long n = run->param[TASKS], calls = run->param[CALLS];
	uint64_t work[TASKS_SEEDS];

	for (long i = 0; i < TASKS_SEEDS && i < n; i++)
		work[i] = (uint64_t)calls * work_ns(run->param[GRAIN_NS], tasks_seed(i));
	*right = (struct workload_result){ .tasks = (uint64_t)n };
	for (long i = 0; i < n; i++) {
		right->checksum += tasks_answer(work[i % TASKS_SEEDS], i);
		for (long j = 0; j < calls; j++)
			right->checksum += byte_of(i, j);
	}
}

// A file without a name in $TMPDIR. Descriptor or -errno.
static int
open_unnamed(void)
{
	const char *folder = getenv("TMPDIR");
	char path[4096];

	if (!folder || !*folder)
		folder = P_tmpdir;
	if (snprintf(path, sizeof(path), "%s/mn-syscall-XXXXXX", folder) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	int fd = mkostemp(path, O_CLOEXEC);

	if (fd < 0)
		return -errno;
	unlink(path);
	return fd;
}

static int
open_outside(struct outside *o, int64_t delay_ns)
{
	o->file = open_unnamed();
	if (o->file < 0)
		return o->file;
	int error = timekeeper_start(&o->keeper, delay_ns);

	if (error)
		close(o->file);
	return error;
}

static int
syscall_setup(struct workload_run *run)
{
	struct outside *o = malloc(sizeof(*o));
	int error = o ? open_outside(o, run->param[BLOCK_US] * 1000) : -ENOMEM;

	if (error)
		goto free_outside;
	error = tasks_setup(run, run->param[TASKS], body);
	if (error)
		goto close_outside;
	((struct tasks *)run->state)->extra = o;
	return 0;
close_outside:
	timekeeper_stop(&o->keeper);
	close(o->file);
free_outside:
	free(o);
	return error;
}

static void
syscall_teardown(struct workload_run *run)
{
	struct outside *o = ((struct tasks *)run->state)->extra;

	timekeeper_stop(&o->keeper);
	close(o->file);
	free(o);
	tasks_teardown(run);
}

static void
syscall_main(struct workload_run *run)
{
	struct tasks *all = tasks_begin(run);

	for (long i = 0; i < all->n; i++)
		tasks_go(all, i);
	tasks_end(run);
}

const struct workload workload_syscall = {
	.name = "syscall",
	.title = "CPU work mixed with blocking calls: what becomes of the P meanwhile",
	.version = 1,
	.params = params,
	.setup = syscall_setup,
	.main = syscall_main,
	.serial = tasks_serial,
	.threads = tasks_threads,
	.expect = expect,
	.teardown = syscall_teardown,
};
