// SPDX-License-Identifier: MIT
// golden.c: the replay of golden files.
//
// The one idea: let the model run, write down what it did as the very lines that should be in the file, and compare line
// by line in the order of the file. Nothing of what the file expects reaches the model.
//
// A file cannot make the replay run for long or take much memory, however wrong it is: the model stops as soon as it has
// more events than the file has trace lines, since then the two differ already.
#include "sched/model/golden.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sched/model/golden_line.h"
#include "sched/model/golden_read.h"
#include "sched/model/model.h"

// ---- Lines ---------------------------------------------------------------------------------------------------------

__attribute__((format(printf, 1, 2))) static char *
text(const char *format, ...)
{
	va_list args;
	char *line;

	va_start(args, format);
	if (vasprintf(&line, format, args) < 0)
		line = NULL;
	va_end(args);
	return line;
}

char *
mn_golden_trace_line(const struct mn_model *m, const struct mn_model_event *e)
{
	char victim[16];
	const char *who = "-";

	if (e->kind == MN_MODEL_STEAL) {
		snprintf(victim, sizeof(victim), "P%d", e->who);
		who = victim;
	} else if (e->who != MN_MODEL_NONE) {
		who = mn_model_name(m, e->who);
	}
	return text("trace %" PRId64 " %d %s %s %d", e->at, e->p, mn_model_kind_name((int)e->kind), who, e->n);
}

char *
mn_golden_queue_line(const struct mn_model *m)
{
	char *line = NULL;
	size_t size;
	FILE *out = open_memstream(&line, &size);

	if (!out)
		return NULL;
	fprintf(out, "queue %" PRId64, mn_model_clock(m));
	for (int p = 0; p < mn_model_procs(m); p++)
		fprintf(out, " %d", mn_model_queue_len(m, p));
	fprintf(out, " %d", mn_model_queue_len(m, MN_MODEL_GLOBAL));
	if (fclose(out) == 0)
		return line;
	free(line);
	return NULL;
}

char *
mn_golden_ran_line(const struct mn_model *m, int p)
{
	return text("ran %d %" PRId64 " %" PRId64, p, mn_model_ran(m, p), mn_model_steals(m, p));
}

char *
mn_golden_clock_line(const struct mn_model *m)
{
	return text("clock %" PRId64, mn_model_clock(m));
}

// ---- Running -------------------------------------------------------------------------------------------------------

// The queue lines of a run: they come after the traces in the file, but are taken on the way.
struct queue_lines {
	char **line;
	size_t count, room;
};

static int
keep_queue_line(struct queue_lines *q, const struct mn_model *m)
{
	if (q->count == q->room) {
		size_t room = q->room ? 2 * q->room : 16;
		char **line = reallocarray(q->line, room, sizeof(*line));

		if (!line)
			return -ENOMEM;
		q->line = line;
		q->room = room;
	}
	q->line[q->count] = mn_golden_queue_line(m);
	return q->line[q->count++] ? 0 : -ENOMEM;
}

// Runs the case to its end, or to where it has more events than the file expects.
static int
run(struct mn_golden_case *c, struct mn_model *m, struct queue_lines *q)
{
	int ran = 1;

	while (ran > 0 && mn_model_events(m) <= c->traces) {
		if (mn_arrivals_spawn(&c->spawns, m) || keep_queue_line(q, m))
			return -ENOMEM;
		ran = mn_arrivals_step(&c->spawns, m);
	}
	return ran < 0 ? ran : 0;
}

// ---- Comparing -----------------------------------------------------------------------------------------------------

// Goes through a case's lines beside what the model did, up to the first that differ.
struct comparison {
	const struct mn_golden_case *golden;
	size_t next;      // the one of the case's lines that the model's next is to equal
	const char *name; // of the file
	mn_golden_say say;
	void *arg;
};

// A difference ends the comparison: 1, or -ENOMEM.
static int
report(const struct comparison *c, const struct mn_golden_expected *expected, const char *got)
{
	char *line = text("%s:%ld: expected \"%s\", got \"%s\"", c->name, expected->number, expected->text, got);

	if (!line)
		return -ENOMEM;
	c->say(c->arg, line);
	free(line);
	return 1;
}

// Compares the model's next line. 0: equal. The case's last line is "end", which equals none before the model's own last,
// so that next never runs over.
static int
compare(struct comparison *c, const char *got)
{
	const struct mn_golden_expected *expected = &c->golden->line[c->next];

	if (!got)
		return -ENOMEM;
	if (strcmp(expected->text, got) != 0)
		return report(c, expected, got);
	c->next++;
	return 0;
}

static int
compare_and_free(struct comparison *c, char *got)
{
	int stop = compare(c, got);

	free(got);
	return stop;
}

static int
compare_all(struct comparison *c, const struct mn_model *m, const struct queue_lines *q)
{
	int stop = 0;

	for (size_t i = 0; i < mn_model_events(m) && !stop; i++)
		stop = compare_and_free(c, mn_golden_trace_line(m, mn_model_event(m, i)));
	for (size_t i = 0; i < q->count && !stop; i++)
		stop = compare(c, q->line[i]);
	for (int p = 0; p < mn_model_procs(m) && !stop; p++)
		stop = compare_and_free(c, mn_golden_ran_line(m, p));
	if (!stop)
		stop = compare_and_free(c, mn_golden_clock_line(m));
	return stop ? stop : compare(c, "end");
}

// ---- Cases and files -----------------------------------------------------------------------------------------------

// 0: the model did what the case says. 1: it did not. -ENOMEM.
static int
replay(struct mn_golden_case *golden, struct comparison *c)
{
	struct mn_model *m = mn_model_new(golden->procs, golden->quantum, golden->cap);
	struct queue_lines q = { 0 };
	int result = m ? run(golden, m, &q) : -ENOMEM;

	if (!result)
		result = compare_all(c, m, &q);
	for (size_t i = 0; i < q.count; i++)
		free(q.line[i]);
	free(q.line);
	mn_model_free(m);
	return result;
}

// Reads and replays the next case. 1, 0 when there is none, or -errno.
static int
check_case(struct mn_golden_reader *r, struct mn_golden_tally *t, mn_golden_say say, void *arg)
{
	struct mn_golden_case golden = { 0 };
	struct comparison c = { .golden = &golden, .name = r->name, .say = say, .arg = arg };
	int got = mn_golden_read(r, &golden);
	int result = got > 0 ? replay(&golden, &c) : got;

	mn_golden_case_clear(&golden);
	if (got <= 0 || result < 0)
		return result;
	if (result == 0)
		t->passed++;
	else
		t->failed++;
	return 1;
}

int
mn_golden_check_stream(FILE *in, const char *name, struct mn_golden_tally *t, mn_golden_say say, void *arg)
{
	struct mn_golden_reader r = { .in = in, .name = name };
	long before = t->passed + t->failed;
	int got;

	do
		got = check_case(&r, t, say, arg);
	while (got > 0);
	if (got == 0 && t->passed + t->failed == before)
		got = mn_golden_fail(&r, -EBADMSG, "%s:%ld: expected case, got the end of the file", name,
		                     r.number + 1);
	if (got < 0)
		say(arg, r.error ? r.error : "out of memory");
	mn_golden_reader_clear(&r);
	return got;
}

int
mn_golden_check(const char *path, struct mn_golden_tally *t, mn_golden_say say, void *arg)
{
	FILE *in = fopen(path, "re");
	int err = -errno;
	char *line;

	if (in) {
		err = mn_golden_check_stream(in, path, t, say, arg);
		fclose(in);
		return err;
	}
	line = text("%s: cannot be opened: %s", path, strerror(-err));
	say(arg, line ? line : "out of memory");
	free(line);
	return err;
}
