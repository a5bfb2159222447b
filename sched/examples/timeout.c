// SPDX-License-Identifier: MIT
// timeout.c: waiting for an answer, but not for ever: a select between the answer's channel and one that a timer feeds.
#include <stdio.h>

#include "sched/mn.h"

static const int64_t ms = 1000000;

// A channel that gets a value when its time has come.
struct alarm {
	struct mn_timer timer;
	struct mn_chan *ringing;
};

static void
ring(void *arg)
{
	struct alarm *a = arg;
	char nothing = 0;

	mn_chan_send(a->ringing, &nothing); // there is room for it: does not block
}

// Runs on a scheduler stack, where nothing may block: a goroutine does the rest.
static void
fire(void *alarm)
{
	mn_go(ring, alarm);
}

// What came first: the answer (true), or the end of the time. The alarm is not seen again: it rings at most once.
static bool
receive_within(struct mn_chan *answers, int *answer, struct alarm *a, int64_t ns)
{
	struct mn_case cases[] = {
		{ .kind = MN_CASE_RECV, .chan = answers, .value = answer },
		{ .kind = MN_CASE_RECV, .chan = a->ringing },
	};

	mn_timer_after(&a->timer, ns, fire, a);
	int chosen = mn_select(cases, 2, true);

	mn_timer_stop(&a->timer);
	return chosen == 0;
}

static void
answer(void *answers)
{
	int n = 42;

	mn_chan_send(answers, &n);
}

static void
ask(struct mn_chan *answers, const char *whom, struct alarm *a, int64_t ns)
{
	int n;

	if (receive_within(answers, &n, a, ns))
		printf("%s: %d\n", whom, n);
	else
		printf("%s: no answer in time\n", whom);
}

static void
start(void *status)
{
	// Zeroed, a timer is ready; it must stay where it is while it runs.
	static struct alarm early, late;
	struct mn_chan *answers = mn_chan_new(sizeof(int), 0);

	early.ringing = mn_chan_new(sizeof(char), 1);
	late.ringing = mn_chan_new(sizeof(char), 1);
	if (!answers || !early.ringing || !late.ringing) {
		*(int *)status = 1;
		return;
	}
	ask(answers, "somebody who is not there", &early, 20 * ms);
	if (mn_go(answer, answers) == 0)
		ask(answers, "somebody who is there", &late, 60 * 1000 * ms);
	mn_chan_free(early.ringing);
	mn_chan_free(late.ringing);
	mn_chan_free(answers);
}

int
main(void)
{
	int status = 0;

	return mn_run(NULL, start, &status) ? 1 : status;
}
