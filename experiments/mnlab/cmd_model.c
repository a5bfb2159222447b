// SPDX-License-Identifier: MIT
// cmd_model.c: `mnlab model`: the round model in the terminal, round by round, and the check of golden files.
//
// What is shown is taken from the model alone, after the fact: the queues before a round, then the trace that the round
// left behind, which is then forgotten, so that a long run needs no more memory than a short one.
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "experiments/mnlab/mnlab.h"
#include "experiments/mnlab/model_args.h"
#include "experiments/mnlab/model_view.h"
#include "sched/model/arrivals.h"
#include "sched/model/golden.h"
#include "sched/model/model.h"

static int
no_memory(void)
{
	fprintf(stderr, "mnlab model: out of memory\n");
	return MNLAB_FAILED;
}

// ---- Golden files --------------------------------------------------------------------------------------------------

static void
say(void *arg, const char *line)
{
	(void)arg;
	fprintf(stderr, "%s\n", line);
}

static int
check(char *const *file, size_t files)
{
	struct mn_golden_tally t = { 0 };
	size_t unreadable = 0;

	for (size_t i = 0; i < files; i++)
		unreadable += mn_golden_check(file[i], &t, say, NULL) != 0;
	printf("%ld passed, %ld failed", t.passed, t.failed);
	if (unreadable > 0)
		printf(", %zu of %zu file%s not readable to the end", unreadable, files, files == 1 ? "" : "s");
	printf("\n");
	return unreadable > 0 ? MNLAB_USAGE : t.failed > 0 ? MNLAB_FAILED : MNLAB_OK;
}

// ---- Running -------------------------------------------------------------------------------------------------------

struct session {
	const struct model_args *args;
	struct model_view view;
	struct mn_model *model;
	struct mn_arrivals arrivals;
	bool stepping, quit;
};

static int
show_events(const struct session *s)
{
	int err = 0;

	if (s->args->trace)
		err = model_view_trace(&s->view, s->model);
	else
		model_view_words(&s->view, s->model);
	mn_model_forget(s->model);
	return err;
}

// Waits for a line on standard input: q quits, and the end of the input means that nobody is there to wait for.
static void
wait_for_enter(struct session *s)
{
	bool terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
	int first, c;

	if (terminal)
		printf("%sEnter: next round   q: quit   Ctrl-D: run on to the end%s",
		       model_view_color(&s->view, MODEL_DIM), model_view_color(&s->view, MODEL_PLAIN));
	fflush(stdout);
	first = c = getchar();
	while (c != '\n' && c != EOF)
		c = getchar();
	s->quit = first == 'q';
	s->stepping = c != EOF;
	if (terminal && c == EOF)
		printf("\n");
}

// One round: the queues, with what has just arrived, then what happened. 1, 0 when all is done, or -ENOMEM.
static int
show_round(struct session *s)
{
	int64_t round = s->arrivals.round;
	int ran;

	if (mn_arrivals_spawn(&s->arrivals, s->model))
		return -ENOMEM;
	model_view_queues(&s->view, s->model, round);
	ran = mn_arrivals_step(&s->arrivals, s->model);
	if (ran < 0 || show_events(s))
		return -ENOMEM;
	if (ran > 0 && s->arrivals.round != round + 1)
		printf("nothing to do until round %" PRId64 "\n", s->arrivals.round);
	return ran;
}

static int
show_rounds(struct session *s)
{
	int more;

	while ((more = show_round(s)) > 0 && !s->quit) {
		printf("\n");
		if (s->stepping)
			wait_for_enter(s);
		if (s->quit)
			return 0;
	}
	if (more == 0)
		model_view_sum(&s->view, s->model);
	return more;
}

// ---- Golden case ---------------------------------------------------------------------------------------------------

// Prints a line that is to be freed.
static int
print_line(FILE *out, char *line)
{
	if (!line)
		return -ENOMEM;
	fprintf(out, "%s\n", line);
	free(line);
	return 0;
}

static void
print_head(const struct model_args *a)
{
	printf("case run\nprocs %d\nquantum %d\ncap %d\n", a->procs, a->quantum, a->cap);
	for (size_t i = 0; i < a->spawns; i++)
		printf("spawn %d %d %s %d\n", a->spawn[i].round, a->spawn[i].p, a->spawn[i].name, a->spawn[i].work);
}

// Traces go out as they come; the queues, whose lines stand behind them, are kept until then.
static int
print_rounds(struct session *s, FILE *queues)
{
	int more = 1, err = 0;

	while (more > 0 && !err) {
		err = mn_arrivals_spawn(&s->arrivals, s->model);
		if (!err)
			err = print_line(queues, mn_golden_queue_line(s->model));
		more = err ? 0 : mn_arrivals_step(&s->arrivals, s->model);
		if (!err)
			err = model_view_trace(&s->view, s->model);
		mn_model_forget(s->model);
	}
	return err ? err : more;
}

static int
print_results(const struct mn_model *m)
{
	int err = 0;

	for (int p = 0; p < mn_model_procs(m) && !err; p++)
		err = print_line(stdout, mn_golden_ran_line(m, p));
	if (!err)
		err = print_line(stdout, mn_golden_clock_line(m));
	printf("end\n");
	return err;
}

static int
print_case(struct session *s)
{
	char *text = NULL;
	size_t size;
	FILE *queues = open_memstream(&text, &size);
	int err;

	if (!queues)
		return -ENOMEM;
	print_head(s->args);
	err = print_rounds(s, queues);
	if (fclose(queues) != 0)
		err = -ENOMEM;
	if (!err) {
		fputs(text, stdout);
		err = print_results(s->model);
	}
	free(text);
	return err;
}

// ---- The command ---------------------------------------------------------------------------------------------------

static int
add_arrivals(struct session *s)
{
	int err = 0;

	for (size_t i = 0; i < s->args->spawns && !err; i++) {
		const struct model_spawn *one = &s->args->spawn[i];

		err = mn_arrivals_add(&s->arrivals, one->round, one->p, one->name, one->work);
	}
	return err;
}

static int
run(const struct model_args *a)
{
	struct session s = { .args = a, .view = model_view_for(stdout), .stepping = a->step };
	int err;

	s.model = mn_model_new(a->procs, a->quantum, a->cap);
	err = s.model ? add_arrivals(&s) : -ENOMEM;
	if (!err)
		err = a->golden ? print_case(&s) : show_rounds(&s);
	mn_arrivals_clear(&s.arrivals);
	mn_model_free(s.model);
	return err ? no_memory() : MNLAB_OK;
}

int
cmd_model(int argc, char **argv)
{
	struct model_args a;
	int code = model_args_read(&a, argc, argv);

	if (code == MNLAB_OK && !a.help)
		code = a.check ? check(a.file, a.files) : run(&a);
	model_args_clear(&a);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		fprintf(stderr, "mnlab model: cannot write to standard output: %s\n", strerror(errno));
		return code ? code : MNLAB_FAILED;
	}
	return code;
}
