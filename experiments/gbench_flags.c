// SPDX-License-Identifier: MIT
// gbench_flags.c: checks the values of Google Benchmark's flags before the library reads them, and the build.
//
// The library answers some bad values with its page of help and exit status 0, some with an exception, and a file that it
// cannot write by ending the process. Only those are looked at here; a flag that it does not know, or does not take, it
// leaves in argv, and gbench_unknown reports it.
//
// Rejected: reading the library's own flag variables after it parsed them. They are not in its header.
#include "experiments/gbench_flags.h"
#include "experiments/gbench.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A flag of words, or of a number that is at least `least`.
struct flag {
	const char *name, *words[5];
	double least;
};
// clang-format off
static const struct flag flags[] = {
	{ "benchmark_format",          { "console", "json", "csv" },  0 },
	{ "benchmark_out_format",      { "json", "console", "csv" },  0 },
	{ "benchmark_time_unit",       { "ns", "us", "ms", "s" },     0 },
	{ "benchmark_repetitions",     { NULL },                      1 },
	{ "benchmark_min_time",        { NULL },                      0 },
	{ "benchmark_min_warmup_time", { NULL },                      0 },
};
// clang-format on
enum { FLAGS = sizeof(flags) / sizeof(flags[0]) };

static const char *out_file = "", *out_format = "json";

// The value of --name=value in arg, or NULL if arg is another.
static const char *
value_of(const char *arg, const char *name)
{
	size_t n = strlen(name);

	return !strncmp(arg, "--", 2) && !strncmp(arg + 2, name, n) && arg[2 + n] == '=' ? arg + 3 + n : NULL;
}

static int
check_word(const struct flag *f, const char *value, char *err, size_t size)
{
	int n;

	for (int i = 0; f->words[i]; i++)
		if (!strcmp(value, f->words[i]))
			return 0;
	n = snprintf(err, size, "--%s=%s: unknown value; allowed are", f->name, value);
	for (int i = 0; f->words[i] && n > 0 && (size_t)n < size; i++)
		n += snprintf(err + n, size - (size_t)n, "%s %s", i ? "," : "", f->words[i]);
	return -EINVAL;
}

// Text that is no number at all is left to the library, which does not take it.
static int
check_number(const struct flag *f, const char *value, char *err, size_t size)
{
	char *end;
	double number = strtod(value, &end);

	if (*end || end == value || (isfinite(number) && number >= f->least))
		return 0;
	snprintf(err, size, "--%s=%s: allowed is a number from %g", f->name, value, f->least);
	return -EINVAL;
}

static int
check_value(const struct flag *f, const char *value, char *err, size_t size)
{
	return f->words[0] ? check_word(f, value, err, size) : check_number(f, value, err, size);
}

static void
note_out(const char *name, const char *value)
{
	if (!strcmp(name, "benchmark_out"))
		out_file = value;
	if (!strcmp(name, "benchmark_out_format"))
		out_format = value;
}

// Flags also come from variables: BENCHMARK_FORMAT=json for --benchmark_format=json.
static const char *
from_environment(const char *name)
{
	char upper[64];
	size_t i;

	for (i = 0; name[i] && i + 1 < sizeof(upper); i++)
		upper[i] = (char)toupper((unsigned char)name[i]);
	upper[i] = '\0';
	return getenv(upper);
}

static int
check_environment(char *err, size_t size)
{
	const char *value;

	for (int i = 0; i < FLAGS; i++) {
		value = from_environment(flags[i].name);
		if (value && check_value(&flags[i], value, err, size))
			return -EINVAL;
		if (value)
			note_out(flags[i].name, value);
	}
	value = from_environment("benchmark_out");
	if (value)
		note_out("benchmark_out", value);
	return 0;
}

static int
check_arg(const char *arg, char *err, size_t size)
{
	const char *value;

	for (int i = 0; i < FLAGS; i++) {
		value = value_of(arg, flags[i].name);
		if (value && check_value(&flags[i], value, err, size))
			return -EINVAL;
		if (value)
			note_out(flags[i].name, value);
	}
	value = value_of(arg, "benchmark_out");
	if (value)
		note_out("benchmark_out", value);
	return 0;
}

static int
check_out(char *err, size_t size)
{
	int fd;

	if (!*out_file)
		return 0;
	fd = open(out_file, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0) {
		int error = errno;

		snprintf(err, size, "--benchmark_out=%s: %s", out_file, strerror(error));
		return -error;
	}
	close(fd);
	return 0;
}

int
gbench_check_flags(int argc, char *const *argv, char *err, size_t size)
{
	if (check_environment(err, size))
		return -EINVAL;
	for (int i = 1; i < argc; i++)
		if (check_arg(argv[i], err, size))
			return -EINVAL;
	return check_out(err, size);
}

bool
gbench_out_json(void)
{
	return *out_file && !strcmp(out_format, "json");
}

const char *
gbench_unfit(void)
{
	const char *any = getenv("MNCELL_ANY_BUILD");

	if (any && !strcmp(any, "1"))
		return NULL;
	if (*GBENCH_SANITIZE)
		return "built with sanitizers";
#if defined(MN_CHECK) && MN_CHECK >= 2
	return "built with MN_DEBUG";
#elif !defined(__OPTIMIZE__)
	return "built without optimisation";
#else
	return NULL;
#endif
}
