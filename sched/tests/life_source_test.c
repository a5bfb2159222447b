// SPDX-License-Identifier: MIT
// life_source_test: who sleeps for timers and I/O: that somebody does whenever there is something to sleep for, and that all know.
// Opens internals, to be a poller whose events are made here. What goes wrong here waits for ever.
#include <string.h>

#include "sched/core/scheduler.h"
#include "sched/tests/rig.h"

static const int64_t hour = (int64_t)3600 * 1000000000;

static struct {
	struct note bed;
	_Atomic int blocked; // polls that could sleep
	_Atomic uint32_t waiters;
	void (*during)(void); // of a poll that may not block
	bool late;            // somebody else polls while one decides to lie down
} poller;

static uint32_t
waiters(void)
{
	struct sched *s = &mn_sched;
	int64_t last = load_relaxed(&s->lastpoll);

	if (poller.late && last != 0 && mn_m() && !m_p(mn_m()))
		cas_relaxed(&s->lastpoll, &last, last + 1);
	return load_relaxed(&poller.waiters);
}

static uint32_t
poll_nothing(struct g **out, uint32_t max, int64_t timeout)
{
	(void)out;
	(void)max;
	if (timeout == 0) {
		if (mn_m() && poller.during) // sysmon polls too
			poller.during();
		return 0;
	}
	add_relaxed(&poller.blocked, 1);
	note_sleep(&poller.bed, timeout);
	return 0;
}

static void
interrupt(void)
{
	note_wake(&poller.bed);
}

static void
forget(void)
{
	memset(&poller, 0, sizeof(poller));
}

static const struct poll_source source = { waiters, poll_nothing, interrupt, forget };

static void
nothing(void *unused)
{
	(void)unused;
}

static void
await_a_sleeper(void)
{
	RIG_WAIT_UNTIL(load_acquire(&mn_sched.lastpoll) == 0);
}

// It lies on the note, and must move to the poller.
static void
register_while_one_sleeps(void *unused)
{
	struct mn_timer t = { 0 };

	EXPECT_EQ(mn_timer_after(&t, hour, nothing, unused), 0);
	await_a_sleeper();
	RIG_WAIT_UNTIL(load_acquire(&mn_sched.poll_bed.word) == NOTE_ASLEEP);
	mn_source_poller(&source);
	RIG_WAIT_UNTIL(load_acquire(&poller.blocked) > 0);
	EXPECT(mn_timer_stop(&t));
}

static void
test_the_sleeper_moves_to_a_new_poller(void)
{
	for (int i = 0; i < 20; i++)
		EXPECT_EQ(rig_run("procs=2 preempt=off", register_while_one_sleeps, NULL), 0);
}

// Nobody waits for I/O yet; but who sleeps for a timer does so where I/O that is begun later will be seen.
static void
sleep_before_any_io(void *unused)
{
	struct mn_timer t = { 0 };

	mn_source_poller(&source);
	EXPECT_EQ(mn_timer_after(&t, hour, nothing, unused), 0);
	RIG_WAIT_UNTIL(load_acquire(&poller.blocked) > 0);
	EXPECT(mn_timer_stop(&t));
}

static void
test_timers_are_slept_for_in_the_poller(void)
{
	for (int i = 0; i < 20; i++)
		EXPECT_EQ(rig_run("procs=2 preempt=off", sleep_before_any_io, NULL), 0);
}

static struct mn_timer started_meanwhile;

static void
let_one_lie_down(void)
{
	poller.during = NULL;
	EXPECT_EQ(mn_timer_after(&started_meanwhile, hour, nothing, NULL), 0);
	await_a_sleeper();
}

// Whoever polled in passing must not hide that somebody has lain down meanwhile.
static void
poll_in_passing(void *unused)
{
	(void)unused;
	memset(&started_meanwhile, 0, sizeof(started_meanwhile));
	store_relaxed(&poller.waiters, 1);
	poller.during = let_one_lie_down;
	mn_source_poller(&source);
	while (poller.during)
		EXPECT(mn_poll_nonblocking() == NULL);
	EXPECT_EQ(load_acquire(&mn_sched.lastpoll), 0);
	EXPECT(mn_timer_stop(&started_meanwhile));
}

static void
test_a_poll_in_passing_hides_no_sleeper(void)
{
	for (int i = 0; i < 20; i++)
		EXPECT_EQ(rig_run("procs=2 preempt=off", poll_in_passing, NULL), 0);
}

// The time of the last poll changes between the look and the taking of the role.
static void
poll_beside_who_lies_down(void *unused)
{
	poller.late = true;
	store_relaxed(&poller.waiters, 1);
	mn_source_poller(&source);
	mn_go(nothing, unused); // wakes somebody, who then finds nothing else
	RIG_WAIT_UNTIL(load_acquire(&poller.blocked) > 0);
}

static void
test_the_role_is_taken_though_somebody_polled(void)
{
	for (int i = 0; i < 20; i++)
		EXPECT_EQ(rig_run("procs=2 preempt=off", poll_beside_who_lies_down, NULL), 0);
}

int
main(void)
{
	RUN(test_the_sleeper_moves_to_a_new_poller);
	RUN(test_timers_are_slept_for_in_the_poller);
	RUN(test_a_poll_in_passing_hides_no_sleeper);
	RUN(test_the_role_is_taken_though_somebody_polled);
	return test_result();
}
