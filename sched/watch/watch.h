// SPDX-License-Identifier: MIT
// watch.h: looking at a running scheduler: counters, schedtrace, queue-length samples. Reads only; takes no lock of the
// scheduler's that a run could feel, and is called by nobody below but through the hooks that api.c sets.
#ifndef SCHED_WATCH_WATCH_H
#define SCHED_WATCH_WATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// Starts what the options of mn_sched ask for; after the Ps exist, before anything runs. 0 or -errno.
int mn_watch_start(void);
// Ends it, keeps the final counters. -EUCLEAN: they contradict each other; -EIO and others: the samples could not be written.
int mn_watch_stop(void);

// stats.c: forgets the last run's counters; keeps this one's, and closes the running scheduler to questions.
void mn_stats_forget(void);
// From now on the running scheduler can be asked, or no longer.
void mn_stats_open(bool open);
int mn_stats_keep(void);

// sampler.c
int mn_sampler_start(void);
int mn_sampler_stop(void);

// schedtrace.c: one line, in exactly Go 1.27's form, of the running scheduler into text[0..size). now in ns.
size_t mn_schedtrace_line(int64_t now, char *text, size_t size);
// The hook that prints one whenever it is due.
void mn_schedtrace_tick(int64_t now);
void mn_schedtrace_start(void);

#endif
