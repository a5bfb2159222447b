// SPDX-License-Identifier: MIT
// chan_fatal_test: what ends the process: the text on stderr and status 2.
#include <string.h>
#include <sys/wait.h>

#include "sched/tests/chan_rig.h"

// Runs fn(arg) as goroutine 1 of a child.
static mn_fn child_fn;

static void
child(void)
{
	rig_run("procs=2", child_fn, NULL);
}

static void
expect_fatal(mn_fn fn, const char *text)
{
	static struct rig_end end;

	child_fn = fn;
	rig_fork(child, &end);
	EXPECT(WIFEXITED(end.status) && WEXITSTATUS(end.status) == 2);
	EXPECT(strstr(end.text, "fatal error: "));
	EXPECT(strstr(end.text, text));
	if (!strstr(end.text, text))
		fprintf(stderr, "expected '%s', found '%s'\n", text, end.text);
}

static void
close_twice(void *unused)
{
	struct mn_chan *c = chan_of_int(1);

	(void)unused;
	mn_chan_close(c);
	mn_chan_close(c);
}

static void
close_null(void *unused)
{
	(void)unused;
	mn_chan_close(NULL);
}

static void
receive(void *c)
{
	recv_int(c);
}

static void
free_in_use(void *unused)
{
	struct mn_chan *c = chan_of_int(1);

	(void)unused;
	mn_go(receive, c);
	YIELD_UNTIL(chan_receivers(c) == 1);
	mn_chan_free(c);
}

static void
free_chan(void *c)
{
	YIELD_UNTIL(chan_senders(c) == 1);
	mn_chan_free(c);
}

static void
free_with_sender(void *unused)
{
	struct mn_chan *c = chan_of_int(0);
	int v = 0;
	struct mn_case cases[] = { case_send(c, &v), case_send(NULL, &v) };

	(void)unused;
	mn_go(free_chan, c);
	mn_select(cases, 2, true);
}

static void
test_misuse(void)
{
	expect_fatal(close_twice, "close of closed channel\n");
	expect_fatal(close_null, "close of nil channel\n");
	expect_fatal(free_in_use, "free of a channel that goroutines wait for\n");
	expect_fatal(free_with_sender, "free of a channel that goroutines wait for\n");
}

// ---- Deadlocks

static void
send_to_null(void *unused)
{
	int v = 1;

	(void)unused;
	mn_chan_send(NULL, &v);
}

static void
receive_from_null(void *unused)
{
	(void)unused;
	recv_int(NULL);
}

static void
select_nothing(void *unused)
{
	(void)unused;
	mn_select(NULL, 0, true);
}

static void
select_null_channels(void *unused)
{
	struct mn_case cases[3] = { { .chan = NULL } };

	(void)unused;
	mn_select(cases, 3, true);
}

static void
select_one_null_channel(void *unused)
{
	struct mn_case one = { .kind = MN_CASE_SEND };

	(void)unused;
	mn_select(&one, 1, true);
}

static void
receive_alone(void *unused)
{
	struct mn_chan *c = chan_of_int(1);

	(void)unused;
	recv_int(c);
}

static void
send_alone(void *unused)
{
	struct mn_chan *c = chan_of_int(0);

	(void)unused;
	send_int(c, 1);
}

static void
select_itself(void *unused)
{
	struct mn_chan *c = chan_of_int(0);
	int v = 1, w;
	struct mn_case cases[] = { case_send(c, &v), case_recv(c, &w) };

	(void)unused;
	mn_select(cases, 2, true);
}

static void
test_deadlocks(void)
{
	static const mn_fn fns[] = { send_to_null,  receive_from_null, select_nothing, select_null_channels,
		                     receive_alone, send_alone,        select_itself,  select_one_null_channel };

	for (size_t i = 0; i < array_len(fns); i++)
		expect_fatal(fns[i], "all goroutines are asleep - deadlock!");
}

static void
test_reasons_have_gos_words(void)
{
	EXPECT(!strcmp(mn_wait_reason_name(WAIT_CHAN_SEND), "chan send"));
	EXPECT(!strcmp(mn_wait_reason_name(WAIT_CHAN_RECV), "chan receive"));
	EXPECT(!strcmp(mn_wait_reason_name(WAIT_CHAN_SEND_NIL), "chan send (nil chan)"));
	EXPECT(!strcmp(mn_wait_reason_name(WAIT_CHAN_RECV_NIL), "chan receive (nil chan)"));
	EXPECT(!strcmp(mn_wait_reason_name(WAIT_SELECT), "select"));
	EXPECT(!strcmp(mn_wait_reason_name(WAIT_SELECT_NO_CASES), "select (no cases)"));
}

int
main(void)
{
	RUN(test_misuse);
	RUN(test_deadlocks);
	RUN(test_reasons_have_gos_words);
	return test_result();
}
