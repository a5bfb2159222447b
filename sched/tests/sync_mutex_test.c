// SPDX-License-Identifier: MIT
// sync_mutex_test: mutual exclusion, the two modes and the way from one to the other, and that nobody starves. Opens
// sched/sync/mutex.h for the bits of the word: waiting for them makes each step happen at any speed of the machine.
#include "sched/sync/mutex.h"

#include <string.h>

#include "sched/core/park.h"
#include "sched/os/os.h"
#include "sched/tests/rig.h"

static const int procs[] = { 1, 2, 4 };

static struct mn_mutex m;

static uint32_t
word(void)
{
	return load_relaxed(&mutex_of(&m)->state);
}

// Waits, letting others run, until the word holds n waiters and exactly these bits.
static void
until_word(uint32_t n, uint32_t bits)
{
	while (word() != n * MUTEX_WAITER + bits)
		mn_yield();
}

static void
burn(int64_t ns)
{
	for (int64_t end = mn_os_now() + ns; mn_os_now() < end;)
		cpu_pause();
}

enum { STARVING_NS = 1000000 }; // mutex.c's

// ---- Mutual exclusion

enum { HAMMERS = 10, BLOWS = 10000 / RIG_SLOWER };

static int blows, inside, tried; // plain: the mutex guards them
static _Atomic int missed;

static void
blow(int i)
{
	blows++;
	EXPECT_EQ(++inside, 1);
	if (i % 64 == 0)
		mn_yield();
	inside--;
}

static void
hammer(void *unused)
{
	(void)unused;
	for (int i = 0; i < BLOWS; i++) {
		if (i % 3 == 0 && !mn_mutex_try_lock(&m)) {
			add_relaxed(&missed, 1);
			continue;
		}
		if (i % 3 == 0)
			tried++;
		else
			mn_mutex_lock(&m);
		blow(i);
		mn_mutex_unlock(&m);
	}
}

static void
start_hammers(void *unused)
{
	(void)unused;
	for (int i = 0; i < HAMMERS; i++)
		mn_go(hammer, NULL);
}

static void
test_mutex(void)
{
	static const char *const options[] = { "procs=1",
		                               "procs=2",
		                               "procs=4",
		                               "procs=4 runnext=off yield_to=local",
		                               "procs=2 queue=global",
		                               "procs=4 steal=all slice_us=100" };

	for (size_t i = 0; i < array_len(options); i++) {
		blows = tried = 0;
		store_relaxed(&missed, 0);
		EXPECT_EQ(rig_run(options[i], start_hammers, NULL), 0);
		EXPECT_EQ(blows + load_relaxed(&missed), HAMMERS * BLOWS);
		EXPECT_EQ(tried + load_relaxed(&missed), HAMMERS * ((BLOWS + 2) / 3));
		EXPECT_EQ(word(), 0);
		EXPECT_EQ(load_relaxed(&mutex_of(&m)->sema), 0);
	}
}

static void
try_lock(void *unused)
{
	(void)unused;
	mn_mutex_lock(&m);
	EXPECT(!mn_mutex_try_lock(&m));
	mn_mutex_unlock(&m);
	EXPECT(mn_mutex_try_lock(&m));
	EXPECT(!mn_mutex_try_lock(&m));
	mn_mutex_unlock(&m);
}

static void
test_try_lock(void)
{
	EXPECT_EQ(rig_run("procs=1", try_lock, NULL), 0);
}

// ---- Normal mode, step by step on one P

static char trail[64];

static void
mark(char c)
{
	trail[strlen(trail)] = c;
}

static void
lock_and_mark(void *arg)
{
	mn_mutex_lock(&m);
	mark(*(const char *)arg);
	mn_mutex_unlock(&m);
}

// Goroutines named by the letters queue one after the other.
static void
queue_up(const char *letters, uint32_t bits)
{
	for (uint32_t n = word() / MUTEX_WAITER; *letters; letters++) {
		mn_go(lock_and_mark, (void *)(uintptr_t)letters);
		until_word(++n, bits);
	}
}

static void
expect_trail(mn_fn fn, const char *want)
{
	memset(trail, 0, sizeof(trail));
	EXPECT_EQ(rig_run("procs=1 preempt=off", fn, NULL), 0);
	EXPECT(strcmp(trail, want) == 0);
	if (strcmp(trail, want) != 0)
		fprintf(stderr, "got %s, expected %s\n", trail, want);
	EXPECT_EQ(word(), 0);
}

// The one that unlocks may lock again: who was woken for it finds it taken.
static void
barge(void *unused)
{
	(void)unused;
	mn_mutex_lock(&m);
	queue_up("ab", MUTEX_LOCKED);
	mn_mutex_unlock(&m);
	EXPECT_EQ(word(), MUTEX_WAITER + MUTEX_WOKEN);
	mn_mutex_lock(&m);
	mark('m');
	EXPECT_EQ(word(), MUTEX_WAITER + MUTEX_WOKEN + MUTEX_LOCKED);
	mn_mutex_unlock(&m); // one is awake already: wakes nobody
	EXPECT_EQ(word(), MUTEX_WAITER + MUTEX_WOKEN);
}

static void
test_normal_mode_lets_newcomers_barge(void)
{
	expect_trail(barge, "mab");
}

// a is woken, loses, and still gets its turn before b, which came later.
static void
lose_once(void *unused)
{
	(void)unused;
	mn_mutex_lock(&m);
	queue_up("ab", MUTEX_LOCKED);
	mn_mutex_unlock(&m);
	mn_mutex_lock(&m);
	while (word() & MUTEX_WOKEN)
		mn_yield();
	EXPECT_EQ(word() / MUTEX_WAITER, 2);
	mark('m');
	mn_mutex_unlock(&m);
}

static void
test_a_waiter_that_loses_goes_back_to_the_front(void)
{
	expect_trail(lose_once, "mab");
}

// ---- Starvation mode

// Unlocks when the first waiter has waited too long, and locks again before it can: it switches the mode. Held on return.
static void
starve_first_waiter(uint32_t waiters)
{
	burn(2 * STARVING_NS);
	mn_mutex_unlock(&m);
	mn_mutex_lock(&m);
	until_word(waiters, MUTEX_LOCKED | MUTEX_STARVING);
}

static void
hand_over(void *unused)
{
	(void)unused;
	mn_mutex_lock(&m);
	queue_up("a", MUTEX_LOCKED);
	starve_first_waiter(1);
	queue_up("bc", MUTEX_LOCKED | MUTEX_STARVING);
	mn_mutex_unlock(&m); // a runs at once, in our slice, and hands over to b, and b to c
	mark('m');
	EXPECT_EQ(word(), 0);
}

static void
test_starvation_mode_hands_over_in_order(void)
{
	expect_trail(hand_over, "abcm");
}

// Between hands the mutex is not locked, yet newcomers do not get it.
static bool took, then_locked;

static void
look_between_hands(struct mutex *mutex)
{
	uint32_t saved = load_relaxed(&mutex->state);

	store_relaxed(&mutex->state, saved & ~(uint32_t)MUTEX_LOCKED); // as unlock does, before it wakes the first
	took = mn_mutex_try_lock(&m);
	store_relaxed(&mutex->state, saved);
}

static void
newcomers(void *unused)
{
	(void)unused;
	mn_mutex_lock(&m);
	queue_up("a", MUTEX_LOCKED);
	starve_first_waiter(1);
	look_between_hands(mutex_of(&m));
	mn_mutex_unlock(&m);
	then_locked = mn_mutex_try_lock(&m); // a was the last: back to normal
	mn_mutex_unlock(&m);
}

static void
test_starvation_mode_refuses_newcomers(void)
{
	took = true;
	then_locked = false;
	expect_trail(newcomers, "a");
	EXPECT(!took);
	EXPECT(then_locked);
}

// One that has not waited for long takes the mutex back to normal, though others wait behind it.
static void
lock_and_look(void *arg)
{
	mn_mutex_lock(&m);
	mark(word() & MUTEX_STARVING ? 'S' : 'N');
	mark(*(const char *)arg);
	mn_mutex_unlock(&m);
}

static void
back_to_normal(void *unused)
{
	static const char name = 'b';
	struct mutex *mutex = mutex_of(&m);

	(void)unused;
	// The mode without anybody who has waited for long, so that no clock decides.
	mn_mutex_lock(&m);
	mn_go(lock_and_look, (void *)(uintptr_t)&name);
	until_word(1, MUTEX_LOCKED);
	queue_up("cd", MUTEX_LOCKED);
	store_relaxed(&mutex->state, word() | MUTEX_STARVING);
	mn_mutex_unlock(&m);
}

static void
test_a_short_wait_ends_starvation_mode(void)
{
	// A machine that stops for 1 ms in between makes the wait a long one, and the mode stays: tried again until it did not.
	for (int i = 0; i < 1000; i++) {
		memset(trail, 0, sizeof(trail));
		memset(&m, 0, sizeof(m));
		EXPECT_EQ(rig_run("procs=1 preempt=off", back_to_normal, NULL), 0);
		if (trail[0] == 'N')
			break;
	}
	EXPECT(strcmp(trail, "Nbcd") == 0);
}

// ---- Fairness: one that holds the lock nearly all the time cannot keep another out. How often it gets in while the other
// waits has a bound that knows no time: each hold takes HOLD_NS at least, the other tries once in each, and when it has
// waited for STARVING_NS it is next.

enum { HOLD_NS = 200000, TURNS = 10, BOUND = STARVING_NS / HOLD_NS + 4 };

static struct {
	int turns;      // the other's
	int seen;       // of these, by the holder
	int in_a_row;   // holds that ended while the other waited, since its last turn
	int worst, sum; // of these
	bool over;
} fair; // guarded by m

static void
count_hold(void)
{
	if (fair.turns != fair.seen)
		fair.in_a_row = 0;
	fair.seen = fair.turns;
	if (word() < MUTEX_WAITER)
		return;
	fair.sum++;
	if (++fair.in_a_row > fair.worst)
		fair.worst = fair.in_a_row;
}

static void
hold_and_hold(void *unused)
{
	bool over;

	(void)unused;
	do {
		mn_mutex_lock(&m);
		// The other comes, or, woken by the last unlock, tries and fails, before the next.
		do
			mn_yield();
		while (word() & MUTEX_WOKEN);
		burn(HOLD_NS);
		count_hold();
		over = fair.over;
		mn_mutex_unlock(&m);
	} while (!over);
}

static void
take_turns(void *unused)
{
	(void)unused;
	mn_go(hold_and_hold, NULL);
	for (int i = 0; i < TURNS; i++) {
		mn_yield();
		mn_mutex_lock(&m);
		fair.turns++;
		fair.over = i == TURNS - 1;
		mn_mutex_unlock(&m);
	}
}

static void
test_mutex_fairness(void)
{
	for (size_t i = 0; i < array_len(procs); i++) {
		memset(&fair, 0, sizeof(fair));
		EXPECT_EQ(rig_run_at("procs=%d", procs[i], take_turns, NULL), 0);
		EXPECT_EQ(fair.turns, TURNS);
		EXPECT(fair.worst <= BOUND);
		EXPECT(procs[i] > 1 || fair.sum >= TURNS); // on one P the two do meet
		fprintf(stderr, "  procs=%d: at most %d holds before a turn, %d in all\n", procs[i], fair.worst,
		        fair.sum);
	}
}

int
main(void)
{
	RUN(test_mutex);
	RUN(test_try_lock);
	RUN(test_normal_mode_lets_newcomers_barge);
	RUN(test_a_waiter_that_loses_goes_back_to_the_front);
	RUN(test_starvation_mode_hands_over_in_order);
	RUN(test_starvation_mode_refuses_newcomers);
	RUN(test_a_short_wait_ends_starvation_mode);
	RUN(test_mutex_fairness);
	return test_result();
}
