// SPDX-License-Identifier: MIT
// matrix_test.c: matrix files, good and bad: what is read, and where each error is.
#include "experiments/mnlab/machine.h"
#include "experiments/mnlab/matrix.h"
#include "experiments/mnlab/tests/check.h"

#include <errno.h>
#include <unistd.h>

static const struct machine machine = { .pus = 2, .cores = 2, .llcs = 1, .numas = 1, .usable = 2 };
static const char path[] = "matrix_test.matrix";
static char error[4096];

static void
write_file(const char *text, size_t n)
{
	FILE *f = fopen(path, "w");

	check(f && fwrite(text, 1, n, f) == n);
	check(fclose(f) == 0);
}

static int
read_text(struct matrix *m, const char *text)
{
	write_file(text, strlen(text));
	error[0] = 0;
	return matrix_read(m, path, &machine, error, sizeof error);
}

// The matrix must be refused, at that place, with a text that has these two parts in it.
#define refused(text, place, part, part2)                           \
	do {                                                        \
		struct matrix m_;                                   \
		check(read_text(&m_, text) < 0);                    \
		check_has(error, "matrix_test.matrix:" place ": "); \
		check_has(error, part);                             \
		check_has(error, part2);                            \
		check(!strchr(error, '\n'));                        \
	} while (0)

static void
check_values(const struct section *s, const char *name, const char *expected)
{
	const struct factor *f = section_find(s, name);
	char got[512] = "";

	check(f != NULL);
	for (int i = 0; i < f->values.n; i++)
		snprintf(got + strlen(got), sizeof got - strlen(got), "%s%s", i ? " " : "", f->values.v[i].text);
	check_text(got, expected);
}

static void
test_good(void)
{
	struct matrix m;

	check_number(read_text(&m, "# a comment\r\n"
	                           "; another\n"
	                           "\n"
	                           "[workload skewed] # may come first\n"
	                           "tasks = 10, 20\n"
	                           "[matrix]\n"
	                           "  workload = uniform, skewed\n" // indentation means nothing
	                           "\tprocs: 1..200% *2 ; not read\n"
	                           "steal=half,none\n"
	                           "pin = close, \"0,1\"\n"
	                           "rounds = 3\n"
	                           "timeout_s = 9\n"
	                           "seed = 12345\n"
	                           "exclude = steal:none victim:random\n"
	                           "exclude = procs:1,2 workload:uniform\n"
	                           "[ set more ]\n"
	                           "steal = all\n"
	                           "skewed.tasks = 30\n"
	                           "rounds = 7"),
	             0);
	check_number(m.nsections, 2);
	check_values(&m.sections[0], "workload", "uniform skewed");
	check_values(&m.sections[0], "procs", "1 2 4");
	check_values(&m.sections[0], "steal", "half none");
	check_values(&m.sections[0], "pin", "close 0,1");
	check_number(m.sections[0].rounds, 3);
	check_number(m.sections[0].timeout_s, 9);
	check_number(m.seed, 12345);
	check_number(m.sections[0].nexcludes, 2);
	check_number(m.sections[0].excludes[0].n, 2);
	check_text(m.sections[0].excludes[0].terms[1].name, "victim");
	check_number(m.sections[0].excludes[1].terms[0].values.n, 2);
	check_text(m.sections[1].name, "more");
	check_values(&m.sections[1], "steal", "all");
	check_values(&m.sections[1], "skewed.tasks", "30");
	check_number(m.sections[1].rounds, 7);
	check_values(&m.workloads, "skewed.tasks", "10 20");
	matrix_free(&m);
}

#define HEAD "[matrix]\nworkload = skewed\n"

static void
test_bad_sections(void)
{
	refused("", "1:1", "no [matrix] section", "");
	refused("[set a]\nsteal = one\n", "2:1", "no [matrix] section", "");
	refused("[matrix]\nsteal = one\n", "1:1", "names no workload", "workload = NAME");
	refused("steal = one\n[matrix]\n", "1:1", "before any section", "[matrix]");
	refused(HEAD "[matirx]\n", "3:1", "unknown section [matirx]", "[workload NAME]");
	refused(HEAD "[set]\n", "3:1", "unknown section [set]", "[set NAME]");
	refused(HEAD "[matrix]\n", "3:1", "once more", "line 1");
	refused(HEAD "[set a]\n[set a]\n", "4:6", "[set a] once more", "line 3");
	refused(HEAD "[workload skewd]\n", "3:11", "unknown workload \"skewd\"", "uniform");
	refused(HEAD "[workload tight]\n[workload tight]\n", "4:11", "once more", "line 3");
	refused(HEAD "  [set a\n", "3:3", "not a section heading", "[matrix]");
	refused(HEAD "[set a] b\n", "3:1", "not a section heading", "");
	refused(HEAD "[set aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeee]\n", "3:1", "not a section heading", "");
	refused(HEAD "[]\n", "3:1", "not a section heading", "");
}

static void
test_bad_keys(void)
{
	refused(HEAD "\n\n\n\nsteel = one\n", "7:1", "unknown factor \"steel\"", "steal victim local_cap");
	refused(HEAD "  steel = one\n", "3:3", "unknown factor \"steel\"", "allowed: workload runtime");
	refused(HEAD "steal = one\nsteal = all\n", "4:1", "\"steal\" once more", "line 3");
	refused(HEAD "rounds = 2\nrounds = 3\n", "4:1", "\"rounds\" once more", "");
	refused(HEAD "seed = 2\nseed = 3\n", "4:1", "\"seed\" once more", "");
	refused(HEAD "[set a]\nseed = 2\n", "4:1", "seed belongs to [matrix]", "");
	refused(HEAD "sample_file = x\n", "3:1", "set by the runner", "steal");
	refused(HEAD "schedtrace_ms = 5\n", "3:1", "set by the runner", "steal");
	refused(HEAD "skewed.task = 5\n", "3:1", "unknown parameter \"task\" of skewed", "tasks grain_ns");
	refused(HEAD "skwed.tasks = 5\n", "3:1", "unknown workload \"skwed\"", "skewed");
	refused(HEAD "[workload skewed]\ngrain = 5\n", "4:1", "unknown parameter \"grain\" of skewed", "grain_ns");
	refused(HEAD "[workload skewed]\ntasks = 5\ntasks = 6\n", "5:1", "once more", "line 4");
	refused(HEAD "just words\n", "3:1", "neither a section, a comment nor NAME = VALUE", "just words");
	refused(HEAD " = 5\n", "3:2", "a name is missing before the =", "");
	refused(HEAD "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeef = 5\n", "3:1", "a name of 51 characters",
	        "up to 49");
}

static void
test_bad_values(void)
{
	refused(HEAD "steal = half, hlaf\n", "3:15", "hlaf", "half, one, all, none");
	refused(HEAD "steal =\n", "3:8", "a value is missing", "");
	refused(HEAD "procs = 1, 0\n", "3:12", "procs", "1..1024");
	refused(HEAD "procs = 1025\n", "3:9", "procs", "1..1024");
	refused(HEAD "procs = -1\n", "3:9", "procs", "1..1024");
	refused(HEAD "procs = x\n", "3:9", "\"x\" is not a number", "pus");
	refused(HEAD "local_cap = 256, 0\n", "3:18", "local_cap", "1..4096");
	refused(HEAD "pin = nowhere\n", "3:7", "nowhere", "close");
	refused(HEAD "runtime = go\n", "3:11", "unknown runtime \"go\"", "mn serial threads evloop");
	refused(HEAD "rounds = 0\n", "3:10", "rounds \"0\"", "from 1 to 10000");
	refused(HEAD "rounds = 3 4\n", "3:10", "rounds \"3 4\"", "from 1 to 10000");
	refused(HEAD "timeout_s = -1\n", "3:13", "timeout_s \"-1\"", "from 1 to 86400");
	refused(HEAD "seed = 99999999999999999999\n", "3:8", "seed", "from 1 to 9223372036854775807");
	refused("[matrix]\nworkload = skewed, skwed\n", "2:20", "unknown workload \"skwed\"", "uniform skewed");
	refused(HEAD "[workload skewed]\ntasks = 0\n", "4:9", "tasks", "1");
	refused(HEAD "steal = half # why\n", "3:14", "does not belong here", "a comma between values");
}

static void
test_bad_excludes(void)
{
	refused(HEAD "exclude = steal\n", "3:11", "\"steal\" is no condition", "FACTOR:VALUE");
	refused(HEAD "exclude =\n", "3:10", "a condition is missing", "");
	refused(HEAD "exclude = steal:one  steel:two\n", "3:22", "unknown factor \"steel\"", "steal");
	refused(HEAD "exclude = steal:one  steal:two\n", "3:28", "two", "half, one, all, none");
}

static void
test_bad_files(void)
{
	char text[600] = HEAD "steal = ";
	size_t n = strlen(text);
	struct matrix m;

	memset(text + n, 'x', 300);
	refused(text, "3:191", "a line of 308 characters", "up to 190");
	refused(HEAD "# caf\xe9\n", "3:1", "not UTF-8", "");
	write_file(HEAD "steal = \0one\n", sizeof HEAD + 12);
	check(matrix_read(&m, path, &machine, error, sizeof error) < 0);
	check_has(error, ":3:1: a NUL byte");
	check_number(matrix_read(&m, "no/such.matrix", &machine, error, sizeof error), -ENOENT);
	check_has(error, "no/such.matrix: No such file");
	check_number(matrix_read(&m, ".", &machine, error, sizeof error), -EISDIR);
}

// A file too large to be a matrix is refused before anything is read.
static void
test_huge_file(void)
{
	struct matrix m;

	write_file("", 0);
	check(truncate(path, 2 << 20) == 0);
	check_number(matrix_read(&m, path, &machine, error, sizeof error), -EFBIG);
}

int
main(void)
{
	test_good();
	test_bad_sections();
	test_bad_keys();
	test_bad_values();
	test_bad_excludes();
	test_bad_files();
	test_huge_file();
	unlink(path);
	return 0;
}
