// SPDX-License-Identifier: MIT
// crew.c: starts all members or none, as goroutines or as threads, and adds up what they have done.
#include "workloads/crew.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/mn.h"
#include "workloads/threads.h"
#include "workloads/work.h"

int
crew_setup(struct workload_run *run, const struct crew_plan *plan, long n, size_t extra)
{
	struct crew *crew = malloc(sizeof(*crew));

	if (!crew)
		return -ENOMEM;
	*crew = (struct crew){ .run = run, .plan = plan, .n = n };
	crew->part = calloc((size_t)n, sizeof(*crew->part));
	crew->extra = calloc(1, extra);
	if (!crew->part || !crew->extra) {
		free(crew->part);
		free(crew->extra);
		free(crew);
		return -ENOMEM;
	}
	run->state = crew;
	work_ensure_rate();
	return 0;
}

void
crew_teardown(struct workload_run *run)
{
	struct crew *crew = run->state;

	free(crew->part);
	free(crew->extra);
	free(crew);
	run->state = NULL;
}

struct crew *
crew_begin(struct workload_run *run, bool in_goroutines)
{
	struct crew *crew = run->state;

	crew->in_goroutines = in_goroutines;
	memset(crew->part, 0, (size_t)crew->n * sizeof(*crew->part));
	return crew;
}

static void
tell(const struct workload_run *run, const char *what, int error)
{
	fprintf(stderr, "workload %s: %s: %s\n", run->workload->name, what, strerror(-error));
}

void
crew_collect(struct workload_run *run)
{
	struct crew *crew = run->state;
	int error = 0;

	run->result = (struct workload_result){ 0 };
	for (long i = 0; i < crew->n; i++) {
		run->result.tasks += crew->part[i].tasks;
		run->result.checksum += crew->part[i].sum;
		if (!error)
			error = crew->part[i].error;
	}
	if (error)
		tell(run, "a member failed", error);
}

// ---- Goroutines

struct gate {
	struct crew *crew;
	struct mn_wait_group closed, working;
	bool called_off; // written before the gate opens
	struct goroutine *goroutine;
};

struct goroutine {
	struct gate *gate;
	long i;
};

static void
enter(void *arg)
{
	struct goroutine *g = arg;
	struct gate *gate = g->gate;

	mn_wait_group_wait(&gate->closed);
	if (!gate->called_off)
		gate->crew->plan->member(gate->crew, g->i);
	mn_wait_group_done(&gate->working);
}

static int
start(struct gate *gate, long i)
{
	gate->goroutine[i] = (struct goroutine){ .gate = gate, .i = i };
	mn_wait_group_add(&gate->working, 1);
	int error = mn_go(enter, &gate->goroutine[i]);

	if (error)
		mn_wait_group_done(&gate->working);
	return error;
}

static int
run_goroutines(struct crew *crew)
{
	struct gate gate = { .crew = crew, .goroutine = malloc((size_t)crew->n * sizeof(*gate.goroutine)) };
	int error = gate.goroutine ? 0 : -ENOMEM;

	mn_wait_group_add(&gate.closed, 1);
	for (long i = 0; i < crew->n && !error; i++)
		error = start(&gate, i);
	gate.called_off = error != 0;
	mn_wait_group_done(&gate.closed);
	mn_wait_group_wait(&gate.working);
	free(gate.goroutine);
	return error;
}

// ---- Threads

struct thread_gate {
	struct crew *crew;
	pthread_mutex_t lock; // held until all have been started
	bool called_off;      // (l)
};

struct thread {
	struct thread_gate *gate;
	pthread_t id;
	long i;
};

static void *
enter_thread(void *arg)
{
	struct thread *t = arg;

	pthread_mutex_lock(&t->gate->lock);
	bool called_off = t->gate->called_off;

	pthread_mutex_unlock(&t->gate->lock);
	if (!called_off)
		t->gate->crew->plan->member(t->gate->crew, t->i);
	return NULL;
}

// Returns how many were started.
static long
start_threads(struct thread_gate *gate, struct thread *t, int *error)
{
	pthread_attr_t attr;
	long n = 0;

	*error = pthread_attr_init(&attr);
	if (*error)
		return 0;
	pthread_attr_setstacksize(&attr, (size_t)THREADS_STACK_KB * 1024); // refused: the default, which is only more
	for (; n < gate->crew->n && !*error; n += !*error) {
		t[n] = (struct thread){ .gate = gate, .i = n };
		*error = pthread_create(&t[n].id, &attr, enter_thread, &t[n]);
	}
	pthread_attr_destroy(&attr);
	return n;
}

static int
run_threads(struct crew *crew)
{
	struct thread_gate gate = { .crew = crew, .lock = PTHREAD_MUTEX_INITIALIZER };
	struct thread *t = crew->n <= CREW_THREADS_MAX ? malloc((size_t)crew->n * sizeof(*t)) : NULL;
	int error;

	if (!t)
		return crew->n <= CREW_THREADS_MAX ? -ENOMEM : -EAGAIN;
	pthread_mutex_lock(&gate.lock);
	long n = start_threads(&gate, t, &error);

	gate.called_off = error != 0;
	pthread_mutex_unlock(&gate.lock);
	while (n > 0)
		pthread_join(t[--n].id, NULL);
	free(t);
	return -error;
}

// ---- Runs

static int
run_crew(struct workload_run *run, bool in_goroutines)
{
	struct crew *crew = crew_begin(run, in_goroutines);
	int error = crew->plan->open(crew);

	if (!error) {
		error = in_goroutines ? run_goroutines(crew) : run_threads(crew);
		crew->plan->close(crew);
	}
	crew_collect(run);
	return error;
}

void
crew_main(struct workload_run *run)
{
	int error = run_crew(run, true);

	if (error)
		tell(run, "could not be started", error);
}

int
crew_threads(struct workload_run *run)
{
	return run_crew(run, false);
}
