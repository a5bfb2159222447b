// SPDX-License-Identifier: MIT
// tree_test.c: the trees are the trees they claim to be (counts known from elsewhere), answers know their places, and a
// subtree that is lost or runs twice is noticed; on a fake runtime.
#include <errno.h>
#include <string.h>

#include "workloads/tests/cases.h"
#include "workloads/tests/check.h"
#include "workloads/tests/fake_mn.h"
#include "workloads/tree.h"
#include "workloads/work.h"

static struct workload_result
result_of(const struct test_case *c)
{
	struct workload_run run;

	case_setup(&run, c);
	run.workload->serial(&run);
	case_verify(&run, c, "serial");
	run.workload->teardown(&run);
	return run.result;
}

static void
check_known(const struct test_case *c, uint64_t tasks)
{
	uint64_t got = result_of(c).tasks;

	check(got == tasks, "%s %s: %llu tasks, not %llu", c->workload, c->set[0], (unsigned long long)got,
	      (unsigned long long)tasks);
}

// From a program in another language, with unbounded integers.
static void
test_known_trees(void)
{
	static const struct {
		struct test_case c;
		uint64_t tasks;
	} known[] = {
		{ { "uts", { "seed=7", "grain_ns=0" } }, 25149 },
		{ { "uts", { "seed=1", "root=500", "grain_ns=0" } }, 5629 },
		{ { "uts", { "seed=10", "grain_ns=0" } }, 14733 },
		{ { "uts", { "seed=1", "root=10", "children=2", "prob_ppm=450000", "grain_ns=0" } }, 39 },
		{ { "uts", { "seed=7", "root=100", "children=8", "prob_ppm=120000", "depth_max=50", "grain_ns=0" } },
		  677 },
		{ { "uts", { "seed=3", "root=4", "children=2", "prob_ppm=1000000", "depth_max=6", "grain_ns=0" } },
		  253 },
		{ { "uts", { "seed=3", "root=5", "children=1", "prob_ppm=990000", "depth_max=1000", "grain_ns=0" } },
		  356 },
		{ { "uts", { "root=0", "grain_ns=0" } }, 1 },
		{ { "forkjoin", { "n=20", "cutoff=2", "grain_ns=0" } }, 10946 },
		{ { "forkjoin", { "grain_ns=0" } }, 987 },
		{ { "skynet", { "levels=4", "grain_ns=0" } }, 10000 },
		{ { "nqueens", { "n=8" } }, 1 + 8 + 42 + 140 },
		{ { "nqueens", { "n=6", "depth=6" } }, 153 },
		{ { "nqueens", { "n=8", "depth=8" } }, 2057 },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		check_known(&known[i].c, known[i].tasks);
}

static void
test_known_queens(void)
{
	static const char *const n[] = { "n=1", "n=2", "n=3", "n=4", "n=5", "n=6", "n=7", "n=8", "n=9", "n=10" };
	static const uint64_t solutions[] = { 1, 0, 0, 2, 10, 4, 40, 92, 352, 724 };

	for (int i = 0; i < 10; i++) {
		struct test_case c = { "nqueens", { n[i] } };
		uint64_t got = result_of(&c).checksum;

		check(got == solutions[i], "%s: %llu solutions", n[i], (unsigned long long)got);
	}
}

// Rows of values 3, 5, 7: weighed 1, 3, 5 by place, however they are put together.
static void
test_answers_know_their_places(void)
{
	struct tree_answer a = tree_leaf(3), b = tree_leaf(5), c = tree_leaf(7), left = a, right = b, none = { 0 };

	tree_append(&left, &b);
	tree_append(&left, &c);
	check(left.tasks == 3 && left.sum == 15 && left.weighted == 3 + 15 + 35, "%llu",
	      (unsigned long long)left.weighted);
	tree_append(&right, &c);
	tree_append(&a, &right);
	check(memcmp(&a, &left, sizeof(a)) == 0, "(ab)c is not a(bc)");
	tree_append(&none, &left);
	tree_append(&left, &(struct tree_answer){ 0 });
	check(memcmp(&none, &left, sizeof(none)) == 0, "nothing is something");
	tree_append(&c, &b);
	check(c.weighted != right.weighted, "order is not seen");
}

static struct tree_answer
chain(struct tree_node *node)
{
	struct tree_node child = tree_child(node, node->at + 1);

	if (node->at == 3)
		tree_call(&child);
	return node->at == 4 ? tree_leaf(9) : tree_fork_all(&child, 1);
}

// Its node 4 runs twice. Not one of the registry's, as none of these makes mistakes.
static void
test_doubled_node(void)
{
	static const struct workload doubled = { .name = "doubled" };
	struct workload_run run = { .workload = &doubled };

	check(tree_setup(&run, chain, 0, 0) == 0, "setup");
	tree_serial(&run);
	check(run.result.tasks == 2, "%llu runs of a node that ran twice", (unsigned long long)run.result.tasks);
	tree_teardown(&run);
	check(!run.state, "teardown left its state");
}

// Runs main with start k failing; the number of starts there were.
static int
run_failing(struct workload_run *run, int k, FILE *told)
{
	FILE *before = stderr;

	fake_reset(2);
	fake.fail_from = k;
	fake.fail_to = k + 1;
	stderr = told;
	run->workload->main(run);
	stderr = before;
	check(fake.goes_failed == 1 && fake.unjoined == 0, "%s %d", run->workload->name, k);
	return fake.gos;
}

static void
check_told(const struct workload_run *run, FILE *told)
{
	char text[256] = "", right[256];

	rewind(told);
	snprintf(right, sizeof(right), "workload %s: a goroutine could not be started: Cannot allocate memory\n",
	         run->workload->name);
	check(fgets(text, sizeof(text), told) && strcmp(text, right) == 0, "%s", text);
	check(!fgets(text, sizeof(text), told), "more than one line: %s", text);
}

// Goroutine k fails to start, for every k there is: verify says no, stderr says why, and the next run is right again.
static void
test_failure_at_each_start(void)
{
	static const struct test_case cases[] = {
		{ "forkjoin", { "n=7", "cutoff=2", "grain_ns=0" } },
		{ "skynet", { "levels=1", "grain_ns=0" } },
		{ "nqueens", { "n=5", "depth=2" } },
		{ "uts", { "seed=1", "root=10", "children=2", "prob_ppm=450000", "grain_ns=0" } },
	};
	struct workload_run run;
	char err[256];

	for (int i = 0; i < 4; i++) {
		case_setup(&run, &cases[i]);
		for (int k = 0, gos = 1; k < gos; k++) {
			FILE *told = tmpfile();

			check(told, "tmpfile");
			gos = run_failing(&run, k, told);
			check(workload_verify(&run, err, sizeof(err)) == -EUCLEAN, "%s %d: taken", cases[i].workload,
			      k);
			check_told(&run, told);
			fclose(told);
			fake_reset(1);
			run.workload->main(&run);
			case_verify(&run, &cases[i], "after a failure");
		}
		run.workload->teardown(&run);
	}
}

int
main(void)
{
	check(work_set_rate(100) == 0, "rate");
	test_known_trees();
	test_known_queens();
	test_answers_know_their_places();
	test_doubled_node();
	test_failure_at_each_start();
	return 0;
}
