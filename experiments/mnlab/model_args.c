// SPDX-License-Identifier: MIT
// model_args.c: the arguments of `mnlab model`, read by argp. Each error is one line of our own that says what is allowed;
// argp's messages take two and leave that out, so they are switched off, and --help, which goes with them, is ours too.
#include "experiments/mnlab/model_args.h"

#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/mnlab/mnlab.h"
#include "sched/model/model.h"

enum { KEY_PROCS = 256, KEY_QUANTUM, KEY_CAP, KEY_SPAWN, KEY_STEP, KEY_TRACE, KEY_GOLDEN, KEY_CHECK, KEY_HELP };

static const char doc[] =
        "Run the round model: the textbook scheduler in which time passes in rounds, each processor (P) finds work and "
        "runs "
        "one goroutine for one quantum a round, and nothing is left to chance.\v"
        "A goroutine is written NAME:WORK[@P][+ROUND]: WORK ticks, spawned on P (0) before that round (0), for example "
        "A:4, "
        "B:12@1 or C:3@0+5. Further goroutines may follow the options. Without any, six of 4 ticks start on P0.\n\n"
        "Each round shows, for every P, a bar of the ticks it has run (solid) and those that wait in its queue "
        "(light), and "
        "the queue, front first, with the ticks that each goroutine has left; then who did what.\n\n"
        "Exit status: 0 fine, 1 a case differs, 2 bad arguments or a file that cannot be read.";

static const struct argp_option options[] = {
	{ "procs", KEY_PROCS, "N", 0, "Processors, 1..1024 (3)", 0 },
	{ "quantum", KEY_QUANTUM, "N", 0, "Ticks that a goroutine runs in one go, 1.. (2)", 0 },
	{ "cap", KEY_CAP, "N", 0, "Length at which a local queue spills half into the global queue, 1.. (6)", 0 },
	{ "spawn", KEY_SPAWN, "NAME:WORK[@P][+ROUND]", 0, "Spawn a goroutine; may be repeated", 0 },
	{ "step", KEY_STEP, NULL, 0, "Wait for Enter after each round (q quits, the end of input runs on)", 0 },
	{ "trace", KEY_TRACE, NULL, 0, "Show events as the trace lines of golden files", 0 },
	{ "golden", KEY_GOLDEN, NULL, 0, "Print the whole run as a case of a golden file, and nothing else", 0 },
	{ "check", KEY_CHECK, NULL, 0, "Replay the cases of golden FILEs and report the first difference of each", 1 },
	{ "help", KEY_HELP, NULL, 0, "Show this", -1 },
	{ 0 },
};

// ---- Values --------------------------------------------------------------------------------------------------------

// Reads digits at *at, which moves behind them. False: there are none, or the number is above INT_MAX.
static bool
digits(const char **at, int *number)
{
	int64_t n = 0;
	const char *start = *at;

	for (; isdigit((unsigned char)**at) && n <= INT_MAX; ++*at)
		n = 10 * n + (**at - '0');
	*number = (int)n;
	return *at > start && n <= INT_MAX;
}

bool
model_spawn_parse(struct model_spawn *s, const char *text)
{
	size_t n = 0;

	*s = (struct model_spawn){ 0 };
	while (isalnum((unsigned char)text[n]) || text[n] == '_')
		n++;
	if (n == 0 || n > MODEL_NAME_MAX || text[n] != ':')
		return false;
	memcpy(s->name, text, n);
	text += n + 1;
	if (!digits(&text, &s->work) || s->work < 1)
		return false;
	if (*text == '@' && (text++, !digits(&text, &s->p)))
		return false;
	if (*text == '+' && (text++, !digits(&text, &s->round)))
		return false;
	return *text == '\0';
}

// The one error line. argp tells of every error a second time, by ARGP_KEY_ERROR.
static error_t
bad(const struct argp_state *state, const char *what, const char *got, const char *allowed)
{
	struct model_args *a = state->input;

	fprintf(stderr, "%s: %s \"%s\": expected %s\n", state->argv[0], what, got, allowed);
	a->refused = true;
	return EINVAL;
}

// An option that argp does not know, or one that lacks its value: all there is to go by is where argp stands.
static error_t
bad_option(const struct argp_state *state)
{
	const char *option = state->argv[state->next - 1];

	if (option[0] != '-' && state->next < state->argc)
		option = state->argv[state->next];
	return bad(state, "unknown option, or one without its value,", option,
	           "--procs N, --quantum N, --cap N, --spawn NAME:WORK[@P][+ROUND], --step, --trace, --golden, "
	           "--check FILE.. or --help");
}

static error_t
read_number(const struct argp_state *state, const char *option, const char *text, int *number, int max)
{
	char allowed[64];
	const char *at = text;

	if (digits(&at, number) && *at == '\0' && *number >= 1 && *number <= max)
		return 0;
	snprintf(allowed, sizeof(allowed), "a whole number from 1 to %d", max);
	return bad(state, option, text, allowed);
}

static error_t
add_spawn(const struct argp_state *state, struct model_args *a, const char *text)
{
	if (a->spawns == a->spawn_room) {
		size_t room = a->spawn_room ? 2 * a->spawn_room : 16;
		struct model_spawn *spawn = reallocarray(a->spawn, room, sizeof(*spawn));

		if (!spawn)
			return ENOMEM;
		a->spawn = spawn;
		a->spawn_room = room;
	}
	if (!model_spawn_parse(&a->spawn[a->spawns], text))
		return bad(state, "goroutine", text,
		           "NAME:WORK[@P][+ROUND], NAME of at most 32 letters, digits and _, WORK 1..2147483647");
	a->spawns++;
	return 0;
}

// ---- The whole -----------------------------------------------------------------------------------------------------

static error_t
check_spawn(const struct argp_state *state, const struct model_args *a, const struct model_spawn *s)
{
	char p[16], allowed[64];

	if (s->p < a->procs)
		return 0;
	snprintf(p, sizeof(p), "@%d", s->p);
	snprintf(allowed, sizeof(allowed), "a P from @0 to @%d", a->procs - 1);
	return bad(state, s->name, p, allowed);
}

static error_t
check_whole(const struct argp_state *state, const struct model_args *a)
{
	error_t err = 0;

	if (a->check && (a->spawns > 0 || a->step || a->trace || a->golden))
		return bad(state, "option", "--check", "golden files behind it, and no option of a run");
	if (a->check && a->files == 0)
		return bad(state, "option", "--check", "at least one golden FILE behind it");
	if (a->golden && (a->step || a->trace))
		return bad(state, "option", "--golden", "neither --step nor --trace beside it");
	for (size_t i = 0; i < a->spawns && !err; i++)
		err = check_spawn(state, a, &a->spawn[i]);
	return err;
}

// What stands behind the options: files after --check (wherever it stands), else goroutines.
static error_t
take_rest(const struct argp_state *state, struct model_args *a)
{
	error_t err = 0;

	a->file = state->argv + state->next;
	a->files = (size_t)(state->argc - state->next);
	for (size_t i = 0; i < a->files && !a->check && !err; i++)
		err = add_spawn(state, a, a->file[i]);
	return err;
}

static error_t
read_option(int key, char *arg, struct argp_state *state)
{
	struct model_args *a = state->input;

	switch (key) {
	case KEY_PROCS:
		return read_number(state, "--procs", arg, &a->procs, MN_MODEL_PROCS_MAX);
	case KEY_QUANTUM:
		return read_number(state, "--quantum", arg, &a->quantum, INT_MAX);
	case KEY_CAP:
		return read_number(state, "--cap", arg, &a->cap, INT_MAX);
	case KEY_SPAWN:
		return add_spawn(state, a, arg);
	case KEY_STEP:
		a->step = true;
		return 0;
	case KEY_TRACE:
		a->trace = true;
		return 0;
	case KEY_GOLDEN:
		a->golden = true;
		return 0;
	case KEY_CHECK:
		a->check = true;
		return 0;
	case KEY_HELP:
		a->help = true;
		return 0;
	case ARGP_KEY_ARGS:
		return take_rest(state, a);
	case ARGP_KEY_END:
		return a->help ? 0 : check_whole(state, a);
	case ARGP_KEY_ERROR:
		return a->refused ? 0 : bad_option(state);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = { options, read_option, "[NAME:WORK[@P][+ROUND]...]\n--check FILE...", doc, NULL,
	                          NULL,    NULL };

// Six goroutines on one of three Ps, one more than fits without a spill: the smallest run that shows a steal a round.
static int
spawn_example(struct model_args *a)
{
	static const char *const names[] = { "A", "B", "C", "D", "E", "F" };
	enum { NAMES = sizeof(names) / sizeof(*names) };

	a->spawn = calloc(NAMES, sizeof(*a->spawn));
	if (!a->spawn)
		return MNLAB_USAGE;
	for (; a->spawns < NAMES; a->spawns++) {
		strcpy(a->spawn[a->spawns].name, names[a->spawns]);
		a->spawn[a->spawns].work = 4;
	}
	return MNLAB_OK;
}

int
model_args_read(struct model_args *a, int argc, char **argv)
{
	*a = (struct model_args){ .procs = 3, .quantum = 2, .cap = 6 };
	if (argp_parse(&argp, argc, argv, ARGP_NO_ERRS | ARGP_NO_HELP, NULL, a))
		return MNLAB_USAGE;
	if (a->help)
		argp_help(&argp, stdout, ARGP_HELP_STD_HELP & ~(unsigned)ARGP_HELP_EXIT_OK, argv[0]);
	if (a->help || a->check || a->spawns > 0)
		return MNLAB_OK;
	return spawn_example(a);
}

void
model_args_clear(struct model_args *a)
{
	free(a->spawn);
	*a = (struct model_args){ 0 };
}
