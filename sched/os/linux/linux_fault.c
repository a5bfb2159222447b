// SPDX-License-Identifier: MIT
// linux_fault.c: memory faults, seen on a stack of their own, since the one that faulted may be full.
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sched/os/os.h"

// The frame that the kernel saves for a handler is up to 11 KiB with all of x86's registers.
enum { ALT_STACK = 64 << 10 };

static const int signals[] = { SIGSEGV, SIGBUS };
static struct sigaction before[array_len(signals)];
static bool (*ours)(void *address);

static struct sigaction *
before_of(int signal)
{
	return &before[signal == signals[0] ? 0 : 1];
}

// The system's way of dying, which the fault that happens again meets. One that somebody sent does not happen again.
static void
die(int signal, const siginfo_t *info)
{
	sigaction(signal, before_of(signal), NULL);
	if (info->si_code <= 0)
		raise(signal);
}

// Not ours: whoever was there before.
static void
pass_on(int signal, siginfo_t *info, void *context)
{
	struct sigaction *old = before_of(signal);

	if (old->sa_flags & SA_SIGINFO)
		old->sa_sigaction(signal, info, context);
	else if (old->sa_handler == SIG_IGN && info->si_code <= 0)
		return;
	else if (old->sa_handler == SIG_DFL || old->sa_handler == SIG_IGN)
		die(signal, info);
	else
		old->sa_handler(signal);
}

static void
fault(int signal, siginfo_t *info, void *context)
{
	if (info->si_code <= 0 || !ours(info->si_addr)) // sent by somebody: it has no address
		pass_on(signal, info, context);
}

int
mn_os_catch_faults(bool (*is_ours)(void *address))
{
	struct sigaction action = { .sa_sigaction = fault, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER };

	sigemptyset(&action.sa_mask);
	ours = is_ours;
	for (size_t i = 0; i < array_len(signals); i++)
		if (sigaction(signals[i], &action, &before[i]))
			return -errno;
	return 0;
}

void
mn_os_release_faults(void)
{
	struct sigaction now;

	for (size_t i = 0; i < array_len(signals); i++)
		if (sigaction(signals[i], NULL, &now) == 0 && now.sa_flags & SA_SIGINFO && now.sa_sigaction == fault)
			sigaction(signals[i], &before[i], NULL); // else the host has installed its own meanwhile
}

int
mn_os_alt_stack_enter(struct mn_os_alt_stack *alt)
{
	stack_t own = { .ss_size = ALT_STACK }, old;
	int error;

	alt->at = mn_os_map(ALT_STACK);
	if (!alt->at)
		return -ENOMEM;
	own.ss_sp = alt->at;
	error = sigaltstack(&own, &old) ? -errno : 0;
	alt->old_at = old.ss_sp;
	alt->old_size = old.ss_size;
	alt->old_off = error != 0 || (old.ss_flags & SS_DISABLE) != 0;
	return error;
}

void
mn_os_alt_stack_leave(struct mn_os_alt_stack *alt)
{
	stack_t old = { .ss_sp = alt->old_at, .ss_size = alt->old_size, .ss_flags = alt->old_off ? SS_DISABLE : 0 };

	if (!alt->at)
		return;
	sigaltstack(&old, NULL);
	mn_os_unmap(alt->at, ALT_STACK);
	alt->at = NULL;
}
