// SPDX-License-Identifier: MIT
// chan_duel_test: two goroutines on two threads do one thing each to the same channels, at the same moment, give or take some tens
// of ns; turn after turn, a little earlier or later each time. What does not wait must answer as if it had looked at one moment.
// Opens the internals of channels to see who waits.
//
//	chan_duel_test [SEED]
//
// A fault shows only when both really run at once; with one processor, or a busy machine, there is less to see, and nothing to
// fail.
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "sched/base/rng.h"
#include "sched/tests/chan_rig.h"

enum {
	TURNS = 100000 / RIG_SLOWER,
	NO_MORE = INT_MAX,
	// A turn takes a time slice of the kernel's where there is no processor for both: turns end after this.
	LONG_ENOUGH_NS = 1000000000,
	DELAY_MAX = 1024, // steps of a cycle or so: more than it takes to hear of a turn
	SENDERS = 6,
};

struct duel;

// What happens in a turn. main's part follows prepare; the partner's answer is judged after both.
struct kind {
	void (*prepare)(struct duel *d);
	void (*main)(struct duel *d);
	void (*partner)(struct duel *d);
	bool (*right)(struct duel *d);
	size_t cap1, cap2;
};

struct duel {
	const struct kind *kind;
	struct mn_chan *c1, *c2;
	struct mn_wait_group others;
	int answer[2]; // main's, the partner's
	_Atomic int turn, done;
};

static uint64_t seed;

static void
delay(struct rng *rng)
{
	for (uint32_t n = rng_below(rng, DELAY_MAX); n; n--)
		__asm__ volatile("" ::: "memory");
}

// Gives way after a while, for there may be one P. False: there is no such turn.
static bool
wait_for_turn(_Atomic int *word, int turn)
{
	for (int i = 0; load_acquire(word) < turn; i++)
		if (i > 200)
			mn_yield();
	return load_acquire(word) != NO_MORE;
}

static void
partner(void *arg)
{
	struct duel *d = arg;
	struct rng rng;

	rng_seed(&rng, seed, 1);
	for (int turn = 1; wait_for_turn(&d->turn, turn); turn++) {
		delay(&rng);
		d->kind->partner(d);
		store_release(&d->done, turn);
	}
}

static void
one_turn(struct duel *d, int turn, struct rng *rng)
{
	d->c1 = chan_of_int(d->kind->cap1);
	d->c2 = chan_of_int(d->kind->cap2);
	d->kind->prepare(d);
	store_release(&d->turn, turn);
	delay(rng);
	d->kind->main(d);
	wait_for_turn(&d->done, turn);
	mn_wait_group_wait(&d->others);
	WRONG_UNLESS(d->kind->right(d));
	mn_chan_free(d->c1);
	mn_chan_free(d->c2);
}

static void
duel(void *kind)
{
	struct duel d = { .kind = kind };
	struct mn_task *t = mn_spawn(partner, &d);
	int64_t end = mn_os_now() + LONG_ENOUGH_NS;
	struct rng rng;

	rng_seed(&rng, seed, 2);
	for (int turn = 1; turn <= TURNS && mn_os_now() < end; turn++)
		one_turn(&d, turn, &rng);
	store_release(&d.turn, NO_MORE);
	mn_join(t);
}

static void
run_duel(const struct kind *kind)
{
	chan_run_all(duel, (void *)(uintptr_t)kind);
}

static bool
partner_found_something(struct duel *d)
{
	return d->answer[1] != -EAGAIN;
}

// ---- A value is there until the channel is closed: a receive finds either

static void
put_one(struct duel *d)
{
	send_int(d->c1, 1);
}

static void
close_and_take(struct duel *d)
{
	mn_chan_close(d->c1);
	d->answer[0] = mn_chan_try_recv(d->c1, NULL);
}

static void
try_recv(struct duel *d)
{
	d->answer[1] = mn_chan_try_recv(d->c1, NULL);
}

// One of them gets the value, the other the end.
static bool
value_and_end(struct duel *d)
{
	return d->answer[0] + d->answer[1] == -EPIPE;
}

static void
test_recv_against_close(void)
{
	static const struct kind k = { put_one, close_and_take, try_recv, value_and_end, 1, 0 };

	run_duel(&k);
}

// The value comes, then the end: whoever finds the channel closed finds the value first.
static void
nothing(struct duel *d)
{
	(void)d;
}

static void
put_and_close(struct duel *d)
{
	send_int(d->c1, 1);
	mn_chan_close(d->c1);
}

static bool
not_the_end(struct duel *d)
{
	return d->answer[1] != -EPIPE && mn_chan_len(d->c1) == (d->answer[1] ? 1 : 0);
}

static void
test_recv_against_send_and_close(void)
{
	static const struct kind k = { nothing, put_and_close, try_recv, not_the_end, 1, 0 };

	run_duel(&k);
}

// ---- A receiver waits until the channel is closed: a send finds either

static void
wait_for_value(void *arg)
{
	struct duel *d = arg;

	mn_chan_recv(d->c1, NULL);
	mn_wait_group_done(&d->others);
}

static void
let_one_wait(struct duel *d)
{
	mn_wait_group_add(&d->others, 1);
	mn_go(wait_for_value, d);
	YIELD_UNTIL(chan_receivers(d->c1) == 1);
}

static void
close_it(struct duel *d)
{
	mn_chan_close(d->c1);
}

static void
try_send(struct duel *d)
{
	int v = 1;

	d->answer[1] = mn_chan_try_send(d->c1, &v);
}

static void
test_send_against_close(void)
{
	static const struct kind k = { let_one_wait, close_it, try_send, partner_found_something, 0, 0 };

	run_duel(&k);
}

// ---- A ring that senders keep full is never empty

static void
send_a_value(void *arg)
{
	struct duel *d = arg;

	send_int(d->c1, 1);
	mn_wait_group_done(&d->others);
}

static void
let_senders_wait(struct duel *d)
{
	mn_wait_group_add(&d->others, SENDERS);
	for (int i = 0; i < SENDERS; i++)
		mn_go(send_a_value, d);
	YIELD_UNTIL(chan_senders(d->c1) == SENDERS - 1);
}

// All but one, which is the partner's.
static void
take_most(struct duel *d)
{
	d->answer[0] = 0;
	for (int i = 0; i < SENDERS - 1; i++)
		d->answer[0] |= mn_chan_try_recv(d->c1, NULL);
}

static bool
both_found(struct duel *d)
{
	return d->answer[0] == 0 && d->answer[1] == 0;
}

static void
test_recv_from_full(void)
{
	static const struct kind k = { let_senders_wait, take_most, try_recv, both_found, 1, 0 };

	run_duel(&k);
}

// ---- One of two channels is always ready

static void
fill_second_empty_first(struct duel *d)
{
	send_int(d->c2, 1);
	mn_chan_try_recv(d->c1, NULL);
}

static void
close_second_empty_first(struct duel *d)
{
	mn_chan_close(d->c2);
	mn_chan_try_recv(d->c1, NULL);
}

static void
select_either(struct duel *d)
{
	struct mn_case cases[] = { case_recv(d->c1, NULL), case_recv(d->c2, NULL) };

	d->answer[1] = mn_select(cases, 2, false);
}

static void
test_select_against_two_steps(void)
{
	static const struct kind k = { put_one, fill_second_empty_first, select_either, partner_found_something, 1, 1 };
	static const struct kind k2 = {
		put_one, close_second_empty_first, select_either, partner_found_something, 1, 1
	};

	run_duel(&k);
	run_duel(&k2);
}

int
main(int argc, char **argv)
{
	seed = argc > 1 ? strtoull(argv[1], NULL, 0) : mn_os_entropy();
	fprintf(stderr, "seed %llu\n", (unsigned long long)seed);
	RUN(test_recv_against_close);
	RUN(test_recv_against_send_and_close);
	RUN(test_send_against_close);
	RUN(test_recv_from_full);
	RUN(test_select_against_two_steps);
	return test_result();
}
