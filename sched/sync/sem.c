// SPDX-License-Identifier: MIT
// sem.c: the counting semaphore for users: the semaphore of sema.h at an address of its own.
#include "sched/mn.h"
#include "sched/sync/sema.h"

_Static_assert(sizeof(_Atomic uint32_t) <= sizeof(struct mn_sem), "struct mn_sem has room for it");

static _Atomic uint32_t *
count_of(struct mn_sem *s)
{
	return (_Atomic uint32_t *)s->opaque;
}

void
mn_sem_acquire(struct mn_sem *s)
{
	mn_sema_acquire(count_of(s), false, WAIT_SEMACQUIRE);
}

bool
mn_sem_try_acquire(struct mn_sem *s)
{
	return mn_sema_try(count_of(s));
}

void
mn_sem_release(struct mn_sem *s)
{
	mn_sema_release(count_of(s), false);
}
