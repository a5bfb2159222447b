// SPDX-License-Identifier: MIT
// model_view.h: a round of the model as text: queues and bars of work, and who did what.
#ifndef EXPERIMENTS_MNLAB_MODEL_VIEW_H
#define EXPERIMENTS_MNLAB_MODEL_VIEW_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct mn_model;

struct model_view {
	FILE *out;
	int width;    // columns; long lists are cut or wrapped to fit
	bool color;   // ANSI colours
	bool unicode; // block characters, else # and .
};

// For out, what suits it: the terminal's width and colours (unless NO_COLOR is set or TERM is dumb) and, in a UTF-8 locale,
// blocks; plain 80-column ASCII if it is no terminal.
struct model_view model_view_for(FILE *out);

enum model_color { MODEL_PLAIN, MODEL_BOLD, MODEL_DIM, MODEL_GREEN, MODEL_YELLOW, MODEL_CYAN };

// What switches a colour on, and PLAIN all off: nothing, in a view without colours.
const char *model_view_color(const struct model_view *v, enum model_color color);

// The title of a round, then a line for every P and one for the global queue.
void model_view_queues(const struct model_view *v, const struct mn_model *m, int64_t round);

// The events of the model's trace: a line for each P that says in words what it did (model_words.c), or the trace lines of
// golden files. -ENOMEM, or 0.
void model_view_words(const struct model_view *v, const struct mn_model *m);
int model_view_trace(const struct model_view *v, const struct mn_model *m);

// What it came to, when all is done.
void model_view_sum(const struct model_view *v, const struct mn_model *m);

#endif
