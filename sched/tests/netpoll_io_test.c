// SPDX-License-Identifier: MIT
// netpoll_io_test: mn_read and mn_write: what comes through, what waits, what is refused.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sched/tests/fds_run.h"

static int fd[2];

static void
close_both(void)
{
	EXPECT_EQ(mn_close(fd[0]), 0);
	EXPECT_EQ(mn_close(fd[1]), 0);
}

// ---- A reader that comes first waits; one that comes later finds it

static _Atomic int reads;

static void
read_hello(void *unused)
{
	char text[16] = "";

	(void)unused;
	EXPECT_EQ(mn_read(fd[0], text, sizeof(text)), 5);
	EXPECT(strcmp(text, "hello") == 0);
	add_relaxed(&reads, 1);
}

static void
write_hello_to_waiter(void *unused)
{
	struct mn_task *reader;

	(void)unused;
	fds_pipe(fd);
	store_relaxed(&reads, 0);
	reader = mn_spawn(read_hello, NULL);
	fds_until_waiting(1);
	EXPECT_EQ(load_relaxed(&reads), 0);
	EXPECT_EQ(mn_write(fd[1], "hello", 5), 5);
	mn_join(reader);
	EXPECT_EQ(load_relaxed(&reads), 1);
	EXPECT(fcntl(fd[0], F_GETFL) & O_NONBLOCK);
	EXPECT_EQ(mn_write(fd[1], "hello", 5), 5);
	read_hello(NULL);
	EXPECT_EQ(mn_write(fd[1], "", 0), 0);
	EXPECT_EQ(mn_close(fd[1]), 0);
	EXPECT_EQ(mn_read(fd[0], (char[1]){ 0 }, 1), 0);
	EXPECT_EQ(mn_close(fd[0]), 0);
}

static void
test_read_waits_for_write(void)
{
	fds_run_everywhere(write_hello_to_waiter);
	EXPECT(rig_total().parked > 0);
}

// ---- Writes are complete, and those of two writers do not mix

enum { BLOCK = 300000, WRITERS = 4 };

static void
write_block(void *arg)
{
	uint8_t *block = malloc(BLOCK);
	uint32_t seed = *(const uint32_t *)arg;

	fds_pattern(seed, block, BLOCK);
	block[0] = (uint8_t)seed;
	EXPECT_EQ(mn_write(fd[1], block, BLOCK), BLOCK);
	free(block);
}

static void
read_block(uint8_t *block)
{
	for (size_t n = 0; n < BLOCK;) {
		intptr_t got = mn_read(fd[0], block + n, BLOCK - n);

		EXPECT(got > 0);
		if (got <= 0)
			return;
		n += (size_t)got;
	}
}

static void
read_blocks(void *unused)
{
	static const uint32_t seeds[WRITERS] = { 0, 1, 2, 3 };
	struct mn_task *writers[WRITERS];
	uint8_t *block = malloc(BLOCK);
	uint32_t seen = 0;

	(void)unused;
	fds_pair(fd);
	for (int i = 0; i < WRITERS; i++)
		writers[i] = mn_spawn(write_block, (void *)(uintptr_t)&seeds[i]);
	for (int i = 0; i < WRITERS; i++) {
		read_block(block);
		seen |= 1u << block[0];
		uint32_t seed = block[0];

		block[0] = fds_byte(seed, 0);
		EXPECT_EQ(fds_differ(seed, block, BLOCK), 0);
	}
	EXPECT_EQ(seen, (1u << WRITERS) - 1);
	for (int i = 0; i < WRITERS; i++)
		mn_join(writers[i]);
	free(block);
	close_both();
}

static void
test_writes_are_whole(void)
{
	fds_run_everywhere(read_blocks);
}

// ---- Many readers of one descriptor: each byte reaches one

enum { READERS = 20, BYTES = 2000 };
static _Atomic uint32_t sum, bytes_read;

static void
read_bytes(void *unused)
{
	uint8_t b;

	(void)unused;
	while (mn_read(fd[0], &b, 1) == 1) {
		add_relaxed(&sum, b);
		add_relaxed(&bytes_read, 1);
	}
}

static void
share_bytes(void *unused)
{
	struct mn_task *readers[READERS];
	uint32_t want = 0;

	(void)unused;
	fds_pipe(fd);
	store_relaxed(&sum, 0);
	store_relaxed(&bytes_read, 0);
	for (int i = 0; i < READERS; i++)
		readers[i] = mn_spawn(read_bytes, NULL);
	for (uint32_t i = 0; i < BYTES; i++) {
		uint8_t b = fds_byte(1, i);

		want += b;
		EXPECT_EQ(mn_write(fd[1], &b, 1), 1);
		if (i % 64 == 0)
			mn_yield();
	}
	EXPECT_EQ(mn_close(fd[1]), 0);
	for (int i = 0; i < READERS; i++)
		mn_join(readers[i]);
	EXPECT_EQ(load_relaxed(&bytes_read), BYTES);
	EXPECT_EQ(load_relaxed(&sum), want);
	EXPECT_EQ(mn_close(fd[0]), 0);
}

static void
test_readers_take_turns(void)
{
	fds_run_everywhere(share_bytes);
}

// ---- What cannot be polled

static void
use_file(void *unused)
{
	FILE *file = tmpfile();
	uint8_t *block = malloc(BLOCK);
	int f = dup(fileno(file));

	(void)unused;
	fclose(file);
	fds_pattern(9, block, BLOCK);
	EXPECT_EQ(mn_write(f, block, BLOCK), BLOCK);
	EXPECT_EQ(lseek(f, 0, SEEK_SET), 0);
	memset(block, 0, BLOCK);
	EXPECT_EQ(mn_read(f, block, BLOCK), BLOCK);
	EXPECT_EQ(fds_differ(9, block, BLOCK), 0);
	EXPECT_EQ(mn_read(f, block, BLOCK), 0);
	EXPECT_EQ(mn_write(f, block, 0), 0);
	EXPECT_EQ(mn_set_deadline(f, 1, 1), -EOPNOTSUPP);
	EXPECT_EQ(mn_accept(f, NULL, NULL), -ENOTSOCK);
	EXPECT_EQ(mn_connect(f, &(struct sockaddr){ 0 }, sizeof(struct sockaddr)), -ENOTSOCK);
	EXPECT((fcntl(f, F_GETFL) & O_NONBLOCK) == 0);
	EXPECT_EQ(mn_close(f), 0);
	free(block);
}

static void
use_devices(void *unused)
{
	char byte = 1;
	int f = open("/dev/full", O_RDWR | O_CLOEXEC);

	(void)unused;
	EXPECT_EQ(mn_write(f, &byte, 1), -ENOSPC);
	EXPECT_EQ(mn_read(f, &byte, 1), 1);
	EXPECT_EQ(byte, 0);
	EXPECT_EQ(mn_close(f), 0);
	f = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	EXPECT_EQ(mn_read(f, &byte, 1), -EISDIR);
	EXPECT_EQ(mn_close(f), 0);
}

static void
test_files_go_through_blocking_calls(void)
{
	fds_run_everywhere(use_file);
	EXPECT(rig_total().syscalls >= 4);
	EXPECT(rig_total().handoffs >= 4);
	fds_run_everywhere(use_devices);
}

// ---- Refusals

static void
expect_everywhere(int f, int error)
{
	struct sockaddr_in addr = { .sin_family = AF_INET };
	char byte = 0;

	EXPECT_EQ(mn_read(f, &byte, 1), error);
	EXPECT_EQ(mn_write(f, &byte, 1), error);
	EXPECT_EQ(mn_accept(f, NULL, NULL), error);
	EXPECT_EQ(mn_connect(f, &addr, sizeof(addr)), error);
	EXPECT_EQ(mn_set_deadline(f, 1, 1), error);
	EXPECT_EQ(mn_close(f), error);
}

static void
use_bad(void *unused)
{
	(void)unused;
	fds_pipe(fd);
	EXPECT_EQ(mn_close(fd[0]), 0);
	EXPECT_EQ(mn_close(fd[1]), 0);
	expect_everywhere(fd[0], -EBADF);
	expect_everywhere(-1, -EBADF);
	expect_everywhere(INT32_MAX, -EBADF);
}

static void *
use_from_foreign_thread(void *unused)
{
	(void)unused;
	expect_everywhere(0, -EPERM);
	return NULL;
}

static void
start_foreign_thread(void *unused)
{
	pthread_t t;

	(void)unused;
	EXPECT_EQ(pthread_create(&t, NULL, use_from_foreign_thread, NULL), 0);
	pthread_join(t, NULL);
}

static void
test_refusals(void)
{
	fds_run_everywhere(use_bad);
	expect_everywhere(0, -EPERM);
	fds_run_everywhere(start_foreign_thread);
}

static void
write_to_nobody(void *unused)
{
	(void)unused;
	fds_pair(fd);
	EXPECT_EQ(mn_close(fd[0]), 0);
	EXPECT_EQ(mn_write(fd[1], "x", 1), -EPIPE);
	EXPECT_EQ(mn_close(fd[1]), 0);
	fds_pipe(fd);
	EXPECT_EQ(mn_close(fd[0]), 0);
	signal(SIGPIPE, SIG_IGN);
	EXPECT_EQ(mn_write(fd[1], "x", 1), -EPIPE);
	EXPECT_EQ(mn_close(fd[1]), 0);
	signal(SIGPIPE, SIG_DFL);
}

static void
test_no_signal_from_sockets(void)
{
	fds_run_everywhere(write_to_nobody);
}

// What went out before the error is told first.
static intptr_t written;

static void
write_too_much(void *unused)
{
	uint8_t *block = calloc(1, BLOCK);

	(void)unused;
	written = mn_write(fd[1], block, BLOCK);
	free(block);
}

static void
hang_up_on_writer(void *unused)
{
	struct mn_task *writer;

	(void)unused;
	fds_pair(fd);
	writer = mn_spawn(write_too_much, NULL);
	fds_until_waiting(1);
	EXPECT_EQ(mn_close(fd[0]), 0);
	mn_join(writer);
	EXPECT(written > 0 && written < BLOCK);
	EXPECT_EQ(mn_write(fd[1], "x", 1), -EPIPE);
	EXPECT_EQ(mn_close(fd[1]), 0);
}

static void
test_error_after_some_bytes(void)
{
	fds_run_everywhere(hang_up_on_writer);
}

// No descriptor left for the poller: the first call says so, and the next one works.
static void
use_last_descriptor(void *unused)
{
	struct rlimit none, before;

	(void)unused;
	fds_pipe(fd);
	getrlimit(RLIMIT_NOFILE, &before);
	none = before;
	for (rlim_t room = 0; room < 2; room++) { // for neither of the poller's two, for the first alone
		none.rlim_cur = (rlim_t)fd[1] + 1 + room;
		setrlimit(RLIMIT_NOFILE, &none);
		EXPECT_EQ(mn_write(fd[1], "hello", 5), -EMFILE);
	}
	setrlimit(RLIMIT_NOFILE, &before);
	EXPECT_EQ(mn_write(fd[1], "hello", 5), 5);
	read_hello(NULL);
	close_both();
}

static void
test_no_descriptor_for_the_poller(void)
{
	fds_run_everywhere(use_last_descriptor);
}

// ---- 200 idle descriptors, one busy

enum { IDLE = 200 };

static void
read_to_end(void *arg)
{
	char byte;

	EXPECT_EQ(mn_read(*(int *)arg, &byte, 1), 0);
	add_relaxed(&reads, 1);
}

static void
use_one_among_many(void *unused)
{
	static int idle[IDLE][2];
	struct mn_task *readers[IDLE];

	(void)unused;
	store_relaxed(&reads, 0);
	for (int i = 0; i < IDLE; i++) {
		fds_pipe(idle[i]);
		readers[i] = mn_spawn(read_to_end, &idle[i][0]);
	}
	fds_until_waiting(IDLE);
	write_hello_to_waiter(NULL);
	EXPECT_EQ(load_relaxed(&reads), 2);
	EXPECT_EQ(mn_netpoll_waiters(), IDLE);
	for (int i = 0; i < IDLE; i++)
		EXPECT_EQ(mn_close(idle[i][1]), 0);
	for (int i = 0; i < IDLE; i++) {
		mn_join(readers[i]);
		EXPECT_EQ(mn_close(idle[i][0]), 0);
	}
	EXPECT_EQ(load_relaxed(&reads), IDLE + 2);
}

static void
test_one_busy_among_200(void)
{
	fds_run_everywhere(use_one_among_many);
}

int
main(void)
{
	RUN(test_read_waits_for_write);
	RUN(test_writes_are_whole);
	RUN(test_readers_take_turns);
	RUN(test_files_go_through_blocking_calls);
	RUN(test_refusals);
	RUN(test_no_signal_from_sockets);
	RUN(test_error_after_some_bytes);
	RUN(test_no_descriptor_for_the_poller);
	RUN(test_one_busy_among_200);
	return test_result();
}
