// SPDX-License-Identifier: MIT
// command_test.c: the command line and the environment of a repetition.
#include "experiments/mnlab/command.h"
#include "experiments/mnlab/tests/check.h"
#include "experiments/mnlab/tests/sample.h"

static void
test_command(void)
{
	struct command c;
	struct command_facts facts = { "/a b/mn'cell", 512.5, 77, "x/samples.0.tsv" };

	command_make(&c, &sample.cell[sample_find(RUNTIME_MN, 2)], &facts);
	char *text = command_text(&c);
	check_text(text, "'/a b/mn'\\''cell' --workload=skewed --param tasks=1000 --param grain_ns=100000 --procs=2 "
	                 "--steal=half "
	                 "--victim=random --local_cap=256 --seed=77 --sample_file=x/samples.0.tsv --rate=512.5");
	free(text);
	command_free(&c);
	facts = (struct command_facts){ "mncell", 512.5, 0, NULL };
	command_make(&c, &sample.cell[sample_find(RUNTIME_SERIAL, 1)], &facts);
	text = command_text(&c);
	check_text(text,
	           "mncell --workload=skewed --param tasks=1000 --param grain_ns=100000 --runtime=serial --rate=512.5");
	free(text);
	command_free(&c);
}

static void
test_environment(void)
{
	bool kept = false;

	setenv("MN_STEAL", "one", 1);
	setenv("GOMAXPROCS", "7", 1);
	setenv("BENCHMARK_FILTER", "x", 1);
	setenv("JUDGE_TEST_KEPT", "x", 1);
	char **e = command_environment();
	for (int i = 0; e[i]; i++) {
		check(strncmp(e[i], "MN_", 3) && strncmp(e[i], "GOMAXPROCS", 10) && strncmp(e[i], "BENCHMARK_", 10));
		kept |= !strcmp(e[i], "JUDGE_TEST_KEPT=x");
	}
	check(kept);
	free(e);
}

int
main(void)
{
	sample_make();
	test_command();
	test_environment();
	sample_free();
	return 0;
}
