// SPDX-License-Identifier: MIT
// plot_gotrace.c: reads Go's schedtrace lines:
//
//	SCHED 65ms: gomaxprocs=4 idleprocs=0 .. runqueue=517 [ 216 126 127 4 ] schedticks=[ 7 6 2 2 ]
//
// Fields are found by name, not by place: Go has added some over the years (needspinning, schedticks), and may again.
// GOMAXPROCS may change in the middle of a trace (a program sets it after its start), so lines of another count are
// passed over, but a list that contradicts its own line's count is an error.
#include "experiments/mnlab/plot_trace.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct reader {
	struct trace *t;
	const char *path;
	size_t number; // of the line
	bool marked;   // the file has BEGIN and END lines
	bool inside, done;
	char *err;
	size_t size;
};

static int
complain(const struct reader *r, const char *what)
{
	snprintf(r->err, r->size, "%s:%zu: not a schedtrace line: %s", r->path, r->number, what);
	return -EBADMSG;
}

// The whole number after " name=", or -1.
static long
field(const char *line, const char *name)
{
	char key[32], *end;
	const char *at;
	long v;

	snprintf(key, sizeof(key), " %s=", name);
	at = strstr(line, key);
	if (!at)
		return -1;
	at += strlen(key);
	v = strtol(at, &end, 10);
	return end == at || v < 0 || v > 1 << 30 ? -1 : v;
}

// The list in the first brackets after runqueue= into len[1..]; the count of it, or -1.
static int
queues(const char *line, int *len)
{
	const char *at = strstr(line, " runqueue=");
	int n = 0;

	at = at ? strchr(at, '[') : NULL;
	if (!at)
		return -1;
	for (at++; *(at += strspn(at, " ")) != ']';) {
		char *end;
		long v = strtol(at, &end, 10);
		if (end == at || v < 0 || v > 1 << 30 || n == TRACE_PROCS_MAX)
			return -1;
		len[++n] = (int)v;
		at = end;
	}
	return n;
}

static int
take(struct reader *r, const char *line)
{
	int len[TRACE_PROCS_MAX + 1];
	char *end;
	long ms = strtol(line + strlen("SCHED "), &end, 10), procs = field(line, "gomaxprocs"),
	     global = field(line, "runqueue");
	int n;

	if (strncmp(end, "ms:", 3) || ms < 0)
		return complain(r, "\"SCHED <n>ms:\" expected");
	if (procs < 1 || global < 0)
		return complain(r, "gomaxprocs= and runqueue= expected");
	if (procs != r->t->procs)
		return 0;
	n = queues(line, len);
	if (n != r->t->procs)
		return complain(r, "as many queue lengths in [ ] as gomaxprocs says expected");
	len[0] = (int)global;
	if (!r->inside)
		r->t->n = 0; // of what came before the load, the last line stays: from there the queues rise
	if (r->t->n && (double)ms < r->t->ms[r->t->n - 1])
		return complain(r, "time runs backwards");
	return trace_add(r->t, (double)ms, len);
}

static int
read_line(struct reader *r, const char *line)
{
	if (r->marked && !strncmp(line, "BEGIN rep 1", 11))
		r->inside = true;
	else if (r->marked && !strncmp(line, "END rep 1", 9))
		r->done = true;
	else if (!r->done && !strncmp(line, "SCHED ", 6))
		return take(r, line);
	return 0;
}

static bool
has_marks(FILE *f)
{
	char *line = NULL;
	size_t room = 0;
	bool found = false;

	while (!found && getline(&line, &room, f) > 0)
		found = !strncmp(line, "BEGIN rep 1", 11);
	free(line);
	rewind(f);
	return found;
}

static int
read_all(struct reader *r, FILE *f)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t n;
	int rc = 0;

	while (!rc && (n = getline(&line, &room, f)) > 0 && line[n - 1] == '\n') {
		r->number++;
		rc = read_line(r, line);
	}
	free(line);
	return rc;
}

int
trace_read_schedtrace(struct trace *t, const char *path, int procs, char *err, size_t size)
{
	struct reader r = { .t = t, .path = path, .err = err, .size = size };
	FILE *f = fopen(path, "re");
	int rc;

	trace_init(t, procs);
	if (!f) {
		snprintf(err, size, "%s: %s", path, strerror(errno));
		return -errno;
	}
	r.marked = has_marks(f);
	r.inside = !r.marked;
	rc = read_all(&r, f);
	fclose(f);
	if (!rc && !trace_loaded(t)) {
		snprintf(err, size, "%s: no schedtrace line with gomaxprocs=%d and a queue that is not empty", path,
		         procs);
		rc = -ENODATA;
	}
	if (rc)
		trace_free(t);
	else
		trace_start_at_load(t);
	return rc;
}
