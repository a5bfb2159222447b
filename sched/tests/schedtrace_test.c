// SPDX-License-Identifier: MIT
// schedtrace_test: the lines on stderr have the form of Go 1.27's, held against lines of a real one and against the
// expressions by which public tools read them. Opens sched/watch/watch.h for the line itself, and sched/core/scheduler.h for
// the time it begins at.
#include <ctype.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sched/core/scheduler.h"
#include "sched/tests/rig.h"
#include "sched/watch/watch.h"

// Numbers replaced by N.
static void
shape_of(const char *line, char *shape, size_t size)
{
	size_t n = 0;

	for (; *line && *line != '\n' && n + 2 < size; n++) {
		if (!isdigit((unsigned char)*line)) {
			shape[n] = *line++;
			continue;
		}
		shape[n] = 'N';
		while (isdigit((unsigned char)*line))
			line++;
	}
	shape[n] = 0;
}

static void
shape_at(int procs, char *shape, size_t size)
{
	char list[256] = "";

	for (int i = 0; i < procs; i++)
		strcat(list, " N");
	snprintf(shape, size,
	         "SCHED Nms: gomaxprocs=N idleprocs=N threads=N spinningthreads=N needspinning=N idlethreads=N "
	         "runqueue=N [%s ] schedticks=[%s ]",
	         list, list);
}

// ---- A run's stderr, caught in a file

static FILE *caught;
static _Atomic int stop;

static long
size_caught(void)
{
	struct stat st;

	return fstat(fileno(caught), &st) == 0 ? (long)st.st_size : 0;
}

static void
keep_busy(void *unused)
{
	(void)unused;
	while (!load_relaxed(&stop))
		mn_check();
}

// Some work in the queues, until the trace has grown by a good many lines.
static void
run_until_traced(void *unused)
{
	for (int i = 0; i < 50; i++)
		mn_go(keep_busy, unused);
	while (size_caught() < 4000)
		mn_yield();
	store_relaxed(&stop, 1);
}

static int
run_caught(const char *options)
{
	int saved = dup(STDERR_FILENO), rc;

	caught = tmpfile();
	store_relaxed(&stop, 0);
	dup2(fileno(caught), STDERR_FILENO);
	rc = rig_run(options, run_until_traced, NULL);
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(caught);
	return rc;
}

// Checks the numbers of a line for what must hold at any moment. Answers the time.
static long
expect_sound(const char *line, int procs)
{
	long ms = -1;
	int gomaxprocs = -1, idle = -1, threads = -1, spinning = -1, need = -1, sleeping = -1, queue = -1;
	int n = sscanf(line,
	               "SCHED %ldms: gomaxprocs=%d idleprocs=%d threads=%d spinningthreads=%d needspinning=%d "
	               "idlethreads=%d runqueue=%d",
	               &ms, &gomaxprocs, &idle, &threads, &spinning, &need, &sleeping, &queue);

	EXPECT_EQ(n, 8);
	EXPECT_EQ(gomaxprocs, procs);
	EXPECT(idle >= 0 && idle <= procs);
	// sysmon counts, and may print before the calling thread does.
	EXPECT(threads >= 1 && sleeping >= 0 && sleeping < threads);
	EXPECT(spinning >= 0 && spinning <= threads);
	EXPECT(need == 0 || need == 1);
	EXPECT(queue >= 0);
	return ms;
}

static void
expect_trace(int procs, const char *options)
{
	char line[1024], shape[1024], want[1024];
	long before = 0;
	int n = 0;

	EXPECT_EQ(run_caught(options), 0);
	shape_at(procs, want, sizeof(want));
	for (; fgets(line, sizeof(line), caught); n++) {
		long ms = expect_sound(line, procs);

		shape_of(line, shape, sizeof(shape));
		EXPECT(strcmp(shape, want) == 0);
		if (strcmp(shape, want) != 0)
			fprintf(stderr, "%s", line);
		EXPECT(line[strlen(line) - 1] == '\n');
		EXPECT(ms >= before);
		before = ms;
	}
	EXPECT(n >= 10);
	fclose(caught);
}

static void
test_lines_of_a_run(void)
{
	expect_trace(1, "procs=1 schedtrace_ms=1");
	expect_trace(2, "procs=2 schedtrace_ms=1");
	expect_trace(4, "procs=4 schedtrace_ms=1");
	expect_trace(8, "procs=8 schedtrace_ms=1 queue=global");
}

// ---- Against Go's

static void
expect_shapes_of(const char *name, int most)
{
	char path[4096], line[1024], shape[1024], want[1024];
	int n = 0, procs;
	FILE *f;

	snprintf(path, sizeof(path), "%s/plots/data/%s", MN_SOURCE_DIR, name);
	f = fopen(path, "re");
	EXPECT(f != NULL);
	while (f && fgets(line, sizeof(line), f)) {
		const char *at = strstr(line, "gomaxprocs=");

		if (strncmp(line, "SCHED ", 6) != 0 || !at)
			continue;
		procs = atoi(at + strlen("gomaxprocs="));
		EXPECT(procs >= 1 && procs <= most);
		shape_at(procs, want, sizeof(want));
		shape_of(line, shape, sizeof(shape));
		EXPECT(strcmp(shape, want) == 0);
		n++;
	}
	EXPECT(n >= 10);
	if (f)
		fclose(f);
}

// What ours are held to above is what Go prints.
static void
test_shape_is_gos(void)
{
	expect_shapes_of("skew-1000x3ms-procs4.schedtrace", 4);
	expect_shapes_of("skew-1000x50us-procs2.schedtrace", 2);
}

#define HEAD                                                                                                     \
	"^SCHED[[:space:]]+([0-9]+)ms:[[:space:]]+gomaxprocs=([0-9]+)[[:space:]]+idleprocs=([0-9]+)[[:space:]]+" \
	"threads=([0-9]+)[[:space:]]+spinningthreads=([0-9]+)[[:space:]]+(needspinning=([0-9]+)[[:space:]]+)?"   \
	"idlethreads=([0-9]+)[[:space:]]+runqueue=([0-9]+)[[:space:]]+"

static const struct {
	const char *expression;
	bool old_form, new_form;
} readers[] = {
	{ HEAD "\\[([0-9[:space:]]+)\\]", true, true },
	{ HEAD "\\[([0-9[:space:]]+)\\]$", true, false },
	{ HEAD "\\[([0-9[:space:]]+)\\][[:space:]]+schedticks=\\[([0-9[:space:]]+)\\]", false, true },
};

static bool
matches(const char *expression, const char *line)
{
	regex_t re;
	bool found;

	EXPECT_EQ(regcomp(&re, expression, REG_EXTENDED | REG_NOSUB), 0);
	found = regexec(&re, line, 0, NULL, 0) == 0;
	regfree(&re);
	return found;
}

static char line_of_run[4096];

static void
take_line(void *unused)
{
	(void)unused;
	mn_schedtrace_line(mn_os_now(), line_of_run, sizeof(line_of_run));
	line_of_run[strcspn(line_of_run, "\n")] = 0;
}

static void
test_public_expressions(void)
{
	static const char old[] = "SCHED 1009ms: gomaxprocs=4 idleprocs=0 threads=7 spinningthreads=0 idlethreads=2 "
	                          "runqueue=45 [4 4 0 0]";

	EXPECT_EQ(rig_run("procs=4", take_line, NULL), 0);
	for (size_t i = 0; i < array_len(readers); i++) {
		EXPECT_EQ(matches(readers[i].expression, old), readers[i].old_form);
		EXPECT_EQ(matches(readers[i].expression, line_of_run), readers[i].new_form);
	}
}

// ---- Small rooms

// One P and nobody else: nothing moves between one line and the next.
static void
cut_short(void *unused)
{
	char whole[512], room[512];
	int64_t now = mn_sched.started + 1234567890;
	size_t n = mn_schedtrace_line(now, whole, sizeof(whole));

	(void)unused;
	EXPECT_EQ(n, strlen(whole));
	EXPECT(strncmp(whole, "SCHED 1234ms: ", 14) == 0);
	for (size_t size = 0; size <= n + 2; size++) {
		memset(room, '#', sizeof(room));
		size_t k = mn_schedtrace_line(now, room + 1, size);

		EXPECT_EQ(room[0], '#');
		for (size_t i = 1 + size; i < sizeof(room); i++)
			EXPECT(room[i] == '#');
		if (size == 0)
			continue;
		EXPECT_EQ(k, size <= n ? size - 1 : n);
		EXPECT_EQ(room[1 + k], 0);
		EXPECT(memcmp(room + 1, whole, k) == 0);
	}
}

static void
test_small_rooms(void)
{
	EXPECT_EQ(rig_run("procs=1", cut_short, NULL), 0);
}

int
main(void)
{
	RUN(test_lines_of_a_run);
	RUN(test_shape_is_gos);
	RUN(test_public_expressions);
	RUN(test_small_rooms);
	return test_result();
}
