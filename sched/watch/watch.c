// SPDX-License-Identifier: MIT
// watch.c: what is switched on for a run.
#include "sched/watch/watch.h"

#include "sched/core/scheduler.h"

int
mn_watch_start(void)
{
	struct sched *s = &mn_sched;

	if (s->options.schedtrace_ms > 0) {
		mn_schedtrace_start();
		s->on_sysmon = mn_schedtrace_tick;
	}
	return s->options.sample_us > 0 ? mn_sampler_start() : 0;
}

int
mn_watch_stop(void)
{
	int sampled = mn_sched.options.sample_us > 0 ? mn_sampler_stop() : 0;
	int kept = mn_stats_keep();

	return kept ? kept : sampled;
}
