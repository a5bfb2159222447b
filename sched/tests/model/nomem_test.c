// SPDX-License-Identifier: MIT
// The round model without memory. The linker puts the functions below in front of those that allocate; each run fails one
// call further on than the last, until a run gets through. A spawn or a round that fails changes nothing and can be
// repeated; a check that fails says so; nothing leaks (the sanitizer build sees that).
#include "sched/base/check.h"
#include "sched/model/arrivals.h"
#include "sched/model/golden.h"
#include "sched/model/model.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long calls_left = -1; // before one fails; below 0: none fails

static bool
fails(void)
{
	return calls_left >= 0 && calls_left-- == 0;
}

// ---- What the linker calls instead ---------------------------------------------------------------------------------

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__real_reallocarray(void *old, size_t n, size_t size);
void *__wrap_reallocarray(void *old, size_t n, size_t size);
char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);
int __real_vasprintf(char **text, const char *format, va_list args);
int __wrap_vasprintf(char **text, const char *format, va_list args);
FILE *__real_open_memstream(char **text, size_t *size);
FILE *__wrap_open_memstream(char **text, size_t *size);
ssize_t __real_getline(char **line, size_t *size, FILE *in);
ssize_t __wrap_getline(char **line, size_t *size, FILE *in);
ssize_t __real___getdelim(char **line, size_t *size, int end, FILE *in);
ssize_t __wrap___getdelim(char **line, size_t *size, int end,
                          FILE *in); // what glibc makes of getline when it optimises

void *
__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *
__wrap_reallocarray(void *old, size_t n, size_t size)
{
	return fails() ? NULL : __real_reallocarray(old, n, size);
}

char *
__wrap_strdup(const char *text)
{
	return fails() ? NULL : __real_strdup(text);
}

int
__wrap_vasprintf(char **text, const char *format, va_list args)
{
	return fails() ? -1 : __real_vasprintf(text, format, args);
}

FILE *
__wrap_open_memstream(char **text, size_t *size)
{
	return fails() ? NULL : __real_open_memstream(text, size);
}

ssize_t
__wrap_getline(char **line, size_t *size, FILE *in)
{
	if (!fails())
		return __real_getline(line, size, in);
	errno = ENOMEM;
	return -1;
}

ssize_t
__wrap___getdelim(char **line, size_t *size, int end, FILE *in)
{
	if (!fails())
		return __real___getdelim(line, size, end, in);
	errno = ENOMEM;
	return -1;
}

// ---- The model -----------------------------------------------------------------------------------------------------

enum { GOROUTINES = 200 }; // so that both the goroutines and the events must grow

// Repeats what fails; each failure must have changed nothing.
static void
run_model(struct mn_model *m)
{
	for (int g = 0; g < GOROUTINES; g++) {
		size_t events = mn_model_events(m);
		int got = mn_model_spawn_on(m, 0, "g", 3);

		if (got < 0) {
			CHECK(got == -ENOMEM && mn_model_count(m) == g && mn_model_events(m) == events);
			CHECK(mn_model_queue_len(m, 0) == g);
			got = mn_model_spawn_on(m, 0, "g", 3);
		}
		CHECK(got == g);
	}
	while (!mn_model_drained(m)) {
		size_t events = mn_model_events(m);
		int64_t clock = mn_model_clock(m), rounds = mn_model_run(m);

		CHECK(rounds > 0 || rounds == -ENOMEM);
		CHECK(mn_model_clock(m) > clock || mn_model_events(m) == events);
	}
	CHECK(mn_model_ran(m, 0) + mn_model_ran(m, 1) == 3 * GOROUTINES);
}

static void
test_model(void)
{
	long n = 0;

	do {
		struct mn_model *m;

		calls_left = n++;
		m = mn_model_new(2, 1, GOROUTINES);
		if (m)
			run_model(m);
		else
			CHECK(n <= 2); // the model, its processors
		mn_model_free(m);
	} while (calls_left < 0);
	CHECK(n > GOROUTINES);
	calls_left = -1;
}

static void
test_arrivals(void)
{
	struct mn_arrivals a = { 0 };
	struct mn_model *m = mn_model_new(1, 1, 1);

	CHECK(m);
	calls_left = 0; // no list
	CHECK(mn_arrivals_add(&a, 0, 0, "A", 1) == -ENOMEM);
	calls_left = 1; // no name
	CHECK(mn_arrivals_add(&a, 0, 0, "A", 1) == -ENOMEM);
	CHECK(mn_arrivals_add(&a, 0, 0, "A", 1) == 0);
	calls_left = 0;
	CHECK(mn_arrivals_spawn(&a, m) == -ENOMEM);
	CHECK(mn_arrivals_spawn(&a, m) == 0);
	CHECK(mn_arrivals_step(&a, m) == 1);
	CHECK(mn_arrivals_step(&a, m) == 0);
	CHECK(mn_model_count(m) == 1);
	mn_arrivals_clear(&a);
	mn_model_free(m);
}

// ---- The check of golden files -------------------------------------------------------------------------------------

static void
hear(void *arg, const char *line)
{
	snprintf(arg, 256, "%s", line);
}

// One case that passes, one that does not, and a line that is not in the format.
static int
check(struct mn_golden_tally *t, char said[256])
{
	static char text[] =
	        "case a\nprocs 1\nquantum 1\ncap 1\nspawn 0 0 A 1\ntrace 0 0 spawn A 0\ntrace 0 0 run A 1\n"
	        "trace 0 0 done A 0\nqueue 0 1 0\nqueue 1 0 0\nran 0 1 0\nclock 1\nend\n"
	        "case b\nprocs 1\nquantum 1\ncap 1\nqueue 0 0 0\nran 0 0 0\nclock 1\nend\nhello\n";
	FILE *in = fmemopen(text, strlen(text), "r");
	int err;

	CHECK(in);
	err = mn_golden_check_stream(in, "F", t, hear, said);
	fclose(in);
	return err;
}

static void
test_check(void)
{
	long n = 0;

	for (;;) {
		struct mn_golden_tally t = { 0 };
		char said[256] = "";
		long left;
		int err;

		calls_left = n++;
		err = check(&t, said);
		left = calls_left;
		calls_left = -1;
		CHECK(t.passed <= 1 && t.failed <= 1);
		if (left >= 0) {
			CHECK(err == -EBADMSG && t.passed == 1 && t.failed == 1);
			CHECK(strcmp(said, "F:22: expected case, got \"hello\"") == 0);
			break;
		}
		CHECK(err == -ENOMEM || err == -EBADMSG); // the latter: no memory for the words
		CHECK(strstr(said, "out of memory") || strstr(said, "Cannot allocate memory"));
	}
	CHECK(n > 40);
}

int
main(void)
{
	test_model();
	test_arrivals();
	test_check();
	return 0;
}
