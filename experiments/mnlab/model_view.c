// SPDX-License-Identifier: MIT
// model_view.c: a round of the model as text.
//
// A line for each P: a bar, three numbers, the queue. The bar is solid for ticks that the P has run and light for those
// that wait in its queue, so that balance is how even the right edges are, and progress how far the solid part has come.
// All lines of a round share one scale, a whole number of ticks a cell, and one tick a cell where that fits.
#include "experiments/mnlab/model_view.h"

#include <inttypes.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "sched/model/model.h"

enum {
	WIDTH_PLAIN = 80,
	WIDTH_MIN = 40, // below this lines may be longer than the terminal is wide
	BAR_MIN = 8,
	BAR_MAX = 48,
};

// ---- Where it goes -------------------------------------------------------------------------------------------------

static int
terminal_width(int fd)
{
	struct winsize size;

	if (ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
		return WIDTH_PLAIN;
	return size.ws_col < WIDTH_MIN ? WIDTH_MIN : size.ws_col;
}

static bool
is_set(const char *variable)
{
	const char *value = getenv(variable);

	return value && *value;
}

struct model_view
model_view_for(FILE *out)
{
	struct model_view v = { .out = out, .width = WIDTH_PLAIN };
	const char *term = getenv("TERM");
	int fd = fileno(out);

	if (!isatty(fd))
		return v;
	setlocale(LC_CTYPE, "");
	v.width = terminal_width(fd);
	v.color = !is_set("NO_COLOR") && term && strcmp(term, "dumb") != 0;
	v.unicode = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	return v;
}

const char *
model_view_color(const struct model_view *v, enum model_color color)
{
	static const char *const codes[] = {
		[MODEL_PLAIN] = "\033[0m",  [MODEL_BOLD] = "\033[1m",    [MODEL_DIM] = "\033[2m",
		[MODEL_GREEN] = "\033[32m", [MODEL_YELLOW] = "\033[33m", [MODEL_CYAN] = "\033[36m",
	};

	return v->color ? codes[color] : "";
}

// ---- Queues and bars -----------------------------------------------------------------------------------------------

// The columns of a round's table.
struct table {
	int label, number, length, bar; // widths
	int64_t ticks_a_cell;
};

static int64_t
ticks_waiting(const struct mn_model *m, int p)
{
	int64_t ticks = 0;

	for (int g = mn_model_queue_front(m, p); g != MN_MODEL_NONE; g = mn_model_queue_behind(m, g))
		ticks += mn_model_remaining(m, g);
	return ticks;
}

static int64_t
ticks_ran(const struct mn_model *m, int p)
{
	return p == MN_MODEL_GLOBAL ? 0 : mn_model_ran(m, p);
}

static int
decimals(int64_t n)
{
	return snprintf(NULL, 0, "%" PRId64, n);
}

static int
at_least(int a, int b)
{
	return a > b ? a : b;
}

static struct table
lay_out(const struct model_view *v, const struct mn_model *m)
{
	struct table t = { .label = (int)strlen("global"),
		           .number = (int)strlen("left"),
		           .length = (int)strlen("queue") };
	int64_t most = 1;

	t.label = at_least(t.label, 1 + decimals(mn_model_procs(m) - 1));
	for (int p = MN_MODEL_GLOBAL; p < mn_model_procs(m); p++) {
		int64_t ticks = ticks_ran(m, p) + ticks_waiting(m, p);

		most = ticks > most ? ticks : most;
		t.length = at_least(t.length, decimals(mn_model_queue_len(m, p)));
	}
	t.number = at_least(t.number, decimals(most));
	t.bar = (v->width - t.label - 2 * t.number - t.length) / 2;
	t.bar = t.bar > BAR_MAX ? BAR_MAX : at_least(t.bar, BAR_MIN);
	t.ticks_a_cell = (most + t.bar - 1) / t.bar;
	return t;
}

static void
cells(const struct model_view *v, enum model_color color, const char *block, const char *letter, int64_t n)
{
	if (n <= 0)
		return;
	fputs(model_view_color(v, color), v->out);
	for (int64_t i = 0; i < n; i++)
		fputs(v->unicode ? block : letter, v->out);
	fputs(model_view_color(v, MODEL_PLAIN), v->out);
}

static void
draw_bar(const struct model_view *v, const struct table *t, int64_t ran, int64_t waiting)
{
	int64_t up = t->ticks_a_cell - 1;
	int64_t whole = (ran + waiting + up) / t->ticks_a_cell;
	int64_t solid = waiting > 0 ? ran / t->ticks_a_cell : whole;

	cells(v, MODEL_GREEN, "█", "#", solid);
	cells(v, MODEL_DIM, "░", ".", whole - solid);
	fprintf(v->out, "%*s", t->bar - (int)whole, "");
}

// The goroutines of a queue with their ticks left, as many as fit in `room` columns, and how many there are besides.
static void
draw_queue(const struct model_view *v, const struct mn_model *m, int p, int room)
{
	int left = mn_model_queue_len(m, p);

	for (int g = mn_model_queue_front(m, p); g != MN_MODEL_NONE; g = mn_model_queue_behind(m, g), left--) {
		const char *name = mn_model_name(m, g);
		int ticks = mn_model_remaining(m, g);
		int need = (int)strlen(name) + decimals(ticks) + 2;
		int more = left > 1 ? decimals(left - 1) + 2 : 0;

		if (need + more > room) {
			fprintf(v->out, " %s+%d%s", model_view_color(v, MODEL_DIM), left,
			        model_view_color(v, MODEL_PLAIN));
			return;
		}
		fprintf(v->out, " %s%s:%d%s", name, model_view_color(v, MODEL_DIM), ticks,
		        model_view_color(v, MODEL_PLAIN));
		room -= need;
	}
}

static void
draw_line(const struct model_view *v, const struct table *t, const struct mn_model *m, int p)
{
	char label[16] = "global";
	int64_t ran = ticks_ran(m, p), waiting = ticks_waiting(m, p);
	int used = t->label + t->bar + 2 * t->number + t->length + 4;

	if (p != MN_MODEL_GLOBAL)
		snprintf(label, sizeof(label), "P%d", p);
	fprintf(v->out, "%-*s ", t->label, label);
	draw_bar(v, t, ran, waiting);
	fprintf(v->out, " %*" PRId64 " %*" PRId64 " %*d", t->number, ran, t->number, waiting, t->length,
	        mn_model_queue_len(m, p));
	draw_queue(v, m, p, v->width - used);
	fputc('\n', v->out);
}

// The round, and over the numbers what they are; on a line of their own if the title is too long to stand beside them.
static void
draw_title(const struct model_view *v, const struct table *t, const struct mn_model *m, int64_t round)
{
	int room = t->label + 1 + t->bar;
	char title[96];
	int n = snprintf(title, sizeof(title), "round %" PRId64 ", clock %" PRId64, round, mn_model_clock(m));

	if (t->ticks_a_cell > 1)
		n += snprintf(title + n, sizeof(title) - (size_t)n, ", %" PRId64 " ticks a cell", t->ticks_a_cell);
	fprintf(v->out, "%s%s%s", model_view_color(v, MODEL_BOLD), title, model_view_color(v, MODEL_PLAIN));
	if (n > room)
		fputc('\n', v->out);
	fprintf(v->out, "%*s %s%*s %*s %*s%s\n", n > room ? room : room - n, "", model_view_color(v, MODEL_DIM),
	        t->number, "ran", t->number, "left", t->length, "queue", model_view_color(v, MODEL_PLAIN));
}

void
model_view_queues(const struct model_view *v, const struct mn_model *m, int64_t round)
{
	struct table t = lay_out(v, m);

	draw_title(v, &t, m, round);
	for (int p = 0; p < mn_model_procs(m); p++)
		draw_line(v, &t, m, p);
	draw_line(v, &t, m, MN_MODEL_GLOBAL);
}
