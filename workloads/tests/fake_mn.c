// SPDX-License-Identifier: MIT
// fake_mn.c: the calls of mn.h that the workloads make, without a scheduler. Linked before libmn, it replaces it.
#include "workloads/tests/fake_mn.h"

#include <errno.h>
#include <string.h>

#include "sched/mn.h"
#include "workloads/tests/check.h"

struct fake_mn fake;

void
fake_reset(int procs)
{
	memset(&fake, 0, sizeof(fake));
	fake.procs = procs;
}

static bool
start(mn_fn fn, void *arg)
{
	int call = fake.gos++;

	check(!fake.in_bracket, "a start in a system call");
	fake.gos_on_p[fake.p]++;
	fake.gos_at_depth[fake.depth < 3 ? fake.depth : 3]++;
	if (call >= fake.fail_from && call < fake.fail_to) {
		fake.goes_failed++;
		return false;
	}
	fake.depth++;
	fn(arg);
	fake.depth--;
	return true;
}

int
mn_go(mn_fn fn, void *arg)
{
	return start(fn, arg) ? 0 : -ENOMEM;
}

struct mn_task {
	bool joined;
};

struct mn_task *
mn_spawn(mn_fn fn, void *arg)
{
	struct mn_task *t = malloc(sizeof(*t));

	check(t, "malloc");
	*t = (struct mn_task){ .joined = false };
	if (!start(fn, arg)) {
		free(t);
		return NULL;
	}
	fake.unjoined++;
	return t;
}

void
mn_join(struct mn_task *t)
{
	check(!t->joined, "joined twice");
	t->joined = true;
	fake.unjoined--;
	free(t);
}

void
mn_yield(void)
{
	fake.yields++;
	if (fake.moves)
		fake.p = (fake.p + 1) % fake.procs;
}

void
mn_check(void)
{
	fake.checks++;
}

int
mn_p(void)
{
	return fake.p;
}

int
mn_num_procs(void)
{
	return fake.procs;
}

static void
enter(void)
{
	check(!fake.in_bracket, "a system call in a system call");
	fake.in_bracket = 1;
}

static void
leave(int *count)
{
	check(fake.in_bracket, "exit without enter");
	fake.in_bracket = 0;
	++*count;
}

void
mn_syscall_enter(void)
{
	enter();
}

void
mn_syscall_exit(void)
{
	leave(&fake.syscalls);
}

void
mn_blocking_enter(void)
{
	enter();
}

void
mn_blocking_exit(void)
{
	leave(&fake.blockings);
}

void
mn_wait_group_add(struct mn_wait_group *w, int n)
{
	check(n > 0, "add %d", n);
	w->opaque[0] += (uint64_t)n;
	fake.unwaited += !w->opaque[1];
	w->opaque[1] = 1;
	fake.unfinished += (unsigned long)n;
}

void
mn_wait_group_done(struct mn_wait_group *w)
{
	check(w->opaque[0] > 0, "negative counter");
	w->opaque[0]--;
	fake.unfinished--;
}

void
mn_wait_group_wait(struct mn_wait_group *w)
{
	check(w->opaque[0] == 0, "%llu tasks would never end", (unsigned long long)w->opaque[0]);
	fake.waits++;
	fake.unwaited -= w->opaque[1] != 0;
	w->opaque[1] = 0;
}

void
mn_sleep(int64_t ns)
{
	check(!fake.in_bracket, "asleep in a system call");
	fake.sleeps++;
	fake.now_ns += ns - fake.short_sleeps;
}

int64_t
mn_now(void)
{
	return fake.now_ns;
}

int
mn_timer_after(struct mn_timer *t, int64_t delay, mn_fn fn, void *arg)
{
	bool waits = delay > INT64_C(60) * 1000 * 1000 * 1000;

	check(delay >= 0, "a delay of %lld ns", (long long)delay);
	fake.timers++;
	t->opaque[0] = waits;
	if (!waits) {
		fake.now_ns += delay;
		fn(arg);
	}
	return 0;
}

bool
mn_timer_stop(struct mn_timer *t)
{
	bool waited = t->opaque[0];

	t->opaque[0] = 0;
	return waited && !fake.lost_timers;
}

// What follows waits for others, which takes a scheduler.
static _Noreturn void
not_here(const char *call)
{
	fprintf(stderr, "%s: the fake runtime has no such call\n", call);
	exit(1);
}

struct mn_chan *
mn_chan_new(size_t elem_size, size_t capacity)
{
	(void)elem_size, (void)capacity;
	not_here("mn_chan_new");
}

void
mn_chan_free(struct mn_chan *c)
{
	(void)c;
	not_here("mn_chan_free");
}

bool
mn_chan_send(struct mn_chan *c, const void *value)
{
	(void)c, (void)value;
	not_here("mn_chan_send");
}

bool
mn_chan_recv(struct mn_chan *c, void *value)
{
	(void)c, (void)value;
	not_here("mn_chan_recv");
}

void
mn_chan_close(struct mn_chan *c)
{
	(void)c;
	not_here("mn_chan_close");
}

void
mn_mutex_lock(struct mn_mutex *m)
{
	(void)m;
	not_here("mn_mutex_lock");
}

void
mn_mutex_unlock(struct mn_mutex *m)
{
	(void)m;
	not_here("mn_mutex_unlock");
}

int
mn_accept(int fd, void *addr, uint32_t *size)
{
	(void)fd, (void)addr, (void)size;
	not_here("mn_accept");
}

int
mn_connect(int fd, const void *addr, uint32_t size)
{
	(void)fd, (void)addr, (void)size;
	not_here("mn_connect");
}

intptr_t
mn_read(int fd, void *buf, size_t n)
{
	(void)fd, (void)buf, (void)n;
	not_here("mn_read");
}

intptr_t
mn_write(int fd, const void *buf, size_t n)
{
	(void)fd, (void)buf, (void)n;
	not_here("mn_write");
}

int
mn_close(int fd)
{
	(void)fd;
	not_here("mn_close");
}
