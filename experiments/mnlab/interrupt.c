// SPDX-License-Identifier: MIT
// interrupt.c: the signals stay blocked except inside ppoll, so that none can come between a test and a wait.
#include "experiments/mnlab/interrupt.h"

#include <stddef.h>

static volatile sig_atomic_t got;
static sigset_t before;
static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

static void
note(int signal)
{
	got = signal;
}

void
interrupt_init(void)
{
	struct sigaction act = { .sa_handler = note }, old;
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
		sigaction(signals[i], NULL, &old);
		if (old.sa_handler == SIG_IGN)
			continue;
		sigaction(signals[i], &act, NULL);
		sigaddset(&set, signals[i]);
	}
	sigprocmask(SIG_BLOCK, &set, &before);
	signal(SIGPIPE, SIG_IGN); // a reader of our output that goes away must not cost the run
}

bool
interrupted(void)
{
	sigset_t pending;

	if (got)
		return true;
	sigpending(&pending); // came since the last wait
	for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
		if (sigismember(&pending, signals[i]))
			return true;
	return false;
}

const sigset_t *
interrupt_mask(void)
{
	return &before;
}
