// SPDX-License-Identifier: MIT
// fds.h: descriptors for the tests of netpoll. A call that fails ends the program.
#ifndef SCHED_TESTS_FDS_H
#define SCHED_TESTS_FDS_H

#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>

// How many descriptors the process has open.
int fds_count(void);

void fds_pipe(int fd[2]);
void fds_pair(int fd[2]); // connected stream sockets
int fds_tcp(void);
// Listens on a free port of the loopback, which goes into *addr.
int fds_listen(int backlog, struct sockaddr_in *addr);
// A port that nobody listens on: bound to the answer, which keeps it so.
int fds_deaf(struct sockaddr_in *addr);
// Writes into fd until it takes no more; how much it took. Leaves it non-blocking.
size_t fds_fill(int fd);
// From a foreign thread: every byte, or the end of the program. Waits with poll.
void fds_write_all(int fd, const void *buf, size_t n);
void fds_read_all(int fd, void *buf, size_t n);

// The i-th byte of message `seed`.
static inline uint8_t
fds_byte(uint32_t seed, size_t i)
{
	uint32_t x = (seed + 1) * 2654435761u + (uint32_t)i * 40503u;

	return (uint8_t)(x >> 11 ^ x);
}
void fds_pattern(uint32_t seed, void *buf, size_t n);
// How many of n bytes are not as fds_pattern wrote them.
size_t fds_differ(uint32_t seed, const void *buf, size_t n);

#endif
