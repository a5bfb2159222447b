// SPDX-License-Identifier: MIT
// cells.c: collects the cells of all sections, merges equal ones, names and groups them. See cells.h.
//
// Two cells are equal when their ids are: XXH3 over a text that spells out everything, in a fixed order. At the limit of
// 100,000 cells the chance that two different texts share an id is one in 3 billion.
#include "experiments/mnlab/cells.h"
#include "experiments/mnlab/expand.h"
#include "experiments/mnlab/machine.h"
#include "experiments/mnlab/moot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

int
file_hash(const char *path, uint64_t *hash)
{
	char chunk[1 << 16];
	ssize_t n;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	XXH3_state_t *state = XXH3_createState();
	int rc = fd < 0 ? -errno : state ? 0 : -ENOMEM;

	if (!rc)
		XXH3_64bits_reset(state);
	while (!rc && (n = read(fd, chunk, sizeof chunk)))
		if (n > 0)
			XXH3_64bits_update(state, chunk, (size_t)n);
		else if (errno != EINTR)
			rc = -errno;
	if (!rc)
		*hash = XXH3_64bits_digest(state);
	XXH3_freeState(state);
	if (fd >= 0)
		close(fd);
	return rc;
}

// ---- What a cell is --------------------------------------------------------------------------------------------------

bool
cell_get(const struct cell *c, const char *name, char *text, size_t size)
{
	const char *dot = strchr(name, '.');

	text[0] = 0;
	if (!strcmp(name, "workload"))
		snprintf(text, size, "%s", c->run.workload->name);
	else if (!strcmp(name, "runtime"))
		snprintf(text, size, "%s", runtime_names[c->runtime]);
	else if (!dot)
		return mn_options_get(&c->options, name, text, size) == 0;
	else if (!strncmp(name, c->run.workload->name, (size_t)(dot - name)) && !c->run.workload->name[dot - name])
		snprintf(text, size, "%ld", workload_get(&c->run, dot + 1));
	return true;
}

static void
print(FILE *f, const struct cell *c, const char *separator, const char *between)
{
	const struct workload *w = c->run.workload;

	for (int i = 0; w->params[i].name; i++)
		fprintf(f, "%s%s%s%ld", separator, w->params[i].name, between, c->run.param[i]);
}

static void
set_id(struct cell *c, uint64_t binary)
{
	const struct mn_option_info *info;
	char text[4096], value[VALUE_TEXT_MAX];
	FILE *f = fmemopen(text, sizeof text, "w");

	if (!f)
		abort(); // fmemopen on a fixed buffer fails for want of memory only
	fprintf(f, "workload=%s\nversion=%d\nruntime=%s\n", c->run.workload->name, c->run.workload->version,
	        runtime_names[c->runtime]);
	print(f, c, "param.", "=");
	for (int i = 0; (info = mn_option_at(i)); i++)
		if (!option_is_reserved(info->name) && !mn_options_get(&c->options, info->name, value, sizeof value))
			fprintf(f, "\n%s=%s", info->name, value);
	fprintf(f, "\nbinary=%016llx\n", (unsigned long long)binary);
	size_t n = (size_t)ftell(f);
	fclose(f);
	snprintf(c->id, sizeof c->id, "%016llx", (unsigned long long)XXH3_64bits(text, n));
}

// Cells with the same block name may be compared. Sampling costs time, so sampled cells keep to themselves.
static void
block_name(const struct cell *c, char *text, size_t size)
{
	FILE *f = fmemopen(text, size, "w");

	if (!f)
		abort();
	fprintf(f, "%s", c->run.workload->name);
	print(f, c, "/", "=");
	if (c->runtime == RUNTIME_SERIAL)
		fprintf(f, "/serial");
	else
		fprintf(f, "/procs=%d", c->options.procs);
	if (c->options.sample_us)
		fprintf(f, "/sample_us=%d", c->options.sample_us);
	fclose(f);
	text[size - 1] = 0;
}

void
cell_describe(const struct cell *c, char *text, size_t size)
{
	const struct mn_option_info *info;
	char value[VALUE_TEXT_MAX];
	size_t n;

	snprintf(text, size, "%s", c->run.workload->name);
	if (c->runtime != RUNTIME_MN) {
		n = strlen(text);
		snprintf(text + n, size - n, " runtime=%s", runtime_names[c->runtime]);
	}
	for (int i = 0; (info = mn_option_at(i)); i++) {
		if (option_is_reserved(info->name) || mn_options_get(&c->options, info->name, value, sizeof value))
			continue;
		if (c->runtime != RUNTIME_MN || !strcmp(value, info->initial))
			continue;
		n = strlen(text);
		snprintf(text + n, size - n, " %s=%s", info->name, value);
	}
}

// ---- Collecting ------------------------------------------------------------------------------------------------------

// Open addressing: id -> position + 1. Only while cells are collected.
enum { SLOTS = 1 << 18 };
_Static_assert(SLOTS > 2 * CELLS_MAX, "the table must stay sparse");

struct collect {
	struct cells *c;
	int *slot;
};

static int *
slot_of(struct collect *co, const char *id)
{
	size_t i = (size_t)strtoull(id, NULL, 16) % SLOTS;

	while (co->slot[i] && strcmp(co->c->cell[co->slot[i] - 1].id, id))
		i = (i + 1) % SLOTS;
	return &co->slot[i];
}

static int
add_cell(struct collect *co, const struct cell *cell, int *position)
{
	struct cells *c = co->c;
	int *slot = slot_of(co, cell->id);

	*position = *slot - 1;
	if (*slot) {
		struct cell *old = &c->cell[*slot - 1];
		old->rounds = old->rounds > cell->rounds ? old->rounds : cell->rounds;
		old->timeout_s = old->timeout_s > cell->timeout_s ? old->timeout_s : cell->timeout_s;
		return 0;
	}
	if (c->n == CELLS_MAX)
		return -E2BIG;
	if ((c->n & (c->n - 1)) == 0) { // full at each power of two
		struct cell *more = realloc(c->cell, (c->n ? 2 * (size_t)c->n : 1) * sizeof *more);
		if (!more)
			return -ENOMEM;
		c->cell = more;
	}
	c->cell[c->n] = *cell;
	*position = c->n;
	*slot = ++c->n;
	return 0;
}

static int
add_serial(struct collect *co, const struct cell *like, int *position)
{
	struct cell serial = *like;

	serial.runtime = RUNTIME_SERIAL;
	moot_settle(&serial, co->c->usable);
	set_id(&serial, co->c->binary);
	int rc = add_cell(co, &serial, position);
	if (!rc)
		co->c->cell[*position].serial = *position;
	return rc;
}

static int
on_combination(void *user, const struct cell *written)
{
	struct collect *co = user;
	struct cell cell = *written;
	int before = co->c->n, serial, position;

	moot_settle(&cell, co->c->usable);
	set_id(&cell, co->c->binary);
	int rc = add_cell(co, &cell, &position);
	if (!rc && co->c->n == before)
		co->c->collapsed++;
	if (!rc)
		rc = add_serial(co, &co->c->cell[position], &serial);
	if (!rc)
		co->c->cell[position].serial = serial;
	return rc;
}

// ---- Blocks ----------------------------------------------------------------------------------------------------------

static int
find_block(struct cells *c, const char *name)
{
	for (int i = 0; i < c->nblocks; i++)
		if (!strcmp(c->block[i].name, name))
			return i;
	return -1;
}

static int
add_block(struct cells *c, const char *name, int serial)
{
	struct block *more = realloc(c->block, ((size_t)c->nblocks + 1) * sizeof *more);

	if (!more)
		return -ENOMEM;
	c->block = more;
	more += c->nblocks;
	*more = (struct block){ .serial = serial };
	snprintf(more->name, sizeof more->name, "%s", name);
	return c->nblocks++;
}

static int
join_block(struct cells *c, int cell)
{
	char name[BLOCK_NAME_MAX];

	block_name(&c->cell[cell], name, sizeof name);
	int i = find_block(c, name);
	if (i < 0)
		i = add_block(c, name, c->cell[cell].serial);
	if (i < 0)
		return i;
	struct block *b = &c->block[i];
	int *more = realloc(b->cells, ((size_t)b->n + 1) * sizeof *more);
	if (!more)
		return -ENOMEM;
	b->cells = more;
	b->cells[b->n++] = cell;
	c->cell[cell].block = i;
	return 0;
}

static int
explain(int rc, char *err, size_t size)
{
	if (rc == -E2BIG)
		snprintf(err, size, "the matrix has more than %d cells, or more than %d combinations", CELLS_MAX,
		         EXPAND_MAX);
	else if (rc == -ENODATA)
		snprintf(err, size,
		         "the matrix has no cells: its exclude lines leave nothing, or a range is empty here");
	else
		snprintf(err, size, "%s", strerror(-rc));
	return rc;
}

static int
collect_all(struct collect *co, const struct matrix *m)
{
	struct expand_count count = { 0, 0 };
	int rc = 0;

	for (int i = 0; !rc && i < m->nsections; i++)
		rc = expand_section(m, &m->sections[i], on_combination, co, &count);
	co->c->asked = count.asked;
	co->c->excluded = count.excluded;
	if (!rc && !co->c->n)
		rc = -ENODATA;
	for (int i = 0; !rc && i < co->c->n; i++)
		rc = join_block(co->c, i);
	return rc;
}

int
cells_make(struct cells *c, const struct matrix *m, uint64_t binary, const struct machine *machine, char *err,
           size_t size)
{
	struct collect co = { c, calloc(SLOTS, sizeof *co.slot) };

	*c = (struct cells){ .binary = binary, .usable = machine->usable };
	int rc = co.slot ? collect_all(&co, m) : -ENOMEM;
	free(co.slot);
	if (rc) {
		explain(rc, err, size);
		cells_free(c);
	}
	return rc;
}

void
cells_free(struct cells *c)
{
	for (int i = 0; i < c->nblocks; i++)
		free(c->block[i].cells);
	free(c->block);
	free(c->cell);
	*c = (struct cells){ 0 };
}
