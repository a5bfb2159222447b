// SPDX-License-Identifier: MIT
// mncell_faults.c: faults for mncell's test, which a sound scheduler and sound workloads never show.
//
// The test's mncell is compiled with the names of four calls turned to those below; MNCELL_FAULT says which one goes
// wrong. Without it they do what the real ones do.
#undef mn_run
#undef mn_stats_check
#undef workload_find
#undef workload_verify

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/mn.h"
#include "workloads/workload.h"

int faulty_run(const struct mn_options *o, mn_fn fn, void *arg);
int faulty_stats_check(char *why, size_t size);
const struct workload *faulty_find(const char *name);
int faulty_verify(const struct workload_run *r, char *err, size_t size);

static bool
fault(const char *name)
{
	const char *wanted = getenv("MNCELL_FAULT");

	return wanted && !strcmp(wanted, name);
}

int
faulty_run(const struct mn_options *o, mn_fn fn, void *arg)
{
	int error;

	if (fault("no-threads"))
		return -EAGAIN;
	error = mn_run(o, fn, arg);
	return fault("unclean") ? -EUCLEAN : error;
}

int
faulty_stats_check(char *why, size_t size)
{
	if (!fault("law"))
		return mn_stats_check(why, size);
	snprintf(why, size, "spawned 3, finished 2");
	return -EUCLEAN;
}

int
faulty_verify(const struct workload_run *r, char *err, size_t size)
{
	struct workload_run wrong = *r;

	if (fault("checksum"))
		wrong.result.checksum ^= 1;
	return workload_verify(&wrong, err, size);
}

static int
refuse(struct workload_run *r)
{
	(void)r;
	return -ENOMEM;
}

const struct workload *
faulty_find(const char *name)
{
	static struct workload changed;
	const struct workload *w = workload_find(name);

	if (!w)
		return NULL;
	changed = *w;
	if (fault("setup"))
		changed.setup = refuse;
	if (fault("threads"))
		changed.threads = refuse;
	if (fault("no-threads-form"))
		changed.threads = NULL;
	if (fault("evloop"))
		changed.evloop = refuse;
	return &changed;
}
