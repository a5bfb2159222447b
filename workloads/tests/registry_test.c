// SPDX-License-Identifier: MIT
// registry_test.c: the tables are well formed, and every refusal names what is allowed.
#include "workloads/workload.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "workloads/tests/check.h"

static void
check_params(const struct workload *w)
{
	int n = 0;

	for (; w->params[n].name; n++) {
		const struct workload_param *p = &w->params[n];

		check(n < WORKLOAD_PARAMS_MAX, "%s has too many parameters", w->name);
		check(p->min <= p->initial && p->initial <= p->max, "%s %s: default outside", w->name, p->name);
		check(p->help && *p->help, "%s %s: no help", w->name, p->name);
		for (int k = 0; k < n; k++)
			check(strcmp(w->params[k].name, p->name) != 0, "%s %s twice", w->name, p->name);
	}
	check(n > 0, "%s has no parameter", w->name);
}

static void
test_rows(void)
{
	const struct workload *w;
	int n = 0;

	for (; (w = workload_at(n)); n++) {
		check(workload_find(w->name) == w, "%s is not found by its name, or is there twice", w->name);
		check(w->title && w->version > 0, "%s", w->name);
		check(w->setup && w->main && w->serial && w->expect && w->teardown, "%s lacks a function", w->name);
		check_params(w);
	}
	check(n >= 4, "%d workloads", n);
	check(!workload_at(-1) && !workload_at(n + 1), "rows outside the table");
}

static void
test_find_and_names(void)
{
	char text[256], small[10];

	check(workload_find("skewed"), "skewed");
	check(!workload_find("skew") && !workload_find("") && !workload_find("Skewed"), "found what is not there");
	workload_names(text, sizeof(text));
	check(strncmp(text, "uniform, skewed, syscall, tight", 31) == 0, "%s", text);
	workload_names(small, sizeof(small));
	check(strcmp(small, "uniform, ") == 0, "%s", small);
	workload_names(small, 0);
	check(strcmp(small, "uniform, ") == 0, "size 0 was written to");
}

static void
test_init_and_get(void)
{
	struct workload_run run;
	const struct workload *w;

	for (int i = 0; (w = workload_at(i)); i++) {
		workload_init(&run, w);
		check(run.workload == w && !run.state && run.result.tasks == 0, "%s", w->name);
		for (int k = 0; w->params[k].name; k++)
			check(workload_get(&run, w->params[k].name) == w->params[k].initial, "%s", w->params[k].name);
	}
}

static void
test_set(void)
{
	struct workload_run run;
	char err[256] = "";

	workload_init(&run, workload_find("skewed"));
	check(workload_set(&run, "tasks", "200", err, sizeof(err)) == 0, "%s", err);
	check(workload_set(&run, "grain_ns", "5000000", err, sizeof(err)) == 0, "%s", err);
	check(workload_get(&run, "tasks") == 200 && workload_get(&run, "grain_ns") == 5000000, "not set");
	check(workload_set(&run, "tasks", "1", err, sizeof(err)) == 0, "lower end: %s", err);
	check(workload_set(&run, "tasks", "10000000", err, sizeof(err)) == 0, "upper end: %s", err);
	check(err[0] == '\0', "an error text without an error: %s", err);
}

static void
test_set_refuses_bad_values(void)
{
	static const char *const bad[] = { "0",
		                           "-1",
		                           "10000001",
		                           "",
		                           "x",
		                           "7x",
		                           " 7",
		                           "+7",
		                           "0x10",
		                           "1.5",
		                           "1e3",
		                           "7 8",
		                           "-",
		                           "99999999999999999999",
		                           "7 ",
		                           "--7",
		                           "1,000",
		                           "nan",
		                           "-99999999999999999999" };
	struct workload_run run;
	char err[256];

	workload_init(&run, workload_find("skewed"));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		check(workload_set(&run, "tasks", bad[i], err, sizeof(err)) == -EINVAL, "'%s' was taken", bad[i]);
		check(strstr(err, "skewed") && strstr(err, "tasks") && strstr(err, "1 to 10000000"), "%s", err);
		check(!strchr(err, '\n'), "more than a line: %s", err);
		check(workload_get(&run, "tasks") == 1000, "'%s' changed the value", bad[i]);
	}
}

// Where the range is as wide as a long, a number beyond must not pass as the nearest one.
static void
test_set_refuses_numbers_beyond_long(void)
{
	static const struct workload_param params[] = { { "x", 0, LONG_MIN, LONG_MAX, "anything" }, { 0 } };
	static const struct workload wide = { .name = "wide", .params = params };
	struct workload_run run;
	char err[256];

	workload_init(&run, &wide);
	check(workload_set(&run, "x", "9223372036854775807", err, sizeof(err)) == 0, "%s", err);
	check(workload_set(&run, "x", "9223372036854775808", err, sizeof(err)) == -EINVAL, "2^63 was taken");
	check(workload_set(&run, "x", "-9223372036854775809", err, sizeof(err)) == -EINVAL, "-2^63-1 was taken");
	check(workload_get(&run, "x") == LONG_MAX, "%ld", workload_get(&run, "x"));
}

static void
test_set_refuses_unknown_names(void)
{
	struct workload_run run;
	char err[256], tiny[8];

	workload_init(&run, workload_find("skewed"));
	check(workload_set(&run, "task", "7", err, sizeof(err)) == -ENOENT, "a prefix was taken");
	check(strstr(err, "'task'") && strstr(err, "tasks, grain_ns"), "%s", err);
	check(workload_set(&run, "", "7", err, sizeof(err)) == -ENOENT, "the empty name was taken");
	check(workload_set(&run, "task", "7", tiny, sizeof(tiny)) == -ENOENT, "with a short buffer");
	check(strlen(tiny) == 7, "'%s'", tiny);
}

int
main(void)
{
	test_rows();
	test_find_and_names();
	test_init_and_get();
	test_set();
	test_set_refuses_bad_values();
	test_set_refuses_numbers_beyond_long();
	test_set_refuses_unknown_names();
	return 0;
}
