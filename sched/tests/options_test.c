// SPDX-License-Identifier: MIT
// options_test: every option by its name: all values and bounds there and back, what is refused and with which words, and the
// environment. Opens sched/core/policy.h: the words of an option are the names of its policies.
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/core/policy.h"
#include "sched/tests/rig.h"

static struct mn_options o;
static char err[MN_ERROR_MAX];

static void
expect_round_trip(const char *name, const char *value)
{
	char text[MN_TEXT_MAX] = "";

	EXPECT_EQ(mn_options_set(&o, name, value, err, sizeof(err)), 0);
	EXPECT_EQ(mn_options_get(&o, name, text, sizeof(text)), 0);
	EXPECT(strcmp(text, value) == 0);
	EXPECT_EQ(mn_options_check(&o, err, sizeof(err)), 0);
}

static bool
same_options(const struct mn_options *a, const struct mn_options *b)
{
	char of_a[MN_TEXT_MAX], of_b[MN_TEXT_MAX];

	for (int k = 0; mn_option_at(k); k++) {
		mn_options_get(a, mn_option_at(k)->name, of_a, sizeof(of_a));
		mn_options_get(b, mn_option_at(k)->name, of_b, sizeof(of_b));
		if (strcmp(of_a, of_b) != 0)
			return false;
	}
	return strcmp(a->error, b->error) == 0;
}

// A refused value changes nothing, and the line names option and value.
static void
expect_refused(const char *name, const char *value)
{
	struct mn_options before = o;
	size_t n = strlen(name);

	memset(err, 0, sizeof(err));
	EXPECT_EQ(mn_options_set(&o, name, value, err, sizeof(err)), -EINVAL);
	EXPECT(same_options(&o, &before));
	EXPECT(strncmp(err, name, n) == 0 && (err[n] == '=' || err[n] == ':'));
	EXPECT(strstr(err, "allowed: ") != NULL && !strchr(err, '\n'));
	if (!strstr(err, "allowed: "))
		fprintf(stderr, "%s=%.40s: \"%s\"\n", name, value, err);
}

static bool
is_number(const struct mn_option_info *i)
{
	return i->min <= i->max;
}

static const char *
number(long n)
{
	static char text[4][24];
	static int next;

	next = (next + 1) % 4;
	snprintf(text[next], sizeof(text[next]), "%ld", n);
	return text[next];
}

// ---- Values

static void
test_defaults(void)
{
	char text[MN_TEXT_MAX];

	for (int k = 0; mn_option_at(k); k++) {
		const struct mn_option_info *i = mn_option_at(k);

		EXPECT_EQ(mn_options_get(&o, i->name, text, sizeof(text)), 0);
		EXPECT(strcmp(text, i->initial) == 0);
		EXPECT(i->help[0] != 0);
	}
	EXPECT_EQ(o.error[0], 0);
	EXPECT_EQ(mn_options_check(&o, err, sizeof(err)), 0);
	EXPECT(mn_option_at(-1) == NULL && mn_option_at(1000) == NULL);
}

static void
test_every_word(void)
{
	static const char *const no_words[] = { "", " ", "HALF", "ha", "halff", "half ", "0", "1", "half,one" };

	for (int k = 0; mn_option_at(k); k++) {
		const struct mn_option_info *i = mn_option_at(k);

		for (int w = 0; i->values && i->values[w]; w++)
			expect_round_trip(i->name, i->values[w]);
		for (size_t w = 0; i->values && w < array_len(no_words); w++)
			expect_refused(i->name, no_words[w]);
	}
}

static void
expect_bounds(const struct mn_option_info *i)
{
	bool powers = strcmp(i->name, "stack_kb") == 0;

	expect_round_trip(i->name, number(i->min));
	expect_round_trip(i->name, number(i->max));
	if (!powers)
		expect_round_trip(i->name, number(i->min + (i->max - i->min) / 2));
	for (long n = i->min; powers && n <= i->max; n *= 2)
		expect_round_trip(i->name, number(n));
	expect_refused(i->name, number(i->min - 1));
	expect_refused(i->name, number(i->max + 1));
	if (powers)
		expect_refused(i->name, number(i->max - 1));
}

static const char *const no_numbers[] = {
	"",
	" ",
	" 1",
	"1 ",
	"\t1",
	"\n1",
	"1\n",
	"1x",
	"x1",
	"0x10",
	"1e3",
	"1.0",
	"1,0",
	"--1",
	"+-1",
	"half",
	"999999999999999999999999999",
	"-999999999999999999999999999",
	"4294967297",
	"18446744073709551617",
};

static void
test_every_number(void)
{
	int n = 0;

	for (int k = 0; mn_option_at(k); k++) {
		const struct mn_option_info *i = mn_option_at(k);

		if (!is_number(i))
			continue;
		n++;
		expect_bounds(i);
		for (size_t w = 0; w < array_len(no_numbers); w++)
			expect_refused(i->name, no_numbers[w]);
	}
	EXPECT_EQ(n, 10);
	expect_round_trip("procs", "auto");
	EXPECT_EQ(o.procs, 0);
	expect_refused("global_tick", "auto");
}

static void
test_seed(void)
{
	expect_round_trip("seed", "1");
	expect_round_trip("seed", "18446744073709551615");
	EXPECT(o.seed == UINT64_MAX);
	expect_round_trip("seed", "random");
	EXPECT(o.seed == 0);
	for (size_t w = 0; w < array_len(no_numbers); w++)
		if (strcmp(no_numbers[w], "0x10") != 0 && strcmp(no_numbers[w], "4294967297") != 0)
			expect_refused("seed", no_numbers[w]);
	EXPECT_EQ(mn_options_set(&o, "seed", "010", err, sizeof(err)), 0);
	EXPECT(o.seed == 10);
	EXPECT_EQ(mn_options_set(&o, "seed", "0x10", err, sizeof(err)), 0);
	EXPECT(o.seed == 16);
	expect_refused("seed", "-1");
	expect_refused("seed", "\t-1");
	expect_refused("seed", "18446744073709551616");
}

static void
test_texts(void)
{
	char longest[MN_TEXT_MAX + 1];

	expect_round_trip("pin", "none");
	expect_round_trip("pin", "close");
	expect_round_trip("pin", "spread");
	expect_round_trip("pin", "0,2-5");
	expect_refused("pin", "");
	expect_refused("pin", "closer");
	expect_refused("pin", "3-1");
	memset(longest, 'f', sizeof(longest));
	longest[MN_TEXT_MAX] = 0;
	expect_refused("sample_file", longest);
	longest[MN_TEXT_MAX - 1] = 0;
	expect_round_trip("sample_file", longest);
	expect_round_trip("sample_us", "0");
	expect_round_trip("sample_file", "");
	for (int i = 0; i < MN_TEXT_MAX; i++)
		longest[i] = i % 2 ? ',' : '0';
	longest[MN_TEXT_MAX] = '0';
	longest[MN_TEXT_MAX - 1] = ',';
	longest[MN_TEXT_MAX] = 0;
	expect_refused("pin", longest);
}

// ---- Fields set by hand

static void
expect_checked(int *field, int bad, const char *name)
{
	int before = *field;

	*field = bad;
	err[0] = 0;
	EXPECT_EQ(mn_options_check(&o, err, sizeof(err)), -EINVAL);
	EXPECT(strncmp(err, name, strlen(name)) == 0);
	*field = before;
	EXPECT_EQ(mn_options_check(&o, err, sizeof(err)), 0);
}

static void
never_called(void *unused)
{
	(void)unused;
	EXPECT(false);
}

static void
test_fields_are_checked(void)
{
	expect_checked(&o.procs, -1, "procs=-1");
	expect_checked(&o.procs, MN_PROCS_MAX + 1, "procs=1025");
	expect_checked(&o.steal, 4, "steal=4");
	expect_checked(&o.steal, -1, "steal=-1");
	expect_checked(&o.victim, 5, "victim=5");
	expect_checked(&o.local_cap, 0, "local_cap=0");
	expect_checked(&o.local_cap, 4097, "local_cap=4097");
	expect_checked(&o.queue, 2, "queue=2");
	expect_checked(&o.runnext, 2, "runnext=2");
	expect_checked(&o.global_tick, -1, "global_tick=-1");
	expect_checked(&o.steal_tries, 0, "steal_tries=0");
	expect_checked(&o.spin, 4, "spin=4");
	expect_checked(&o.handoff, 3, "handoff=3");
	expect_checked(&o.preempt, 2, "preempt=2");
	expect_checked(&o.slice_us, 99, "slice_us=99");
	expect_checked(&o.yield_to, 2, "yield_to=2");
	expect_checked(&o.stack_kb, 3, "stack_kb=3");
	expect_checked(&o.spin_us, 1001, "spin_us=1001");
	expect_checked(&o.schedtrace_ms, -1, "schedtrace_ms=-1");
	expect_checked(&o.sample_us, -1, "sample_us=-1");
	expect_checked(&o.sample_us, 100, "sample_us=100 needs a sample_file");
	memset(o.pin, '0', sizeof(o.pin));
	EXPECT_EQ(mn_options_check(&o, err, sizeof(err)), -EINVAL);
	EXPECT(strncmp(err, "pin does not end", 16) == 0);
	strcpy(o.pin, "none");
	memset(o.sample_file, 'f', sizeof(o.sample_file));
	EXPECT_EQ(mn_options_check(&o, err, sizeof(err)), -EINVAL);
	EXPECT(strncmp(err, "sample_file does not end", 24) == 0);
	o.sample_file[0] = 0;
	EXPECT_EQ(mn_options_check(&o, err, sizeof(err)), 0);
	o.procs = 1025;
	EXPECT_EQ(mn_run(&o, never_called, NULL), -EINVAL);
	o.procs = 0;
}

// ---- Words and policies

static const struct mn_option_info *
info_of(const char *name)
{
	for (int k = 0; mn_option_at(k); k++)
		if (strcmp(mn_option_at(k)->name, name) == 0)
			return mn_option_at(k);
	return NULL;
}

#define EXPECT_NAMES(option, table)                                           \
	do {                                                                  \
		const char *const *words = info_of(option)->values;           \
		int i = 0;                                                    \
                                                                              \
		for (; words[i] && (table)[i].name; i++)                      \
			EXPECT(strcmp(words[i], (table)[i].name) == 0);       \
		EXPECT(i > 0 && words[i] == NULL && (table)[i].name == NULL); \
	} while (0)

static void
test_options_name_the_policies(void)
{
	EXPECT_NAMES("steal", mn_amount_policies);
	EXPECT_NAMES("victim", mn_victim_policies);
	EXPECT_NAMES("spin", mn_spin_policies);
}

// ---- Errors

static void
expect_names_all_options(const char *text)
{
	for (int k = 0; mn_option_at(k); k++)
		EXPECT(strstr(text, mn_option_at(k)->name) != NULL);
	EXPECT(strcmp(text + strlen(text) - 4, "seed") == 0);
}

// However long the wrong name or value: what is allowed is all there, in one line that fits.
static void
test_errors_are_complete(void)
{
	static char longest[2000];

	memset(longest, 'q', sizeof(longest) - 1);
	for (size_t n = 1; n < sizeof(longest); n = n * 2 + 1) {
		const char *name = longest + sizeof(longest) - 1 - n;

		memset(err, 0, sizeof(err));
		EXPECT_EQ(mn_options_set(&o, name, "1", err, sizeof(err)), -ENOENT);
		expect_names_all_options(err);
		for (int k = 0; mn_option_at(k); k++) {
			const struct mn_option_info *i = mn_option_at(k);

			if (strcmp(i->name, "sample_file") == 0)
				continue;
			expect_refused(i->name, name);
			for (int w = 0; i->values && i->values[w]; w++)
				EXPECT(strstr(err, i->values[w]) != NULL);
			if (is_number(i))
				EXPECT(strstr(err, number(i->max)) != NULL);
		}
	}
	EXPECT_EQ(mn_options_get(&o, "q", longest, sizeof(longest)), -ENOENT);
	EXPECT_EQ(mn_options_set(&o, "", "1", err, sizeof(err)), -ENOENT);
}

static void
test_small_rooms_for_errors(void)
{
	static const char *const wrong[][2] = {
		{ "steal", "haf" }, { "steel", "half" }, { "procs", "0" }, { "pin", "x" }
	};

	for (size_t i = 0; i < array_len(wrong); i++)
		for (size_t size = 0; size < 40; size++) {
			char room[64];

			memset(room, '#', sizeof(room));
			EXPECT(mn_options_set(&o, wrong[i][0], wrong[i][1], room, size) < 0);
			EXPECT(size == 0 || strnlen(room, size) < size);
			for (size_t k = size; k < sizeof(room); k++)
				EXPECT(room[k] == '#');
		}
}

// ---- Environment

static void
variable_of(const char *name, char *variable)
{
	strcpy(variable, "MN_");
	variable += 3;
	do
		*variable++ = (char)toupper((unsigned char)*name);
	while (*name++);
}

static void
expect_from_environment(const struct mn_option_info *i, const char *value)
{
	char variable[64], text[MN_TEXT_MAX];

	variable_of(i->name, variable);
	setenv(variable, value, 1);
	mn_options_init(&o);
	unsetenv(variable);
	EXPECT_EQ(o.error[0], 0);
	EXPECT_EQ(mn_options_get(&o, i->name, text, sizeof(text)), 0);
	EXPECT(strcmp(text, value) == 0);
}

static void
test_every_option_from_the_environment(void)
{
	for (int k = 0; mn_option_at(k); k++) {
		const struct mn_option_info *i = mn_option_at(k);

		for (int w = 0; i->values && i->values[w]; w++)
			expect_from_environment(i, i->values[w]);
		if (is_number(i))
			expect_from_environment(i, number(i->max));
	}
	expect_from_environment(info_of("pin"), "0,2-5");
	expect_from_environment(info_of("sample_file"), "a=b c");
	expect_from_environment(info_of("seed"), "12345");
	mn_options_init(&o);
}

static int
procs_from(const char *gomaxprocs, const char *mn_procs)
{
	rig_clear_environment();
	if (gomaxprocs)
		setenv("GOMAXPROCS", gomaxprocs, 1);
	if (mn_procs)
		setenv("MN_PROCS", mn_procs, 1);
	mn_options_init(&o);
	rig_clear_environment();
	return o.error[0] ? -1 : o.procs;
}

static void
test_precedence(void)
{
	EXPECT_EQ(procs_from(NULL, NULL), 0);
	EXPECT_EQ(procs_from("3", NULL), 3);
	EXPECT_EQ(procs_from("", NULL), 0);
	EXPECT_EQ(procs_from(NULL, "5"), 5);
	EXPECT_EQ(procs_from("3", "5"), 5);
	EXPECT_EQ(procs_from("3", "auto"), 0);
	EXPECT_EQ(procs_from("x", "5"), -1);
	EXPECT_EQ(procs_from("3", "x"), -1);
	EXPECT(strncmp(o.error, "MN_PROCS: procs=x", 17) == 0);
}

// The first of several is told; others' variables are not ours; ours are, whatever their length.
static void
test_variables_of_nobody(void)
{
	char name[200];

	setenv("MNX_STEAL", "haf", 1);
	setenv("mn_steal", "haf", 1);
	mn_options_init(&o);
	EXPECT_EQ(o.error[0], 0);
	unsetenv("MNX_STEAL");
	unsetenv("mn_steal");
	for (size_t n = 4; n < sizeof(name); n++) {
		memset(name, 'Q', n);
		memcpy(name, "MN_", 3);
		name[n] = 0;
		setenv(name, "1", 1);
		mn_options_init(&o);
		unsetenv(name);
		EXPECT(strstr(o.error, "unknown option") != NULL);
		if (strstr(o.error, "unknown option"))
			expect_names_all_options(o.error);
	}
	mn_options_init(&o);
}

int
main(void)
{
	rig_clear_environment();
	mn_options_init(&o);
	RUN(test_defaults);
	expect_round_trip("sample_file", "f");
	RUN(test_every_word);
	RUN(test_every_number);
	RUN(test_seed);
	RUN(test_texts);
	mn_options_init(&o);
	RUN(test_fields_are_checked);
	RUN(test_options_name_the_policies);
	RUN(test_errors_are_complete);
	RUN(test_small_rooms_for_errors);
	RUN(test_every_option_from_the_environment);
	RUN(test_precedence);
	RUN(test_variables_of_nobody);
	return test_result();
}
