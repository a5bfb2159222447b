// SPDX-License-Identifier: MIT
// echo: clients and a server over the loopback device; a goroutine at each end of each connection. A client sends a
// request and waits for the answer; the server works a little before it sends one. Hardly anybody runs, nearly all wait
// for the network: what counts is how they are woken.
//
// The serial form makes the same calls in turn, at either end, so that none of them waits. The event loop is echo_evloop.c.
#include "workloads/echo.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

// By default 16,000 round trips of 2 us of work and about 4 us of system calls: 100 ms.
static const struct workload_param params[] = {
	[ECHO_CLIENTS] = { "clients", 16, 1, 256, "connections" },
	[ECHO_ROUNDS] = { "rounds", 1000, 1, 1000000, "requests of each" },
	[ECHO_SIZE] = { "size", 64, ECHO_SIZE_MIN, ECHO_SIZE_MAX, "bytes of a request, and of its answer" },
	[ECHO_GRAIN_NS] = { "grain_ns", 2000, 0, 1000000000, "CPU work of the server for a request, ns" },
	{ 0 },
};

static uint8_t
filler(const struct echo_client *c, size_t place)
{
	return (uint8_t)((uint64_t)c->number * 31 + c->part.tasks * 7 + place);
}

void
echo_ask(const struct workload_run *run, const struct echo_client *c, void *request)
{
	uint8_t *byte = request;

	memcpy(byte, &c->m, sizeof(c->m));
	for (size_t i = sizeof(c->m); i < (size_t)run->param[ECHO_SIZE]; i++)
		byte[i] = filler(c, i);
}

int
echo_take(const struct workload_run *run, struct echo_client *c, const void *answer)
{
	const uint8_t *byte = answer;

	for (size_t i = sizeof(c->m); i < (size_t)run->param[ECHO_SIZE]; i++)
		if (byte[i] != filler(c, i))
			return -EPROTO;
	memcpy(&c->m, byte, sizeof(c->m));
	c->part.tasks++;
	c->part.sum = c->m.sum;
	return c->m.hop == c->part.tasks ? 0 : -EPROTO;
}

void
echo_serve(const struct workload_run *run, void *request)
{
	struct message m;

	memcpy(&m, request, sizeof(m));
	message_work(&m, run->param[ECHO_GRAIN_NS]);
	memcpy(request, &m, sizeof(m));
}

static void
client(struct crew *crew, long i)
{
	const struct workload_run *run = crew->run;
	struct echo_wires *wires = crew->extra;
	struct echo_client c = { .number = i / 2 };
	size_t size = (size_t)run->param[ECHO_SIZE];
	uint8_t buf[ECHO_SIZE_MAX];
	int error = 0;

	while (c.part.tasks < (uint64_t)run->param[ECHO_ROUNDS] && !error) {
		echo_ask(run, &c, buf);
		error = net_write_all(wires->net, wires->fd[i], buf, size);
		if (!error)
			error = net_read_all(wires->net, wires->fd[i], buf, size);
		if (!error)
			error = echo_take(run, &c, buf);
	}
	c.part.error = error;
	crew->part[i] = c.part;
}

// Until the client has no more to ask.
static void
serve(struct crew *crew, long i)
{
	struct echo_wires *wires = crew->extra;
	size_t size = (size_t)crew->run->param[ECHO_SIZE];
	uint8_t buf[ECHO_SIZE_MAX];
	int error;

	while (!(error = net_read_all(wires->net, wires->fd[i], buf, size))) {
		echo_serve(crew->run, buf);
		error = net_write_all(wires->net, wires->fd[i], buf, size);
		if (error)
			break;
	}
	crew->part[i].error = error == -ENODATA ? 0 : error;
}

// Whoever ends, ends the other: also where something went wrong.
static void
member(struct crew *crew, long i)
{
	struct echo_wires *wires = crew->extra;

	if (i % 2)
		serve(crew, i);
	else
		client(crew, i);
	shutdown(wires->fd[i], SHUT_RDWR);
}

static int
open_wires(struct crew *crew)
{
	struct echo_wires *wires = crew->extra;

	wires->net = crew->in_goroutines ? &net_goroutines : &net_blocking;
	wires->fd = malloc((size_t)crew->n * sizeof(*wires->fd));
	if (!wires->fd)
		return -ENOMEM;
	int error = net_pairs(wires->net, wires->fd, crew->n / 2);

	if (error)
		free(wires->fd);
	return error;
}

static void
close_wires(struct crew *crew)
{
	struct echo_wires *wires = crew->extra;

	net_close(wires->net, wires->fd, crew->n / 2);
	free(wires->fd);
}

static const struct crew_plan plan = { member, open_wires, close_wires };

static int
setup(struct workload_run *run)
{
	return crew_setup(run, &plan, 2 * run->param[ECHO_CLIENTS], sizeof(struct echo_wires));
}

// A request there and its answer back, both ends by the caller; they fit into what the kernel holds for a socket.
static int
round_trip(struct crew *crew, struct echo_client *c)
{
	struct echo_wires *wires = crew->extra;
	const int *fd = &wires->fd[2 * c->number];
	size_t size = (size_t)crew->run->param[ECHO_SIZE];
	uint8_t buf[ECHO_SIZE_MAX];
	int error;

	echo_ask(crew->run, c, buf);
	if ((error = net_write_all(wires->net, fd[0], buf, size)) ||
	    (error = net_read_all(wires->net, fd[1], buf, size)))
		return error;
	echo_serve(crew->run, buf);
	if ((error = net_write_all(wires->net, fd[1], buf, size)) ||
	    (error = net_read_all(wires->net, fd[0], buf, size)))
		return error;
	return echo_take(crew->run, c, buf);
}

static void
serial(struct workload_run *run)
{
	struct crew *crew = crew_begin(run, false);
	int error = open_wires(crew);

	if (error) {
		crew->part[0].error = error;
		crew_collect(run);
		return;
	}
	for (long k = 0; k < run->param[ECHO_CLIENTS]; k++) {
		struct echo_client c = { .number = k };

		for (long r = 0; r < run->param[ECHO_ROUNDS] && !c.part.error; r++)
			c.part.error = round_trip(crew, &c);
		crew->part[2 * k] = c.part;
	}
	close_wires(crew);
	crew_collect(run);
}

static void
expect(const struct workload_run *run, struct workload_result *right)
{
	uint64_t clients = (uint64_t)run->param[ECHO_CLIENTS], rounds = (uint64_t)run->param[ECHO_ROUNDS];

	*right = (struct workload_result){
		.tasks = clients * rounds,
		.checksum = clients * message_sum(rounds, run->param[ECHO_GRAIN_NS]),
	};
}

const struct workload workload_echo = {
	.name = "echo",
	.title = "clients and a server over loopback: nearly all wait for the network",
	.version = 1,
	.params = params,
	.setup = setup,
	.main = crew_main,
	.serial = serial,
	.threads = crew_threads,
	.evloop = echo_evloop,
	.expect = expect,
	.teardown = crew_teardown,
};
