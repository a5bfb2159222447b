// SPDX-License-Identifier: MIT
// model_words.c: the events of the round model in words, one line for each P's turn:
//
//	P1     steals 3 from P0, runs B for 2, B is done
//	P2-P7  idle
//
// An event is a phrase, and a line is only ever broken between two phrases.
#include "experiments/mnlab/model_view.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sched/model/golden.h"
#include "sched/model/model.h"

struct line {
	const struct model_view *view;
	int indent; // of phrases: behind the label
	int column; // 0: at the beginning
	bool empty; // no phrase is in it yet
};

static void
begin(struct line *l, const char *label)
{
	l->column = fprintf(l->view->out, "%-*s", l->indent, label);
	l->empty = true;
}

static void
end(struct line *l)
{
	if (l->column > 0)
		fputc('\n', l->view->out);
	l->column = 0;
}

__attribute__((format(printf, 4, 5))) static void
phrase(struct line *l, const char *comma, enum model_color color, const char *format, ...)
{
	char text[128];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (!l->empty)
		l->column += fprintf(l->view->out, "%s", comma);
	if (!l->empty && l->column + 1 + n + 1 > l->view->width) // and the comma behind it
		l->column = fprintf(l->view->out, "\n%*s", l->indent, "") - 1;
	else if (!l->empty)
		l->column += fprintf(l->view->out, " ");
	l->column += n;
	l->empty = false;
	if (color == MODEL_PLAIN)
		fputs(text, l->view->out);
	else
		fprintf(l->view->out, "%s%s%s", model_view_color(l->view, color), text,
		        model_view_color(l->view, MODEL_PLAIN));
}

// `again`: the event before it, in the same line, was of the same kind.
static void
tell(struct line *l, const struct mn_model *m, const struct mn_model_event *e, bool again)
{
	switch (e->kind) {
	case MN_MODEL_SPAWN:
		phrase(l, again ? "" : ",", MODEL_PLAIN, again ? "%s" : "gets %s", mn_model_name(m, e->who));
		break;
	case MN_MODEL_SPILL:
		phrase(l, ",", MODEL_CYAN, "spills %d to the global queue", e->n);
		break;
	case MN_MODEL_TAKE:
		phrase(l, ",", MODEL_CYAN, "takes %d from the global queue", e->n);
		break;
	case MN_MODEL_STEAL:
		phrase(l, ",", MODEL_YELLOW, "steals %d from P%d", e->n, e->who);
		break;
	case MN_MODEL_RUN:
		phrase(l, ",", MODEL_PLAIN, "runs %s for %d", mn_model_name(m, e->who), e->n);
		break;
	case MN_MODEL_DONE:
		phrase(l, ",", MODEL_GREEN, "%s is done", mn_model_name(m, e->who));
		break;
	case MN_MODEL_IDLE:
		phrase(l, ",", MODEL_DIM, "idle");
		break;
	}
}

// What the longest label takes, P8-P9 or P1022-P1023, and a space; not less than the table's "global".
static int
indent_for(const struct mn_model *m)
{
	int range = snprintf(NULL, 0, "P%d-P%d ", mn_model_procs(m) - 2, mn_model_procs(m) - 1);
	int table = (int)strlen("global ");

	return range > table ? range : table;
}

// How many events from i on say that one P after the other is idle.
static size_t
idle_run(const struct mn_model *m, size_t i)
{
	size_t n = 0;

	while (i + n < mn_model_events(m) && mn_model_event(m, i + n)->kind == MN_MODEL_IDLE)
		n++;
	return n;
}

void
model_view_words(const struct model_view *v, const struct mn_model *m)
{
	struct line l = { .view = v, .indent = indent_for(m) };
	const struct mn_model_event *before = NULL;

	for (size_t i = 0; i < mn_model_events(m); i++) {
		const struct mn_model_event *e = mn_model_event(m, i);
		size_t idle = idle_run(m, i);
		char label[32];
		bool same_turn = before && before->p == e->p;

		if (!same_turn) {
			end(&l);
			snprintf(label, sizeof(label), "P%d", e->p);
			if (idle > 1)
				snprintf(label, sizeof(label), "P%d-P%d", e->p, e->p + (int)idle - 1);
			begin(&l, label);
		}
		tell(&l, m, e, same_turn && before->kind == e->kind);
		if (idle > 1)
			i += idle - 1;
		before = mn_model_event(m, i);
	}
	end(&l);
}

int
model_view_trace(const struct model_view *v, const struct mn_model *m)
{
	for (size_t i = 0; i < mn_model_events(m); i++) {
		char *line = mn_golden_trace_line(m, mn_model_event(m, i));

		if (!line)
			return -ENOMEM;
		fprintf(v->out, "%s\n", line);
		free(line);
	}
	return 0;
}

static const char *
plural(int64_t n)
{
	return n == 1 ? "" : "s";
}

void
model_view_sum(const struct model_view *v, const struct mn_model *m)
{
	int64_t ran = 0, steals = 0, room = mn_model_clock(m) * mn_model_procs(m);

	for (int p = 0; p < mn_model_procs(m); p++) {
		ran += mn_model_ran(m, p);
		steals += mn_model_steals(m, p);
	}
	fprintf(v->out, "%d goroutine%s done at clock %" PRId64 ", after %" PRId64 " steal%s\n", mn_model_count(m),
	        plural(mn_model_count(m)), mn_model_clock(m), steals, plural(steals));
	fprintf(v->out, "%" PRId64 " ticks run in %" PRId64 " there were: %.0f %% busy\n", ran, room,
	        room > 0 ? 100.0 * (double)ran / (double)room : 0.0);
}
