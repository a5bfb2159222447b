// SPDX-License-Identifier: MIT
// first.c: the first program that everybody writes: five workers that sleep and finish, and a wait group to wait for them.
#include <sched.h>
#include <stdio.h>

#include "sched/mn.h"

enum { WORKERS = 5 };

static const int64_t ms = 1000000;

static struct mn_wait_group unfinished; // ready when zeroed

static void
worker(void *arg)
{
	const int *number = arg;

	printf("worker %d starts\n", *number);
	mn_sleep((WORKERS - *number) * 10 * ms); // parks this goroutine; its thread runs others
	printf("worker %d is done\n", *number);
	mn_wait_group_done(&unfinished);
}

// CPUs that this process may run on.
static int
cpus(void)
{
	cpu_set_t mask;

	return sched_getaffinity(0, sizeof(mask), &mask) == 0 ? CPU_COUNT(&mask) : 0;
}

static void
first(void *arg)
{
	int number[WORKERS];

	(void)arg;
	printf("CPUs: %d\n", cpus());
	printf("GOMAXPROCS: %d\n", mn_num_procs());
	mn_wait_group_add(&unfinished, WORKERS);
	for (int i = 0; i < WORKERS; i++) {
		number[i] = i + 1;
		if (mn_go(worker, &number[i]) != 0) // no memory
			mn_wait_group_done(&unfinished);
	}
	mn_wait_group_wait(&unfinished);
	printf("all workers are done\n");
}

int
main(void)
{
	return mn_run(NULL, first, NULL) ? 1 : 0;
}
