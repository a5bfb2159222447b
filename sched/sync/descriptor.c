// SPDX-License-Identifier: MIT
// descriptor.c: a descriptor's life between its first use and its close.
//
// A call in progress is counted in the descriptor's state; close keeps newcomers out, wakes those who wait, and gives the number
// back only when the last call has left: a read that was about to begin must not meet the next file of that number.
#include <errno.h>

#include "sched/core/park.h"
#include "sched/mn.h"
#include "sched/sync/netpoll.h"

// ---- Calls in progress

// Counts one in, who may bring DESC_CLOSING along. -ECANCELED: it is being closed.
static int
come_in(struct poll_desc *d, uint32_t closing)
{
	uint32_t s = load_relaxed(&d->state);

	for (;;) {
		if (unlikely(s & DESC_FREEING)) {
			// Its closer is in close(), which gives the number back early but may linger.
			mn_yield();
			cpu_pause();
			s = load_relaxed(&d->state);
		} else if (unlikely(s & DESC_CLOSING)) {
			return -ECANCELED;
		} else if (cas_seq_cst(&d->state, &s, (s | closing) + 1)) { // NP1: closing; NP6: what came before
			return 0;
		}
	}
}

void
mn_desc_leave(struct poll_desc *d)
{
	// NP6: what the calls did comes before the close; the last one finds the closer, who left before.
	if (unlikely(sub_acq_rel(&d->state, 1) - 1 == DESC_CLOSING))
		mn_ready(d->closer);
}

static int
add(struct poll_desc *d, int fd)
{
	int error = mn_netpoll_add(d, fd);

	if (error == -EPERM) {
		store_release(&d->kind, POLL_FILE); // NP7
		return 0;
	}
	if (!error && (error = mn_os_dont_block(fd)))
		mn_netpoll_remove(fd);
	if (!error)
		store_release(&d->kind, mn_os_is_socket(fd) ? POLL_SOCKET : POLL_STREAM); // NP7
	return error;
}

static int
make_known(struct poll_desc *d, int fd)
{
	int error = 0;

	turn_take(&d->setting);
	if (load_relaxed(&d->kind) == POLL_UNKNOWN)
		error = add(d, fd);
	turn_give(&d->setting);
	return error;
}

// Of whatever fd stands for; *d is there even while it is being closed.
static int
find(int fd, struct poll_desc **d)
{
	int error;

	if (mn_id() == 0)
		return -EPERM;
	if (fd < 0)
		return -EBADF;
	error = mn_netpoll_open();
	if (error)
		return error;
	*d = mn_netpoll_desc(fd);
	return *d ? 0 : -ENOMEM;
}

int
mn_desc_enter(int fd, struct poll_desc **d)
{
	int error = find(fd, d);

	if (error)
		return error;
	mn_check();
	error = come_in(*d, 0);
	if (!error && unlikely(load_acquire(&(*d)->kind) == POLL_UNKNOWN)) { // NP7
		error = make_known(*d, fd);
		if (error)
			mn_desc_leave(*d);
	}
	return error;
}

// ---- Deadlines

// A timer that fires late, after its deadline was moved or its descriptor closed, finds that out here.
static void
expire(void *arg)
{
	struct poll_side *side = arg;
	bool due;

	lock(&side->lock);
	due = side->deadline != 0 && side->deadline <= mn_os_now();
	if (due)
		store_seq_cst(&side->expired, 1); // NP1
	unlock(&side->lock);
	if (due)
		mn_netpoll_give_up(side);
}

static void
note_deadline(struct poll_side *side, int64_t at, bool past)
{
	lock(&side->lock);
	side->deadline = at;
	store_seq_cst(&side->expired, past); // NP1
	unlock(&side->lock);
}

static void
set_deadline(struct poll_side *side, int64_t at)
{
	int64_t now = mn_os_now();
	bool past = at != 0 && at <= now;

	note_deadline(side, at, past);
	if (past)
		mn_netpoll_give_up(side);
	if (past || at == 0)
		mn_timer_stop(&side->timer);
	else
		mn_timer_start(&side->timer, at - now, 0, expire, side);
}

int
mn_set_deadline(int fd, int64_t read_at, int64_t write_at)
{
	struct poll_desc *d;
	int error = mn_desc_enter(fd, &d);

	if (error)
		return error;
	if (load_relaxed(&d->kind) == POLL_FILE) {
		error = -EOPNOTSUPP;
	} else {
		turn_take(&d->setting);
		set_deadline(&d->side[POLL_READ], read_at);
		set_deadline(&d->side[POLL_WRITE], write_at);
		turn_give(&d->setting);
	}
	mn_desc_leave(d);
	return error;
}

// ---- Closing

static bool
commit_close(struct g *g, void *arg)
{
	struct poll_desc *d = arg;

	(void)g;
	return sub_acq_rel(&d->state, 1) - 1 != DESC_CLOSING; // NP6
}

static void
wait_until_alone(struct poll_desc *d)
{
	if (load_acquire(&d->state) == DESC_CLOSING + 1) // NP6
		return;
	d->closer = mn_self_g();
	mn_park(commit_close, d, WAIT_FD);
}

static void
forget(struct poll_desc *d, int fd)
{
	if (load_relaxed(&d->kind) >= POLL_STREAM)
		mn_netpoll_remove(fd);
	add_relaxed(&d->generation, 1);
	for (int i = 0; i < POLL_DIRS; i++) {
		struct poll_side *side = &d->side[i];

		if (side->deadline)
			mn_timer_stop(&side->timer);
		note_deadline(side, 0, false);
		store_relaxed(&side->word, POLL_NIL);
	}
	store_relaxed(&d->kind, POLL_UNKNOWN);
}

int
mn_close(int fd)
{
	struct poll_desc *d;
	int error = find(fd, &d);

	if (error)
		return error;
	if (come_in(d, DESC_CLOSING))
		return -EBADF;
	for (int i = 0; i < POLL_DIRS; i++)
		mn_netpoll_give_up(&d->side[i]);
	wait_until_alone(d);
	forget(d, fd);
	store_relaxed(&d->state, DESC_FREEING);
	mn_syscall_enter();
	error = mn_os_close(fd);
	mn_syscall_exit();
	store_release(&d->state, 0); // NP6
	return error;
}
