// SPDX-License-Identifier: MIT
// echo_test.c: every byte that comes back is checked; what the connections do at their ends; and what the baselines do
// when the system refuses memory or descriptors.
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "workloads/echo.h"
#include "workloads/tests/cases.h"
#include "workloads/tests/check.h"
#include "workloads/tests/faults.h"
#include "workloads/work.h"

static int
descriptors(void)
{
	int n = 0;

	for (int fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

// Each allocation of a run fails once: the run says so, leaves nothing behind, and the next one is right.
static void
check_without_memory(const struct test_case *c, int (*form)(struct workload_run *))
{
	struct workload_run run;
	int n = 0, open_before = descriptors();

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
		check(descriptors() == open_before, "%s, allocation %d: a descriptor is left open", c->workload, n);
	}
	check(n >= 1, "%s asked for no memory", c->workload);
	case_verify(&run, c, "after failures");
	run.workload->teardown(&run);
}

static void
test_runs_without_memory(void)
{
	static const struct test_case c = { "echo", { "clients=2", "rounds=2", "grain_ns=0" } };

	check_without_memory(&c, workload_find("echo")->threads);
	check_without_memory(&c, workload_find("echo")->evloop);
}

// A listener and two pairs: with fewer descriptors, each form fails at each place in turn, and leaves none open.
static void
test_echo_without_descriptors(void)
{
	static const struct test_case c = { "echo", { "clients=2", "rounds=2", "grain_ns=0" } };
	struct rlimit old, few;
	struct workload_run run;
	char err[256];
	int next = dup(0), open_before = descriptors() - 1;

	check(next > 0 && close(next) == 0, "dup");
	check(getrlimit(RLIMIT_NOFILE, &old) == 0, "getrlimit");
	case_setup(&run, &c);
	for (int n = 0; n < 5; n++) {
		few = (struct rlimit){ .rlim_cur = (rlim_t)(next + n), .rlim_max = old.rlim_max };
		check(setrlimit(RLIMIT_NOFILE, &few) == 0, "setrlimit");
		check(run.workload->threads(&run) == -EMFILE, "threads with %d descriptors", n);
		check(run.workload->evloop(&run) == -EMFILE, "event loop with %d descriptors", n);
		run.workload->serial(&run);
		check(workload_verify(&run, err, sizeof(err)) == -EUCLEAN, "serial with %d descriptors", n);
		check(setrlimit(RLIMIT_NOFILE, &old) == 0, "setrlimit");
		check(descriptors() == open_before, "with %d descriptors, one was left open", n);
	}
	run.workload->serial(&run);
	case_verify(&run, &c, "after failures");
	run.workload->teardown(&run);
}

// An answer with one bit changed, whichever it is, is refused; so is a right one that comes a second time.
static void
test_every_byte_is_checked(void)
{
	static const struct test_case c = { "echo", { "clients=1", "rounds=9", "size=40", "grain_ns=0" } };
	struct workload_run run;
	uint8_t buf[ECHO_SIZE_MAX];

	case_setup(&run, &c);
	// All but the sum, bytes 8 to 15: that is what the checksum is for.
	for (int bit = 0; bit < 40 * 8; bit = bit == 63 ? 128 : bit + 1) {
		struct echo_client fresh = { .number = 3 };

		echo_ask(&run, &fresh, buf);
		echo_serve(&run, buf);
		buf[bit / 8] ^= (uint8_t)(1 << bit % 8);
		check(echo_take(&run, &fresh, buf) == -EPROTO, "bit %d", bit);
	}
	struct echo_client client = { .number = 3 };

	echo_ask(&run, &client, buf);
	echo_serve(&run, buf);
	check(echo_take(&run, &client, buf) == 0 && client.part.tasks == 1, "a right answer");
	check(echo_take(&run, &client, buf) == -EPROTO, "a second time");
	run.workload->teardown(&run);
}

static void
test_net_ends(void)
{
	char buf[4] = "abc";
	int fd[2];

	check(net_pairs(&net_blocking, fd, 1) == 0, "pair");
	check(net_write_all(&net_blocking, fd[0], buf, 3) == 0, "write");
	shutdown(fd[0], SHUT_WR);
	check(net_read_all(&net_blocking, fd[1], buf, 2) == 0, "read");
	check(net_read_all(&net_blocking, fd[1], buf, 2) == -EPIPE, "an end in the middle");
	check(net_read_all(&net_blocking, fd[1], buf, 2) == -ENODATA, "an end");
	check(net_write_all(&net_blocking, fd[0], buf, 1) == -EPIPE, "after the end");
	net_close(&net_blocking, fd, 1);
	check(net_read_all(&net_blocking, fd[0], buf, 1) == -EBADF, "closed");
}

static void
test_messages(void)
{
	struct message m = { 0 };
	uint64_t sum = 0;

	for (uint64_t i = 0; i < 10; i++) {
		message_work(&m, 100);
		sum += work_chain(10, i % 4 + 1) * (2 * i + 1);
	}
	check(m.hop == 10 && m.sum == sum && message_sum(10, 100) == sum, "%llu", (unsigned long long)m.sum);
	check(message_sum(0, 100) == 0, "nothing is something");
}

int
main(void)
{
	check(work_set_rate(100) == 0, "rate");
	test_messages();
	test_net_ends();
	test_every_byte_is_checked();
	test_runs_without_memory();
	test_echo_without_descriptors();
	return 0;
}
