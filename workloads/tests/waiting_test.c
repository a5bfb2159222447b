// SPDX-License-Identifier: MIT
// waiting_test.c: the baselines of workloads whose members wait for each other, when there is no memory for links; and
// links between threads.
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "workloads/link.h"
#include "workloads/tests/cases.h"
#include "workloads/tests/check.h"
#include "workloads/tests/faults.h"
#include "workloads/work.h"

// Each allocation of a run fails once: the run says so, leaves nothing behind, and the next one is right.
static void
check_without_memory(const struct test_case *c, int (*form)(struct workload_run *))
{
	struct workload_run run;
	int n = 0;

	case_setup(&run, c);
	for (;; n++) {
		fail_allocation(n);
		int error = form(&run);
		bool failed = allocation_failed();

		fail_allocation(-1);
		if (!failed) {
			check(error == 0, "%s: %s", c->workload, strerror(-error));
			break;
		}
		check(error == -ENOMEM && run.result.tasks == 0, "%s, allocation %d: %d", c->workload, n, error);
	}
	check(n >= 1, "%s asked for no memory", c->workload);
	case_verify(&run, c, "after failures");
	run.workload->teardown(&run);
}

static void
test_runs_without_memory(void)
{
	static const struct test_case cases[] = {
		{ "pingpong", { "pairs=2", "rounds=2", "grain_ns=0" } },
		{ "ring", { "members=3", "tokens=2", "hops=2", "grain_ns=0" } },
		{ "prodcons", { "producers=1", "consumers=1", "items=2", "grain_ns=0" } },
		{ "mutex", { "members=2", "rounds=2" } },
	};

	for (int i = 0; i < 4; i++)
		check_without_memory(&cases[i], workload_find(cases[i].workload)->threads);
}

enum { MESSAGES = 1000 };

static void *
send_many(void *link)
{
	for (uint64_t i = 0; i < MESSAGES; i++)
		link_send(link, &(struct message){ .hop = i });
	link_close(link);
	return NULL;
}

// In order, each once, and the end after the last; through little room and much.
static void
test_links_between_threads(void)
{
	static const size_t capacity[] = { 0, 1, 7, 2 * MESSAGES };

	for (int k = 0; k < 4; k++) {
		struct link l;
		struct message m;
		pthread_t sender;

		check(link_open(&l, capacity[k], false) == 0, "open");
		check(pthread_create(&sender, NULL, send_many, &l) == 0, "thread");
		for (uint64_t i = 0; i < MESSAGES; i++)
			check(link_recv(&l, &m) && m.hop == i, "%llu", (unsigned long long)i);
		check(!link_recv(&l, &m) && !link_recv(&l, &m), "more than was sent");
		pthread_join(sender, NULL);
		link_free(&l);
	}
}

int
main(void)
{
	check(work_set_rate(100) == 0, "rate");
	test_links_between_threads();
	test_runs_without_memory();
	return 0;
}
