// SPDX-License-Identifier: MIT
// sampler.c: the length of every queue, every sample_us, without a lock. A thread of its own keeps the samples in memory and
// writes them when the run is over, as lines of numbers under a head: t_us, global, p0, p1, ..
#include "sched/watch/watch.h"

#include <errno.h>
#include <stdlib.h>

#include "sched/core/scheduler.h"
#include "sched/core/note.h"

enum { SAMPLER_STACK = 256 << 10, ROWS_FIRST = 1024 };

static struct {
	struct mn_os_thread thread;
	struct note bed;
	_Atomic uint32_t stop;
	uint64_t *row;     // rows of 2 + nprocs numbers: t_us, global, p0 ..
	uint32_t ps;       // GOMAXPROCS at the start: later changes do not make rows of another width
	size_t used, room; // rows
	bool full;         // no memory for more: the file ends early, and stop says so
} sampler;

static size_t
columns(void)
{
	return 2 + sampler.ps;
}

static bool
make_room(void)
{
	size_t room = sampler.room ? sampler.room * 2 : ROWS_FIRST;
	uint64_t *row;

	if (sampler.used < sampler.room)
		return true;
	row = realloc(sampler.row, room * columns() * sizeof(*row));
	if (!row)
		return false;
	sampler.row = row;
	sampler.room = room;
	return true;
}

static void
sample(int64_t now)
{
	struct sched *s = &mn_sched;
	uint64_t *row;

	if (!make_room()) {
		sampler.full = true;
		return;
	}
	row = sampler.row + sampler.used++ * columns();
	row[0] = (uint64_t)(now - s->started) / 1000;
	row[1] = globq_len(&s->globq);
	for (uint32_t i = 0; i < sampler.ps; i++)
		row[2 + i] = runq_len_seen(&s->allp[i].runq);
}

static void
sampler_main(void *unused)
{
	int64_t period = (int64_t)mn_sched.options.sample_us * 1000;
	int64_t next = mn_os_now();

	(void)unused;
	mn_os_sleep_precisely();
	while (!load_acquire(&sampler.stop) && !sampler.full) {
		int64_t now = mn_os_now();

		if (now >= next) {
			sample(now);
			// What was missed is not made up for: times are in the rows.
			next = now + period - (now - next) % period;
		}
		note_sleep(&sampler.bed, next - mn_os_now() > 0 ? next - mn_os_now() : 0);
	}
}

int
mn_sampler_start(void)
{
	store_relaxed(&sampler.stop, 0);
	sampler.used = 0;
	sampler.ps = num_ps();
	sampler.full = false;
	return mn_os_thread_start(&sampler.thread, sampler_main, NULL, SAMPLER_STACK);
}

static int
write_rows(FILE *f)
{
	fprintf(f, "t_us\tglobal");
	for (uint32_t i = 0; i < sampler.ps; i++)
		fprintf(f, "\tp%u", i);
	fputc('\n', f);
	for (size_t r = 0; r < sampler.used; r++)
		for (size_t c = 0; c < columns(); c++)
			fprintf(f, "%llu%c", (unsigned long long)sampler.row[r * columns() + c],
			        c + 1 < columns() ? '\t' : '\n');
	return ferror(f) ? -EIO : 0;
}

int
mn_sampler_stop(void)
{
	FILE *f;
	int error;

	store_release(&sampler.stop, 1);
	note_wake(&sampler.bed);
	mn_os_thread_join(&sampler.thread);
	f = fopen(mn_sched.options.sample_file, "we");
	error = f ? write_rows(f) : -errno;
	if (f && fclose(f) && !error)
		error = -errno;
	if (sampler.full && !error)
		error = -ENOMEM;
	free(sampler.row);
	sampler.row = NULL;
	sampler.room = 0;
	return error;
}
