// SPDX-License-Identifier: MIT
// progress.c: see progress.h.
//
// A log that is read afterwards wants few lines, so plain lines come at most every PLAIN_EVERY_NS, and only at the end
// of a block's round.
#include "experiments/mnlab/progress.h"
#include "experiments/mnlab/estimate.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static const int64_t plain_every_ns = INT64_C(10000000000);

static int64_t
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

void
progress_begin(struct progress *p, long done, long total)
{
	const char *term = getenv("TERM");

	*p = (struct progress){ .done = done, .total = total, .told_ns = now_ns() };
	p->terminal = isatty(2) && (!term || strcmp(term, "dumb"));
}

// "412 of 2352 (17 %), 2 failed, 3 tainted, 8 min 3 s left"
static void
figures(const struct progress *p, double left_ns, char *text, size_t size)
{
	char left[64], failed[48] = "", tainted[48] = "";

	estimate_text(left_ns, left, sizeof left);
	if (p->failed)
		snprintf(failed, sizeof failed, ", %ld failed", p->failed);
	if (p->tainted)
		snprintf(tainted, sizeof tainted, ", %ld tainted", p->tainted);
	snprintf(text, size, "%ld of %ld (%ld %%)%s%s, %s left", p->done, p->total,
	         p->total ? 100 * p->done / p->total : 100, failed, tainted, left);
}

static void
wipe(struct progress *p)
{
	if (p->drawn)
		fputs("\r\033[K", stderr);
	p->drawn = false;
}

void
progress_show(struct progress *p, const char *what, double left_ns)
{
	char text[512], line[1200];
	struct winsize w = { .ws_col = 80 };

	if (!p->terminal)
		return;
	if (ioctl(2, TIOCGWINSZ, &w) || w.ws_col < 20)
		w.ws_col = 80;
	figures(p, left_ns, text, sizeof text);
	snprintf(line, sizeof line, "%s  %s", text, what);
	fprintf(stderr, "\r%.*s\033[K", w.ws_col - 1, line);
	fflush(stderr);
	p->drawn = true;
}

void
progress_block(struct progress *p, const char *block, long round, double left_ns)
{
	char text[512];

	if (p->terminal || now_ns() - p->told_ns < plain_every_ns)
		return;
	figures(p, left_ns, text, sizeof text);
	fprintf(stderr, "%s; round %ld of %s\n", text, round + 1, block);
	p->told_ns = now_ns();
}

void
progress_note(struct progress *p, const char *format, ...)
{
	va_list args;

	wipe(p);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

void
progress_end(struct progress *p)
{
	wipe(p);
	fflush(stderr);
}
