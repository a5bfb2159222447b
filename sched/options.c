// SPDX-License-Identifier: MIT
// options.c: the options by name: one table, from which come the defaults, the environment, the checks and every program's
// command line.
#include "sched/mn.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/core/policy.h"
#include "sched/os/topo.h"

extern char **environ;

enum kind { NUMBER, WORD, TEXT, PIN, SEED };

struct row {
	struct mn_option_info info;
	enum kind kind;
	size_t at;        // offset in struct mn_options
	const char *zero; // a word that means 0, or NULL
};

// The words of steal, victim and spin are the names of the policy tables (policy.c); test_options_name_the_policies holds
// them together.
static const char *const steals[] = { "half", "one", "all", "none", NULL };
static const char *const victims[] = { "random", "most-loaded", "two-choices", "round-robin", "nearest", NULL };
static const char *const queues[] = { "local", "global", NULL };
static const char *const on_off[] = { "on", "off", NULL };
static const char *const spins[] = { "half", "one", "none", "all", NULL };
static const char *const handoffs[] = { "sysmon", "immediate", "none", NULL };
static const char *const preempts[] = { "cooperative", "off", NULL };
static const char *const fulls[] = { "abort", "queue", NULL };
static const char *const yields[] = { "global", "local", NULL };

#define AT(field) offsetof(struct mn_options, field)

// clang-format off
static const struct row rows[] = {
//	    name             words     min   max          default        help
	{ { "procs",         NULL,     1,    MN_PROCS_MAX, "auto",        "GOMAXPROCS; auto: affinity mask and cgroup quota" }, NUMBER, AT(procs), "auto" },
	{ { "steal",         steals,   1,    0,           "half",        "how much a thief takes" }, WORD, AT(steal), NULL },
	{ { "victim",        victims,  1,    0,           "random",      "which P a thief takes from" }, WORD, AT(victim), NULL },
	{ { "local_cap",     NULL,     1,    MN_LOCAL_CAP_MAX, "256",     "length at which a local queue spills" }, NUMBER, AT(local_cap), NULL },
	{ { "queue",         queues,   1,    0,           "local",       "a run queue per P, or one for all" }, WORD, AT(queue), NULL },
	{ { "runnext",       on_off,   1,    0,           "on",          "the slot that takes the newest goroutine" }, WORD, AT(runnext), NULL },
	{ { "global_tick",   NULL,     0,    1000000,     "61",          "every n-th slice looks at the global queue first; 0: never" }, NUMBER, AT(global_tick), NULL },
	{ { "steal_tries",   NULL,     1,    64,          "4",           "passes over the victims before giving up" }, NUMBER, AT(steal_tries), NULL },
	{ { "spin",          spins,    1,    0,           "half",        "how many Ms may search at once; none: one look" }, WORD, AT(spin), NULL },
	{ { "handoff",       handoffs, 1,    0,           "sysmon",      "who takes the P of a goroutine in a system call" }, WORD, AT(handoff), NULL },
	{ { "preempt",       preempts, 1,    0,           "cooperative", "whether mn_check ends a slice that is over" }, WORD, AT(preempt), NULL },
	{ { "slice_us",      NULL,     100,  1000000,     "10000",       "time slice, us" }, NUMBER, AT(slice_us), NULL },
	{ { "threads_max",   NULL,     2,    1000000,     "10000",       "most threads, sysmon not counted" }, NUMBER, AT(threads_max), NULL },
	{ { "threads_full",  fulls,    1,    0,           "abort",       "when more are needed: end the program, or let blocking calls keep their P" }, WORD, AT(threads_full), NULL },
	{ { "pin",           NULL,     1,    0,           "none",        "none, close, spread, or a list of PUs like 0,2-5" }, PIN, AT(pin), NULL },
	{ { "yield_to",      yields,   1,    0,           "global",      "where mn_yield puts the goroutine" }, WORD, AT(yield_to), NULL },
	{ { "stack_kb",      NULL,     2,    8192,        "64",          "stack reserved for a goroutine, KiB, a power of two" }, NUMBER, AT(stack_kb), NULL },
	{ { "spin_us",       NULL,     0,    1000,        "20",          "how long an M out of work looks on, us" }, NUMBER, AT(spin_us), NULL },
	{ { "schedtrace_ms", NULL,     0,    1000000,     "0",           "print a schedtrace line every so many ms; 0: never" }, NUMBER, AT(schedtrace_ms), NULL },
	{ { "sample_us",     NULL,     0,    1000000,     "0",           "sample the queue lengths every so many us; 0: never" }, NUMBER, AT(sample_us), NULL },
	{ { "sample_file",   NULL,     1,    0,           "",            "where the samples go" }, TEXT, AT(sample_file), NULL },
	{ { "seed",          NULL,     1,    0,           "random",      "of every random choice" }, SEED, AT(seed), "random" },
};
// clang-format on

const struct mn_option_info *
mn_option_at(int i)
{
	return i >= 0 && i < (int)array_len(rows) ? &rows[i].info : NULL;
}

static const struct row *
find(const char *name)
{
	for (size_t i = 0; i < array_len(rows); i++)
		if (strcmp(rows[i].info.name, name) == 0)
			return &rows[i];
	return NULL;
}

// ---- Texts of errors

struct text {
	char *at;
	size_t left;
};

static void
say(struct text *t, const char *a, const char *b)
{
	int n = snprintf(t->at, t->left, "%s%s", a, b);

	if (n < 0)
		return;
	size_t k = (size_t)n < t->left ? (size_t)n : t->left - (t->left > 0);

	t->at += k;
	t->left -= k;
}

// What a user gave, so that it leaves room for the rest, in one line.
static void
say_given(struct text *t, const char *given)
{
	char shown[64];
	size_t n = 0;

	for (; n < sizeof(shown) - 4 && given[n]; n++)
		shown[n] = (char)(given[n] > 0 && given[n] < ' ' ? '?' : given[n]);
	snprintf(shown + n, sizeof(shown) - n, "%s", given[n] ? "..." : "");
	say(t, shown, "");
}

static int
unknown_name(const char *name, char *err, size_t size)
{
	struct text t = { err, size };

	say(&t, "unknown option ", "");
	say_given(&t, name);
	for (size_t i = 0; i < array_len(rows); i++)
		say(&t, i ? ", " : "; options: ", rows[i].info.name);
	return -ENOENT;
}

static int
bad_value(const struct row *r, const char *value, char *err, size_t size)
{
	struct text t = { err, size };
	char range[64];

	say(&t, r->info.name, "=");
	say_given(&t, value);
	say(&t, "; allowed: ", "");
	switch (r->kind) {
	case WORD:
		for (int i = 0; r->info.values[i]; i++)
			say(&t, i ? ", " : "", r->info.values[i]);
		break;
	case NUMBER:
		snprintf(range, sizeof(range), "%ld..%ld", r->info.min, r->info.max);
		say(&t, r->zero ? r->zero : "", r->zero ? ", " : "");
		say(&t, range, strcmp(r->info.name, "stack_kb") ? "" : ", a power of two");
		break;
	case SEED:
		say(&t, "random, or a whole number up to 2^64-1", "");
		break;
	default:
		snprintf(range, sizeof(range), "at most %d characters", MN_TEXT_MAX - 1);
		say(&t, range, "");
	}
	return -EINVAL;
}

// ---- Setting

static int *
int_field(const struct row *r, const struct mn_options *o)
{
	return (int *)((char *)(uintptr_t)o + r->at);
}

static char *
text_field(const struct row *r, const struct mn_options *o)
{
	return (char *)(uintptr_t)o + r->at;
}

static bool
number_fits(const struct row *r, long n)
{
	if (r->zero && n == 0)
		return true;
	if (n < r->info.min || n > r->info.max)
		return false;
	return r->at != AT(stack_kb) || (n & (n - 1)) == 0;
}

// strtol would skip white space, and take "+1".
static bool
begins_as_number(const char *value)
{
	return (value[0] >= '0' && value[0] <= '9') || value[0] == '-';
}

static bool
set_number(const struct row *r, struct mn_options *o, const char *value)
{
	char *end;
	long n;

	if (r->zero && strcmp(value, r->zero) == 0) {
		*int_field(r, o) = 0;
		return true;
	}
	errno = 0;
	n = strtol(value, &end, 10);
	if (errno || end == value || *end || !begins_as_number(value) || (r->zero && n == 0) || !number_fits(r, n))
		return false;
	*int_field(r, o) = (int)n;
	return true;
}

static bool
set_word(const struct row *r, struct mn_options *o, const char *value)
{
	for (int i = 0; r->info.values[i]; i++)
		if (strcmp(r->info.values[i], value) == 0) {
			*int_field(r, o) = i;
			return true;
		}
	return false;
}

static bool
set_seed(struct mn_options *o, const char *value)
{
	char *end;
	uint64_t n;

	if (strcmp(value, "random") == 0) {
		o->seed = 0;
		return true;
	}
	errno = 0;
	n = strtoull(value, &end, strncmp(value, "0x", 2) == 0 ? 16 : 10);
	if (errno || end == value || *end || !begins_as_number(value) || value[0] == '-')
		return false;
	o->seed = n;
	return true;
}

static bool
set_text(const struct row *r, struct mn_options *o, const char *value)
{
	size_t n = strlen(value);

	if (n >= MN_TEXT_MAX)
		return false;
	memcpy(text_field(r, o), value, n + 1);
	return true;
}

int
mn_options_set(struct mn_options *o, const char *name, const char *value, char *err, size_t size)
{
	const struct row *r = find(name);
	bool fits = false;

	if (!r)
		return unknown_name(name, err, size);
	switch (r->kind) {
	case NUMBER:
		fits = set_number(r, o, value);
		break;
	case WORD:
		fits = set_word(r, o, value);
		break;
	case SEED:
		fits = set_seed(o, value);
		break;
	case PIN:
		if (mn_topo_check_pin(value, err, size))
			return -EINVAL;
		fits = set_text(r, o, value);
		break;
	case TEXT:
		fits = set_text(r, o, value);
		break;
	}
	return fits ? 0 : bad_value(r, value, err, size);
}

int
mn_options_get(const struct mn_options *o, const char *name, char *text, size_t size)
{
	const struct row *r = find(name);

	if (!r)
		return -ENOENT;
	if (r->kind == WORD)
		snprintf(text, size, "%s", r->info.values[*int_field(r, o)]);
	else if (r->kind == SEED)
		snprintf(text, size, o->seed ? "%llu" : "random", (unsigned long long)o->seed);
	else if (r->kind == NUMBER && r->zero && *int_field(r, o) == 0)
		snprintf(text, size, "%s", r->zero);
	else if (r->kind == NUMBER)
		snprintf(text, size, "%d", *int_field(r, o));
	else
		snprintf(text, size, "%s", text_field(r, o));
	return 0;
}

// ---- Checking

static bool
word_fits(const struct row *r, int index)
{
	int n = 0;

	while (r->info.values[n])
		n++;
	return index >= 0 && index < n;
}

static int
check_row(const struct row *r, const struct mn_options *o, char *err, size_t size)
{
	char value[24];

	if ((r->kind == PIN || r->kind == TEXT) && !memchr(text_field(r, o), 0, MN_TEXT_MAX)) {
		snprintf(err, size, "%s does not end within %d characters", r->info.name, MN_TEXT_MAX);
		return -EINVAL;
	}
	if (r->kind == PIN)
		return mn_topo_check_pin(o->pin, err, size);
	if (r->kind != WORD && r->kind != NUMBER)
		return 0;
	if (r->kind == WORD ? word_fits(r, *int_field(r, o)) : number_fits(r, *int_field(r, o)))
		return 0;
	snprintf(value, sizeof(value), "%d", *int_field(r, o));
	return bad_value(r, value, err, size);
}

int
mn_options_check(const struct mn_options *o, char *err, size_t size)
{
	if (o->error[0]) {
		snprintf(err, size, "%s", o->error);
		return -EINVAL;
	}
	for (size_t i = 0; i < array_len(rows); i++)
		if (check_row(&rows[i], o, err, size))
			return -EINVAL;
	if (o->sample_us > 0 && !o->sample_file[0]) {
		snprintf(err, size, "sample_us=%d needs a sample_file", o->sample_us);
		return -EINVAL;
	}
	return 0;
}

// ---- Environment

static void
keep_first_error(struct mn_options *o, const char *variable, const char *what)
{
	if (!o->error[0])
		snprintf(o->error, sizeof(o->error), "%s: %s", variable, what);
}

// MN_LOCAL_CAP=64 -> local_cap, 64.
static void
set_from_variable(struct mn_options *o, const char *entry)
{
	char name[64], variable[64], err[MN_ERROR_MAX - 72];
	const char *equals = strchr(entry, '=');
	size_t n = equals ? (size_t)(equals - entry) : 0;

	if (n < sizeof("MN_"))
		return;
	if (n >= sizeof(variable)) // no option's: what is left of it names none either
		n = sizeof(variable) - 1;
	memcpy(variable, entry, n);
	variable[n] = 0;
	for (size_t i = 3; i <= n; i++)
		name[i - 3] =
		        (char)(variable[i] >= 'A' && variable[i] <= 'Z' ? variable[i] + ('a' - 'A') : variable[i]);
	if (mn_options_set(o, name, equals + 1, err, sizeof(err)))
		keep_first_error(o, variable, err);
}

void
mn_options_init(struct mn_options *o)
{
	const char *gomaxprocs = getenv("GOMAXPROCS");
	char err[MN_ERROR_MAX - 72];

	memset(o, 0, sizeof(*o));
	for (size_t i = 0; i < array_len(rows); i++)
		if (mn_options_set(o, rows[i].info.name, rows[i].info.initial, err, sizeof(err)))
			keep_first_error(o, rows[i].info.name, err);
	if (gomaxprocs && gomaxprocs[0] && mn_options_set(o, "procs", gomaxprocs, err, sizeof(err)))
		keep_first_error(o, "GOMAXPROCS", err);
	for (char **e = environ; e && *e; e++)
		if (strncmp(*e, "MN_", 3) == 0)
			set_from_variable(o, *e);
}
