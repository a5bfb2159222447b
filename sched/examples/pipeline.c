// SPDX-License-Identifier: MIT
// pipeline.c: stages joined by channels: one makes numbers, three square them, one adds up. A stage ends when the channel
// that it reads from is closed and empty; then it closes its own, and so the end passes down the line.
#include <stdio.h>

#include "sched/mn.h"

enum { NUMBERS = 1000, SQUARERS = 3 };

struct pipeline {
	struct mn_chan *numbers, *squares;
	struct mn_wait_group squaring;
};

static void
make_numbers(void *arg)
{
	struct pipeline *p = arg;

	for (long n = 1; n <= NUMBERS; n++)
		mn_chan_send(p->numbers, &n); // blocks until there is room
	mn_chan_close(p->numbers);
}

static void
square(void *arg)
{
	struct pipeline *p = arg;
	long n;

	while (mn_chan_recv(p->numbers, &n)) {
		n *= n;
		mn_chan_send(p->squares, &n);
	}
	mn_wait_group_done(&p->squaring);
}

// Several write to this channel, so none of them may close it.
static void
close_squares(void *arg)
{
	struct pipeline *p = arg;

	mn_wait_group_wait(&p->squaring);
	mn_chan_close(p->squares);
}

static int
start_stages(struct pipeline *p)
{
	int error = mn_go(make_numbers, p);

	mn_wait_group_add(&p->squaring, SQUARERS);
	for (int i = 0; i < SQUARERS && !error; i++)
		error = mn_go(square, p);
	return error ? error : mn_go(close_squares, p);
}

static void
sum_squares(void *status)
{
	// The first channel has no room: maker and squarer meet. The second holds ten.
	struct pipeline p = { .numbers = mn_chan_new(sizeof(long), 0), .squares = mn_chan_new(sizeof(long), 10) };
	long square, sum = 0, n = 0;

	if (!p.numbers || !p.squares || start_stages(&p) != 0) {
		*(int *)status = 1;
		return;
	}
	for (; mn_chan_recv(p.squares, &square); n++)
		sum += square;
	printf("%ld squares, their sum is %ld\n", n, sum);
	mn_chan_free(p.numbers);
	mn_chan_free(p.squares);
}

int
main(void)
{
	int status = 0;

	return mn_run(NULL, sum_squares, &status) ? 1 : status;
}
