// SPDX-License-Identifier: MIT
// fake_mn.h: stands in for libmn in tests of the workloads themselves. A goroutine runs at once, to its end, inside the
// mn_go or mn_spawn that starts it; these can be made to fail; yields can be made to move the caller round the Ps; all is
// counted.
#ifndef WORKLOADS_TESTS_FAKE_MN_H
#define WORKLOADS_TESTS_FAKE_MN_H

struct fake_mn {
	// What the test sets.
	int procs;        // Ps, at least 1
	int moves;        // 1: mn_yield moves the caller to the next P
	int fail_from;    // the starts from this one on, counted from 0, fail for want of memory ...
	int fail_to;      // ... up to this one, exclusive
	int short_sleeps; // 1: mn_sleep is over 1 ns too early
	int lost_timers;  // 1: mn_timer_stop finds none

	// What it reads.
	int p, depth;            // where the caller is; goroutines on its stack
	int gos, goes_failed;    // starts: calls of mn_go and mn_spawn, and those that failed
	int unjoined;            // handles of mn_spawn that mn_join has not had
	int yields, checks;      // calls of mn_yield, mn_check
	int syscalls, blockings; // brackets closed
	long long
	        now_ns; // mn_now: moved on by mn_sleep, and by a timer that fires: at once, if it is due within a minute
	int sleeps, timers;       // calls of mn_sleep, mn_timer_after
	int in_bracket;           // 1 between enter and exit
	int gos_on_p[64];         // starts by P
	int gos_at_depth[4];      // starts by depth of the caller (the last: deeper)
	int waits;                // calls of mn_wait_group_wait
	unsigned long unfinished; // sum over all wait groups
	int unwaited;             // wait groups that got work and were not waited for since
};

extern struct fake_mn fake;

// All zero but for the number of Ps.
void fake_reset(int procs);

#endif
