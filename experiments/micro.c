// SPDX-License-Identifier: MIT
// micro.c: see micro.h.
#include "experiments/micro.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int
refuse(const char *program, const char *line)
{
	fprintf(stderr, "%s: %s\n", program, line);
	return 2;
}

int
micro_main(int argc, char **argv, void (*register_all)(void))
{
	struct gbench_totals totals;
	char line[GBENCH_ERR_MAX];

	if (gbench_init(&argc, argv, line, sizeof(line)) || gbench_unknown(argc, argv, line, sizeof(line)))
		return refuse(argv[0], line);
	if (gbench_unfit()) {
		snprintf(line, sizeof(line), "will not measure: %s; set MNCELL_ANY_BUILD=1 to run all the same",
		         gbench_unfit());
		return refuse(argv[0], line);
	}
	register_all();
	if (gbench_run(&totals))
		return 1;
	if (!totals.matched)
		return refuse(argv[0], "--benchmark_filter lets nothing through; see --benchmark_list_tests");
	return totals.errors != 0;
}

void
micro_register(const char *name, gbench_fn fn, void *arg, const struct gbench_options *o)
{
	int error = gbench_register(name, fn, arg, o);

	if (error) {
		fprintf(stderr, "%s: cannot be registered: %s\n", name, strerror(-error));
		exit(1);
	}
}

int64_t
micro_size(int64_t n)
{
	const char *tiny = getenv("MICRO_TINY");

	if (!tiny || strcmp(tiny, "1") != 0)
		return n;
	return n / 1000 < 4 ? 4 : n / 1000;
}

int64_t
micro_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

struct job {
	micro_body body;
	int64_t n, ns;
	void *arg;
};

static void
goroutine_1(void *arg)
{
	struct job *job = arg;
	int64_t start = micro_now();

	job->ns = job->body(job->n, job->arg);
	if (job->ns < 0)
		job->ns = micro_now() - start;
}

// Sets what text says, word by word. Returns false with the reason in err.
static bool
set_options(struct mn_options *o, const char *text, char *err, size_t size)
{
	char copy[256], *rest = NULL;

	mn_options_init(o);
	snprintf(copy, sizeof(copy), "%s", text);
	for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		char *equals = strchr(word, '=');

		*equals = '\0';
		if (mn_options_set(o, word, equals + 1, err, size))
			return false;
	}
	return true;
}

void
micro_run(struct gbench_state *s, const char *options, micro_body body, void *arg)
{
	struct mn_options o;
	struct job job = { .body = body, .arg = arg };
	char line[MN_TEXT_MAX];
	int error;

	if (!set_options(&o, options, line, sizeof(line))) {
		gbench_skip(s, line);
		return;
	}
	while ((job.n = gbench_all(s))) {
		error = mn_run(&o, goroutine_1, &job);
		if (error) {
			gbench_skip(s, strerror(-error));
			return;
		}
		gbench_seconds(s, (double)job.ns * 1e-9);
	}
}

static int
ascending(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

void
micro_percentiles(struct gbench_state *s, int64_t *sample, int64_t n)
{
	if (n < 1)
		return;
	qsort(sample, (size_t)n, sizeof(*sample), ascending);
	int64_t p50 = sample[n / 2], p99 = sample[n * 99 / 100];

	gbench_counter(s, "p50_ns", (double)p50, GBENCH_PLAIN);
	gbench_counter(s, "p99_ns", (double)p99, GBENCH_PLAIN);
	gbench_counter(s, "max_ns", (double)sample[n - 1], GBENCH_PLAIN);
}
