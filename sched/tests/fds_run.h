// SPDX-License-Identifier: MIT
// fds_run.h: a run at several procs that must leave no descriptor and nobody waiting. Opens sched/sync/netpoll.h.
#ifndef SCHED_TESTS_FDS_RUN_H
#define SCHED_TESTS_FDS_RUN_H

#include "sched/sync/netpoll.h"
#include "sched/tests/fds.h"
#include "sched/tests/rig.h"

static inline void
fds_run_everywhere(mn_fn fn)
{
	static const int procs[] = { 1, 2, 4 };
	int before = fds_count();

	for (size_t i = 0; i < array_len(procs); i++) {
		EXPECT_EQ(rig_run_at("procs=%d", procs[i], fn, NULL), 0);
		EXPECT_EQ(fds_count(), before);
		EXPECT_EQ(mn_netpoll_waiters(), 0);
	}
}

// Lets others run until n goroutines wait for the poller.
static inline void
fds_until_waiting(uint32_t n)
{
	while (mn_netpoll_waiters() < n)
		mn_yield();
}

// Lets others run until n calls on fd are in progress, waiting or not.
static inline void
fds_until_used(int fd, uint32_t n)
{
	EXPECT_EQ(mn_netpoll_open(), 0); // as every call does: the table is there
	while (load_relaxed(&mn_netpoll_desc(fd)->state) < n)
		mn_yield();
}

// Who was sent away is counted until just after he runs again.
static inline void
fds_until_quiet(void)
{
	while (mn_netpoll_waiters() > 0)
		mn_yield();
}

#endif
