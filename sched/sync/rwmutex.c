// SPDX-License-Identifier: MIT
// rwmutex.c: many readers or one writer; a writer that waits keeps new readers out.
//
// One word counts the readers, those who wait included. A writer takes MANY off it, which makes it negative: readers that
// come from then on queue, and what it was before is the number of those the writer has to wait for. These are counted down
// in a second word, by the readers that leave and see it negative; the writer adds their number to it. Whoever brings that
// word to zero, reader or writer, knows that the last reader has gone. A mutex keeps writers apart.
#include "sched/core/park.h"
#include "sched/sync/mutex.h"
#include "sched/sync/sema.h"

enum { MANY = 1 << 30 };

struct rwmutex {
	struct mn_mutex writers; // held by the writer, from before it waits for readers
	// (a) RW1: a writer's acquire sees what departed readers did, a reader's what the last writer did.
	_Atomic int32_t readers; // inside or waiting; less MANY while a writer waits or is inside
	_Atomic int32_t leaving; // (a) RW2: readers that the writer waits for
	_Atomic uint32_t reader_sema, writer_sema;
};

_Static_assert(sizeof(struct rwmutex) <= sizeof(struct mn_rwmutex), "struct mn_rwmutex has room for it");

static struct rwmutex *
rw_of(struct mn_rwmutex *m)
{
	return (struct rwmutex *)m->opaque;
}

// ---- Readers

void
mn_rwmutex_read_lock(struct mn_rwmutex *public)
{
	struct rwmutex *m = rw_of(public);

	if (add_acq_rel(&m->readers, 1) < 0) // RW1: was it so before, it is so now
		mn_sema_acquire(&m->reader_sema, false, WAIT_RWMUTEX_READ);
}

bool
mn_rwmutex_try_read_lock(struct mn_rwmutex *public)
{
	struct rwmutex *m = rw_of(public);
	int32_t n = load_relaxed(&m->readers);

	while (n >= 0)
		if (cas_acquire(&m->readers, &n, n + 1)) // RW1
			return true;
	return false;
}

// A writer waits or is inside.
static NOINLINE void
leave_writer_waiting(struct rwmutex *m, int32_t readers)
{
	if (readers + 1 == 0 || readers + 1 == -MANY)
		mn_throw("sync: RUnlock of unlocked RWMutex");
	if (sub_acq_rel(&m->leaving, 1) == 1) // RW2
		mn_sema_release(&m->writer_sema, false);
}

void
mn_rwmutex_read_unlock(struct mn_rwmutex *public)
{
	struct rwmutex *m = rw_of(public);
	int32_t readers = sub_acq_rel(&m->readers, 1) - 1; // RW1

	if (unlikely(readers < 0))
		leave_writer_waiting(m, readers);
}

// ---- Writers

void
mn_rwmutex_lock(struct mn_rwmutex *public)
{
	struct rwmutex *m = rw_of(public);
	int32_t inside;

	mn_mutex_lock(&m->writers);
	inside = sub_acq_rel(&m->readers, MANY); // RW1: from here on readers queue
	// RW2: below zero before, if some of them have left already.
	if (inside != 0 && add_acq_rel(&m->leaving, inside) + inside != 0)
		mn_sema_acquire(&m->writer_sema, false, WAIT_RWMUTEX_WRITE);
}

bool
mn_rwmutex_try_lock(struct mn_rwmutex *public)
{
	struct rwmutex *m = rw_of(public);
	int32_t none = 0;

	if (!mn_mutex_try_lock(&m->writers))
		return false;
	if (cas_acquire(&m->readers, &none, -MANY)) // RW1
		return true;
	mn_mutex_unlock(&m->writers);
	return false;
}

void
mn_rwmutex_unlock(struct mn_rwmutex *public)
{
	struct rwmutex *m = rw_of(public);
	int32_t waiting = add_acq_rel(&m->readers, MANY); // RW1: from here on readers go in

	if (waiting >= 0)
		mn_throw("sync: Unlock of unlocked RWMutex");
	for (waiting += MANY; waiting > 0; waiting--)
		mn_sema_release(&m->reader_sema, false);
	mn_mutex_unlock(&m->writers);
}
