// SPDX-License-Identifier: MIT
// check.c: the end of the process, told in one line.
#include "sched/base/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sched/base/atomic.h"

static void (*hook_now)(void);
static _Atomic int dying;

void
mn_throw_hook(void (*hook)(void))
{
	hook_now = hook;
}

// A second thread that fails while the first is still writing waits for its end: one fatal text a process.
static void
claim(void)
{
	int nobody = 0;

	while (!cas_acquire(&dying, &nobody, 1))
		pause();
}

void
mn_throw(const char *format, ...)
{
	char text[512] = "fatal error: ";
	size_t before = strlen(text), used;
	va_list args;

	claim();
	va_start(args, format);
	vsnprintf(text + before, sizeof(text) - before - 1, format, args);
	va_end(args);
	used = strlen(text);
	text[used++] = '\n';
	// By hand: it may be a signal handler that fails, in the midst of malloc, and dprintf calls that.
	for (ssize_t n, at = 0; at < (ssize_t)used && (n = write(STDERR_FILENO, text + at, used - (size_t)at)) > 0;)
		at += n;
	if (hook_now)
		hook_now();
	_exit(2);
}
