// SPDX-License-Identifier: MIT
// blocking.c: a call that blocks its thread, beside CPU work, with one P for both.
//
// The reader blocks in read(2) until the counter is done. Announced by mn_blocking_enter, the call gives up its P, and the
// counter has a P to run on; without the two brackets, it would depend on sysmon's noticing that the P stands still.
#include <stdio.h>
#include <unistd.h>

#include "sched/mn.h"

enum { LIMIT = 200000 };

static int results[2]; // a pipe

static int
is_prime(int n)
{
	for (int i = 2; i * i <= n; i++)
		if (n % i == 0)
			return 0;
	return n >= 2;
}

static void
count_primes(void *arg)
{
	int found = 0;

	(void)arg;
	for (int n = 0; n < LIMIT; n++) {
		found += is_prime(n);
		mn_check(); // a loop without other calls gives way here
	}
	if (write(results[1], &found, sizeof(found)) != (ssize_t)sizeof(found))
		perror("write");
	close(results[1]);
}

static void
read_result(void *arg)
{
	int found = 0;

	(void)arg;
	printf("reader: blocks\n");
	mn_blocking_enter(); // from here on, no call of libmn ..
	ssize_t n = read(results[0], &found, sizeof(found));

	mn_blocking_exit(); // .. until here
	if (n == (ssize_t)sizeof(found))
		printf("reader: %d primes below %d\n", found, LIMIT);
}

static void
start(void *arg)
{
	(void)arg;
	// The newest goroutine runs first: the reader blocks before the counter has begun.
	if (mn_go(count_primes, NULL) != 0 || mn_go(read_result, NULL) != 0)
		fprintf(stderr, "no memory for a goroutine\n");
}

int
main(void)
{
	struct mn_options o;
	char error[MN_ERROR_MAX];

	mn_options_init(&o);
	if (mn_options_set(&o, "procs", "1", error, sizeof(error)) != 0 || pipe(results) != 0)
		return 1;
	int status = mn_run(&o, start, NULL) ? 1 : 0;

	close(results[0]);
	return status;
}
