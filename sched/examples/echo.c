// SPDX-License-Identifier: MIT
// echo.c: a server and its clients, over the loopback device, all in one process: a goroutine for each connection, written
// as if it could block. It cannot: whoever waits for the network parks, and its thread runs others.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "sched/mn.h"

enum { CLIENTS = 8, ROUNDS = 100, MESSAGE = 32 };

static struct sockaddr_in address;
static struct mn_wait_group clients;

static void
serve_one(void *arg)
{
	int fd = (int)(intptr_t)arg;
	char buf[256];
	intptr_t n;

	while ((n = mn_read(fd, buf, sizeof(buf))) > 0)
		if (mn_write(fd, buf, (size_t)n) != n)
			break;
	mn_close(fd);
}

// Ends when the listening socket is closed under it.
static void
serve(void *arg)
{
	int listener = (int)(intptr_t)arg, fd;

	while ((fd = mn_accept(listener, NULL, NULL)) >= 0)
		if (mn_go(serve_one, (void *)(intptr_t)fd) != 0)
			mn_close(fd);
}

// Sends a message and takes it back; it may come in pieces.
static bool
round_trip(int fd, const char *message)
{
	char back[MESSAGE];
	size_t got = 0;

	if (mn_write(fd, message, MESSAGE) != MESSAGE)
		return false;
	while (got < MESSAGE) {
		intptr_t n = mn_read(fd, back + got, MESSAGE - got);

		if (n <= 0)
			return false;
		got += (size_t)n;
	}
	return memcmp(back, message, MESSAGE) == 0;
}

static void
client(void *arg)
{
	int number = (int)(intptr_t)arg, right = 0;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0 && mn_connect(fd, &address, sizeof(address)) == 0) {
		for (int i = 0; i < ROUNDS; i++) {
			char message[MESSAGE] = "";

			snprintf(message, sizeof(message), "client %d, message %d", number, i);
			right += round_trip(fd, message);
		}
	}
	if (fd >= 0)
		mn_close(fd);
	printf("client %d: %d of %d messages came back\n", number, right, ROUNDS);
	mn_wait_group_done(&clients);
}

// A listening socket on a free port of the loopback device, -1 if there is none; sets address.
static int
listen_somewhere(void)
{
	socklen_t size = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	address = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, size) != 0 || listen(fd, CLIENTS) != 0 ||
	    getsockname(fd, (struct sockaddr *)&address, &size) != 0) {
		perror("no socket to listen on");
		return -1;
	}
	return fd;
}

static void
start(void *status)
{
	int listener = listen_somewhere();

	if (listener < 0 || mn_go(serve, (void *)(intptr_t)listener) != 0) {
		*(int *)status = 1;
		return;
	}
	mn_wait_group_add(&clients, CLIENTS);
	for (intptr_t i = 0; i < CLIENTS; i++)
		if (mn_go(client, (void *)i) != 0)
			mn_wait_group_done(&clients);
	mn_wait_group_wait(&clients);
	mn_close(listener); // wakes the server, whose accept then says -ECANCELED
}

int
main(void)
{
	int status = 0;

	return mn_run(NULL, start, &status) ? 1 : status;
}
