// SPDX-License-Identifier: MIT
// sync_stress_test: locks and conditions under contention, with plain data behind them: what a lock fails to order shows as a
// wrong sum, as an item seen twice, or under ThreadSanitizer as a race. Each load runs under several policies; the seed is
// printed. Opens sched/base/rng.h.
#include <stdlib.h>
#include <string.h>

#include "sched/base/rng.h"
#include "sched/tests/rig.h"

static uint64_t seed;
static _Atomic int wrong;

static const char churning[] = "procs=4 slice_us=200"; // with GOMAXPROCS changing

static const char *const policies[] = {
	"procs=1",
	"procs=2",
	"procs=4",
	"procs=2 preempt=off steal=one",
	"procs=4 runnext=off yield_to=local",
	"procs=4 steal=all slice_us=100 global_tick=3",
	"procs=2 queue=global",
	"procs=4 local_cap=4 spin_us=0",
	churning,
};

// n goroutines run fn; their arguments are the numbers 0..n-1. churn: one more changes GOMAXPROCS all the while.
enum { CROWD_MAX = 64 };

static struct {
	mn_fn fn;
	int n;
	bool churn;
	_Atomic int left;
	int number[CROWD_MAX];
} crowd;

static void
member(void *number)
{
	crowd.fn(number);
	sub_acq_rel(&crowd.left, 1);
}

static void
churn_procs(void *unused)
{
	(void)unused;
	for (int i = 0; load_relaxed(&crowd.left) > 0; i++) {
		mn_procs(1 + i % 4);
		for (int n = 0; n < 50; n++)
			mn_yield();
	}
}

static void
start_crowd(void *unused)
{
	(void)unused;
	if (crowd.churn)
		mn_go(churn_procs, NULL);
	for (int i = 0; i < crowd.n; i++) {
		crowd.number[i] = i;
		mn_go(member, &crowd.number[i]);
	}
}

// The caller's own generator: another stream for each goroutine.
static struct rng
own_rng(const void *number)
{
	struct rng r;

	rng_seed(&r, seed, (uint64_t) * (const int *)number);
	return r;
}

static void
run_under(const char *policy, mn_fn fn, int n)
{
	crowd.fn = fn;
	crowd.n = n;
	crowd.churn = policy == churning;
	store_relaxed(&crowd.left, n);
	EXPECT_EQ(rig_run(policy, start_crowd, NULL), 0);
	EXPECT_EQ(load_relaxed(&crowd.left), 0);
}

// ---- A bank: money moves between accounts, each behind a mutex of its own; auditors find the same sum always

enum { ACCOUNTS = 8, CLERKS = 24, TRANSFERS = 20000 / RIG_SLOWER, MONEY = 1000 };

static struct account {
	struct mn_mutex mutex;
	int64_t money;
} account[ACCOUNTS];

static void
audit(void)
{
	int64_t sum = 0;

	for (int i = 0; i < ACCOUNTS; i++)
		mn_mutex_lock(&account[i].mutex);
	for (int i = 0; i < ACCOUNTS; i++)
		sum += account[i].money;
	for (int i = ACCOUNTS; i-- > 0;)
		mn_mutex_unlock(&account[i].mutex);
	if (sum != ACCOUNTS * MONEY)
		add_relaxed(&wrong, 1);
}

// In order of address, as everybody. The second may be had without waiting, or not.
static void
transfer(uint32_t from, uint32_t to, int64_t amount, bool yield)
{
	struct account *low = &account[from < to ? from : to], *high = &account[from < to ? to : from];

	mn_mutex_lock(&low->mutex);
	if (yield)
		mn_yield();
	if (!mn_mutex_try_lock(&high->mutex))
		mn_mutex_lock(&high->mutex);
	account[from].money -= amount;
	account[to].money += amount;
	mn_mutex_unlock(&low->mutex);
	mn_mutex_unlock(&high->mutex);
}

static void
clerk(void *number)
{
	struct rng r = own_rng(number);

	for (int i = 0; i < TRANSFERS; i++) {
		uint32_t from = rng_below(&r, ACCOUNTS), to = rng_below(&r, ACCOUNTS);

		if (from != to)
			transfer(from, to, rng_below(&r, 100), rng_below(&r, 16) == 0);
		if (i % 256 == 0)
			audit();
	}
}

static void
test_bank(void)
{
	for (size_t i = 0; i < array_len(policies); i++) {
		memset(account, 0, sizeof(account));
		for (int a = 0; a < ACCOUNTS; a++)
			account[a].money = MONEY;
		run_under(policies[i], clerk, CLERKS);
		for (int a = 0; a < ACCOUNTS; a++)
			EXPECT_EQ(account[a].mutex.opaque[0], 0);
	}
}

// ---- One mutex, held now for nothing, now for long: waiters grow old, the mode goes to and fro

enum { OLD = 12, SECTIONS = 10000 / RIG_SLOWER };

static struct mn_mutex hot;
static int64_t hot_count;

static void
hold_hot(void *number)
{
	struct rng r = own_rng(number);

	for (int i = 0; i < SECTIONS; i++) {
		mn_mutex_lock(&hot);
		hot_count++;
		for (uint32_t n = rng_below(&r, 200) == 0 ? 50 : rng_below(&r, 2); n > 0; n--)
			mn_yield();
		mn_mutex_unlock(&hot);
	}
}

static void
test_hot_mutex(void)
{
	for (size_t i = 0; i < array_len(policies); i++) {
		hot_count = 0;
		run_under(policies[i], hold_hot, OLD);
		EXPECT_EQ(hot_count, (int64_t)OLD * SECTIONS);
		EXPECT_EQ(hot.opaque[0], 0);
	}
}

// ---- Bounded buffers: every item arrives once

enum { SLOTS = 4, MAKERS = 4, EATERS = 4, ITEMS = 10000 / RIG_SLOWER, ALL_ITEMS = MAKERS * ITEMS };

static struct {
	struct mn_mutex mutex;
	int slot[SLOTS], first, n;
	struct mn_sem room, filled;         // one way to wait
	struct mn_cond not_full, not_empty; // the other
} buffer;

static _Atomic uint8_t arrived[ALL_ITEMS];

static void
reset_buffer(void)
{
	memset(&buffer, 0, sizeof(buffer));
	memset((void *)arrived, 0, sizeof(arrived));
}

static void
put_locked(int item)
{
	if (buffer.n >= SLOTS)
		add_relaxed(&wrong, 1);
	buffer.slot[(buffer.first + buffer.n++) % SLOTS] = item;
}

static void
get_locked(void)
{
	int item = buffer.slot[buffer.first];

	if (buffer.n-- <= 0)
		add_relaxed(&wrong, 1);
	buffer.first = (buffer.first + 1) % SLOTS;
	add_relaxed(&arrived[item], 1);
}

static void
make_with_sems(int number)
{
	for (int i = 0; i < ITEMS; i++) {
		mn_sem_acquire(&buffer.room);
		mn_mutex_lock(&buffer.mutex);
		put_locked(number * ITEMS + i);
		mn_mutex_unlock(&buffer.mutex);
		mn_sem_release(&buffer.filled);
	}
}

static void
eat_with_sems(void)
{
	for (int i = 0; i < ITEMS; i++) {
		mn_sem_acquire(&buffer.filled);
		mn_mutex_lock(&buffer.mutex);
		get_locked();
		mn_mutex_unlock(&buffer.mutex);
		mn_sem_release(&buffer.room);
	}
}

static void
make_with_conds(int number)
{
	for (int i = 0; i < ITEMS; i++) {
		mn_mutex_lock(&buffer.mutex);
		while (buffer.n == SLOTS)
			mn_cond_wait(&buffer.not_full, &buffer.mutex);
		put_locked(number * ITEMS + i);
		mn_mutex_unlock(&buffer.mutex);
		mn_cond_signal(&buffer.not_empty);
	}
}

static void
eat_with_conds(void)
{
	for (int i = 0; i < ITEMS; i++) {
		mn_mutex_lock(&buffer.mutex);
		while (buffer.n == 0)
			mn_cond_wait(&buffer.not_empty, &buffer.mutex);
		get_locked();
		mn_cond_signal(&buffer.not_full);
		mn_mutex_unlock(&buffer.mutex);
	}
}

static void
sem_side(void *number)
{
	int n = *(const int *)number;

	if (n == 0)
		for (int i = 0; i < SLOTS; i++)
			mn_sem_release(&buffer.room);
	if (n < MAKERS)
		make_with_sems(n);
	else
		eat_with_sems();
}

static void
cond_side(void *number)
{
	int n = *(const int *)number;

	if (n < MAKERS)
		make_with_conds(n);
	else
		eat_with_conds();
}

static void
check_buffer(mn_fn side)
{
	for (size_t i = 0; i < array_len(policies); i++) {
		reset_buffer();
		run_under(policies[i], side, MAKERS + EATERS);
		EXPECT_EQ(buffer.n, 0);
		for (int item = 0; item < ALL_ITEMS; item++)
			EXPECT_EQ(load_relaxed(&arrived[item]), 1);
	}
}

static void
test_buffer_of_semaphores(void)
{
	check_buffer(sem_side);
}

static void
test_buffer_of_conditions(void)
{
	check_buffer(cond_side);
}

// ---- Readers see what a writer wrote as a whole

enum { PAGES = 3, VISITORS = 24, VISITS = 10000 / RIG_SLOWER };

static struct page {
	struct mn_rwmutex lock;
	int64_t a, b, writes;
} page[PAGES];

static void
write_page(struct page *p, bool slowly)
{
	mn_rwmutex_lock(&p->lock);
	p->writes++;
	p->a = p->writes * 3;
	if (slowly)
		mn_yield();
	p->b = p->writes * 5;
	mn_rwmutex_unlock(&p->lock);
}

static void
read_page(struct page *p, bool slowly)
{
	int64_t writes;

	mn_rwmutex_read_lock(&p->lock);
	writes = p->writes;
	if (slowly)
		mn_yield();
	if (p->a != writes * 3 || p->b != writes * 5)
		add_relaxed(&wrong, 1);
	mn_rwmutex_read_unlock(&p->lock);
}

// Every eighth visit writes.
static void
visit(void *number)
{
	struct rng r = own_rng(number);

	for (int i = 0; i < VISITS; i++) {
		struct page *p = &page[rng_below(&r, PAGES)];
		bool slowly = rng_below(&r, 8) == 0;

		if (i % 8 == *(const int *)number % 8)
			write_page(p, slowly);
		else
			read_page(p, slowly);
	}
}

static void
test_pages(void)
{
	for (size_t i = 0; i < array_len(policies); i++) {
		int64_t writes = 0;

		memset(page, 0, sizeof(page));
		run_under(policies[i], visit, VISITORS);
		for (int p = 0; p < PAGES; p++)
			writes += page[p].writes;
		EXPECT_EQ(writes, VISITORS * VISITS / 8); // 24 visitors: each remainder of 8 as often
	}
}

int
main(int argc, char **argv)
{
	seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1 + (uint64_t)(uintptr_t)&seed / 4096;
	fprintf(stderr, "seed %llu\n", (unsigned long long)seed);
	RUN(test_bank);
	RUN(test_hot_mutex);
	RUN(test_buffer_of_semaphores);
	RUN(test_buffer_of_conditions);
	RUN(test_pages);
	EXPECT_EQ(load_relaxed(&wrong), 0);
	return test_result();
}
