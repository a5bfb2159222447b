// SPDX-License-Identifier: MIT
// cells_test.c: from a matrix to cells: sets, exclusions, collapse, identity, blocks.
#include "experiments/mnlab/cells.h"
#include "experiments/mnlab/machine.h"
#include "experiments/mnlab/matrix.h"
#include "experiments/mnlab/moot.h"
#include "experiments/mnlab/tests/check.h"

#include <errno.h>
#include <unistd.h>

static const struct machine machine = { .pus = 2, .cores = 2, .llcs = 1, .numas = 1, .usable = 2 };
static const char path[] = "cells_test.matrix";

static int
try_make(struct cells *c, const char *text, uint64_t binary, char *err, size_t size)
{
	FILE *f = fopen(path, "w");
	struct matrix m;

	check(f && fputs(text, f) >= 0 && fclose(f) == 0);
	if (matrix_read(&m, path, &machine, err, size)) {
		fprintf(stderr, "%s\n", err);
		exit(1);
	}
	int rc = cells_make(c, &m, binary, &machine, err, size);
	matrix_free(&m);
	return rc;
}

static struct cells
make(const char *text)
{
	struct cells c;
	char err[1024];

	check_number(try_make(&c, text, 1, err, sizeof err), 0);
	return c;
}

// How many cells have this value of a factor.
static int
count(const struct cells *c, const char *factor, const char *value)
{
	char text[256];
	int n = 0;

	for (int i = 0; i < c->n; i++)
		n += cell_get(&c->cell[i], factor, text, sizeof text) && !strcmp(text, value);
	return n;
}

static void
test_cross(void)
{
	struct cells c =
	        make("[matrix]\nworkload = uniform, skewed\nprocs = 2, 4\nsteal = half, one, all\nvictim = random, "
	             "most-loaded\nrounds = 3\ntimeout_s = 5\n");

	check_number(c.asked, 24);
	check_number(c.collapsed, 0);
	check_number(c.n, 24 + 2); // and a serial cell a workload
	check_number(c.nblocks, 4 + 2);
	check_number(count(&c, "runtime", "serial"), 2);
	check_number(count(&c, "steal", "one"), 8);
	for (int i = 0; i < c.n; i++) {
		check_number(c.cell[i].rounds, 3);
		check_number(c.cell[i].timeout_s, 5);
		check_number(strlen(c.cell[i].id), 16);
		check_number(c.cell[c.cell[i].serial].runtime, RUNTIME_SERIAL);
		check(c.cell[c.cell[i].serial].run.workload == c.cell[i].run.workload);
	}
	cells_free(&c);
}

// The table of moot.c, row by row: so many combinations are so many cells.
static void
test_collapse(void)
{
	static const struct {
		const char *text;
		int cells; // with the serial one
	} all[] = {
		{ "procs = 1\nsteal = half, one, all, none\nvictim = random, most-loaded\nsteal_tries = 1, 4\n",
		  1 + 1 },
		{ "procs = 1\nlocal_cap = 16, 64\n", 2 + 1 },
		{ "procs = 2\nsteal = none\nvictim = random, most-loaded\nsteal_tries = 1, 4\n", 1 + 1 },
		{ "procs = 2\nsteal = none, half\nvictim = random, most-loaded\n", 3 + 1 },
		{ "procs = 2\nqueue = global\nsteal = half, none\nvictim = random, nearest\nlocal_cap = 16, "
		  "64\nrunnext = on, off\n"
		  "yield_to = local, global\nglobal_tick = 0, 61\n",
		  1 + 1 },
		{ "procs = 2\nqueue = global, local\nlocal_cap = 16, 64\n", 3 + 1 },
		{ "procs = 1, 2\nqueue = global\n", 2 + 1 },
		{ "procs = 1, 2, 4\nruntime = threads\nlocal_cap = 16, 64\n", 1 + 1 },
		{ "procs = 1, 2, 4\nruntime = serial\nlocal_cap = 16, 64\n", 1 },
		{ "procs = auto, 2\n", 1 + 1 }, // auto is 2 here
	};

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
		char text[1024];
		snprintf(text, sizeof text, "[matrix]\nworkload = skewed\n%s", all[i].text);
		struct cells c = make(text);
		check_number(c.n, all[i].cells);
		check_number(c.asked - c.collapsed, count(&c, "runtime", "mn") + count(&c, "runtime", "threads") +
		                                            (i == 8)); // there the serial cell was asked for
		cells_free(&c);
	}
}

// Of these two, only echo has the form; its options and procs are without effect.
static void
test_event_loop(void)
{
	struct cells c =
	        make("[matrix]\nworkload = skewed, echo\nprocs = 1, 2\nruntime = evloop\nlocal_cap = 16, 64\n");

	check_number(count(&c, "runtime", "evloop"), 1);
	check_number(count(&c, "workload", "skewed"), 0);
	check_number(c.n, 1 + 1);
	cells_free(&c);
}

static void
test_moot(void)
{
	struct cells c = make("[matrix]\nworkload = skewed\nprocs = 1, 2\nsteal = none\n");
	const struct cell *one = NULL, *two = NULL, *serial = &c.cell[c.cell[0].serial];

	for (int i = 0; i < c.n; i++)
		if (c.cell[i].runtime == RUNTIME_MN)
			*(c.cell[i].options.procs == 1 ? &one : &two) = &c.cell[i];
	check(one && two);
	check(moot(one, "steal") && moot(one, "victim") && !moot(one, "local_cap") && !moot(one, "procs"));
	check(!moot(two, "steal") && moot(two, "victim") && !moot(two, "spin"));
	check(moot(serial, "procs") && moot(serial, "stack_kb"));
	check_number(serial->options.procs, 1);
	cells_free(&c);
}

static void
test_sets(void)
{
	struct cells c = make("[matrix]\nworkload = uniform, skewed\nprocs = 2\nsteal = half, one\nrounds = 4\n"
	                      "[workload skewed]\ntasks = 10\n"
	                      "[set same]\nsteal = one\nrounds = 9\ntimeout_s = 99\n" // merges, and raises the rounds
	                      "[set big]\nworkload = skewed\nskewed.tasks = 50\nsteal = all\nrounds = 2\n");

	check_number(count(&c, "runtime", "mn"), 5);
	check_number(count(&c, "skewed.tasks", "50"), 2);
	check_number(count(&c, "skewed.tasks", "10"), 3);
	check_number(c.collapsed, 2);
	char value[64];
	for (int i = 0; i < c.n; i++) {
		bool serial = c.cell[i].runtime == RUNTIME_SERIAL;
		cell_get(&c.cell[i], "steal", value, sizeof value);
		if (!strcmp(value, "one"))
			check_number(c.cell[i].rounds, 9);
		if (!strcmp(value, "all"))
			check_number(c.cell[i].rounds, 2);
		if (!strcmp(value, "half") && !serial)
			check_number(c.cell[i].rounds, 4);
		if (serial) // as many as the most of its cells need
			check_number(c.cell[i].rounds,
			             cell_get(&c.cell[i], "skewed.tasks", value, sizeof value) && !strcmp(value, "50")
			                     ? 2
			                     : 9);
	}
	cells_free(&c);
}

static void
test_exclude(void)
{
	struct cells c = make("[matrix]\nworkload = uniform, skewed\nprocs = 2, 4\nsteal = half, one, all\n"
	                      "exclude = steal:all workload:uniform\n" // both must hold: 2 cells
	                      "exclude = procs:4 steal:one,half\n"     // either value: 4 cells
	                      "exclude = uniform.tasks:77\n"           // nobody
	                      "[set more]\nvictim = nearest\nexclude = steal:half\n");

	check_number(c.excluded, 6 + 6 + 2);
	check_number(count(&c, "victim", "random") - count(&c, "runtime", "serial"), 6);
	check_number(count(&c, "victim", "nearest"), 4);
	cells_free(&c);
}

static void
test_empty(void)
{
	struct cells c;
	char err[1024];

	check_number(try_make(&c, "[matrix]\nworkload = skewed\nprocs = 2\nexclude = procs:2\n", 1, err, sizeof err),
	             -ENODATA);
	check_has(err, "has no cells");
	check_number(try_make(&c, "[matrix]\nworkload = skewed\nprocs = 7..pus\n", 1, err, sizeof err), -ENODATA);
	check_number(
	        try_make(&c, "[matrix]\nworkload = skewed\nprocs = 2..1024\nlocal_cap = 1..1024\n", 1, err, sizeof err),
	        -E2BIG);
	check_has(err, "more than 100000 cells");
}

// Identity: repetitions do not enter, order of writing does not enter, everything that changes the result does.
static void
test_identity(void)
{
	struct cells a = make("[matrix]\nworkload = skewed\nprocs = 2\nsteal = one\nrounds = 3\n");
	struct cells same =
	        make("[matrix]\nrounds = 12\nseed = 5\nrunnext = on\nsteal = one\nlocal_cap = 256\nprocs = 2\n"
	             "workload = skewed\n");
	struct cells other;
	char err[1024];
	static const char *const differ[] = { "steal = all\n", "steal = one\nlocal_cap = 255\n",
		                              "steal = one\nstack_kb = 32\n", "steal = one\nskewed.tasks = 11\n",
		                              "steal = one\nsample_us = 1000\n" };

	check_text(a.cell[0].id, same.cell[0].id);
	check_text(a.cell[1].id, same.cell[1].id);
	for (size_t i = 0; i < sizeof differ / sizeof differ[0]; i++) {
		char text[256];
		snprintf(text, sizeof text, "[matrix]\nworkload = skewed\nprocs = 2\n%s", differ[i]);
		other = make(text);
		check(strcmp(a.cell[0].id, other.cell[0].id));
		cells_free(&other);
	}
	check_number(try_make(&other, "[matrix]\nworkload = skewed\nprocs = 2\nsteal = one\n", 2, err, sizeof err), 0);
	check(strcmp(a.cell[0].id, other.cell[0].id)); // another binary
	cells_free(&other);
	cells_free(&a);
	cells_free(&same);
}

static void
test_blocks(void)
{
	struct cells c = make(
	        "[matrix]\nworkload = skewed\nprocs = 2\nskewed.tasks = 10\nskewed.grain_ns = 5\nsteal = half, none\n"
	        "sample_us = 0, 1000\nruntime = mn, threads\n");

	for (int i = 0; i < c.nblocks; i++)
		for (int k = 0; k < c.block[i].n; k++)
			check_number(c.cell[c.block[i].cells[k]].block, i);
	check_number(c.nblocks, 3);
	check_text(c.block[c.cell[0].block].name, "skewed/tasks=10/grain_ns=5/procs=2");
	check_number(c.block[c.cell[0].block].n, 3); // half, none, threads
	check_text(c.block[c.cell[c.cell[0].serial].block].name, "skewed/tasks=10/grain_ns=5/serial");
	check_number(count(&c, "sample_us", "1000"), 2); // sampled cells are not compared with others
	cells_free(&c);
}

static void
test_file_hash(void)
{
	uint64_t a, b;
	FILE *f = fopen(path, "w");

	check(f && fputs("abc", f) >= 0 && !fclose(f));
	check_number(file_hash(path, &a), 0);
	check(a == 0x78af5f94892f3950u); // XXH3 of "abc", from its authors' test values
	f = fopen(path, "a");
	check(f && fputs("d", f) >= 0 && !fclose(f));
	check_number(file_hash(path, &b), 0);
	check(a != b);
	check_number(file_hash("no/such", &b), -ENOENT);
	check_number(file_hash(".", &b), -EISDIR);
}

int
main(void)
{
	test_cross();
	test_collapse();
	test_event_loop();
	test_moot();
	test_sets();
	test_exclude();
	test_empty();
	test_identity();
	test_blocks();
	test_file_hash();
	unlink(path);
	return 0;
}
