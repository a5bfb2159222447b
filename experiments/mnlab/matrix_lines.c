// SPDX-License-Identifier: MIT
// matrix_lines.c: hands a matrix file to inih line by line, and keeps the position of every error.
//
// inih tells its handler neither line nor column, and it cuts long lines and long names without a word. So the lines
// reach it through this reader, which remembers the line, refuses what inih would cut, takes indentation away (inih
// would join indented lines), and looks at the section headings, since inih calls back for pairs only.
#include "experiments/mnlab/matrix_lines.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int
matrix_refuse(struct parser *p, int column, const char *format, ...)
{
	va_list args;
	int n = snprintf(p->err, p->size, "%s:%d:%d: ", p->m->path, p->number, column);

	va_start(args, format);
	if (n > 0 && (size_t)n < p->size)
		vsnprintf(p->err + n, p->size - (size_t)n, format, args);
	va_end(args);
	p->rc = -EINVAL;
	return p->rc;
}

void *
matrix_grow(struct parser *p, void *array, int n, size_t item)
{
	void *more = realloc(array, ((size_t)n + 1) * item);

	if (more)
		memset((char *)more + (size_t)n * item, 0, item);
	else
		matrix_refuse(p, 1, "out of memory");
	return more;
}

struct section *
matrix_add_section(struct parser *p, const char *name)
{
	struct matrix *m = p->m;
	struct section *s = matrix_grow(p, m->sections, m->nsections, sizeof *s);

	if (!s)
		return NULL;
	m->sections = s;
	s += m->nsections++;
	snprintf(s->name, sizeof s->name, "%s", name);
	s->line = p->number;
	return s;
}

// The manifest holds the text of the matrix, and JSON is UTF-8.
static bool
is_utf8(const char *text, size_t n)
{
	json_t *string = json_stringn(text, n);

	json_decref(string);
	return string != NULL;
}

// The next line of the file without its end and its indentation, in p->line.
static bool
take_line(struct parser *p)
{
	const char *end = p->m->text + p->m->length;

	if (p->rc || p->next == end)
		return false;
	const char *stop = memchr(p->next, '\n', (size_t)(end - p->next));
	size_t n = (size_t)((stop ? stop : end) - p->next);
	const char *start = p->next;
	p->next = stop ? stop + 1 : end;
	p->number++;
	if (n && start[n - 1] == '\r')
		n--;
	if (memchr(start, 0, n)) {
		matrix_refuse(p, 1, "a NUL byte: not a text file");
		return false;
	}
	if (!is_utf8(start, n)) {
		matrix_refuse(p, 1, "not UTF-8");
		return false;
	}
	size_t indent = 0;
	while (indent < n && isblank((unsigned char)start[indent]))
		indent++;
	if (n - indent > LINE_MAX_CHARS) {
		matrix_refuse(p, LINE_MAX_CHARS + 1, "a line of %zu characters; allowed: up to %d", n - indent,
		              LINE_MAX_CHARS);
		return false;
	}
	snprintf(p->line, sizeof p->line, "%.*s", (int)(n - indent), start + indent);
	p->column = (int)indent + 1;
	return true;
}

static int
open_matrix(struct parser *p)
{
	if (p->m->sections[0].line)
		return matrix_refuse(p, p->column, "[matrix] once more; the first is in line %d",
		                     p->m->sections[0].line);
	p->m->sections[0].line = p->number;
	p->where = IN_MATRIX;
	return 0;
}

static int
open_set(struct parser *p, const char *name, int column)
{
	for (int i = 1; i < p->m->nsections; i++)
		if (!strcmp(p->m->sections[i].name, name))
			return matrix_refuse(p, column, "[set %s] once more; the first is in line %d", name,
			                     p->m->sections[i].line);
	p->where = IN_SET;
	return matrix_add_section(p, name) ? 0 : p->rc;
}

static int
open_workload(struct parser *p, const char *name, int column)
{
	struct factor_id id;
	char err[512], any[MATRIX_NAME_MAX + 2];
	int i = 0;

	snprintf(any, sizeof any, "%s.", name);
	p->workload = workload_find(name);
	if (!p->workload) {
		factor_find(&id, any, err, sizeof err); // for its list
		return matrix_refuse(p, column, "%s", err);
	}
	while (workload_at(i) && workload_at(i) != p->workload)
		i++;
	if (i < (int)(sizeof p->heading / sizeof p->heading[0])) {
		if (p->heading[i])
			return matrix_refuse(p, column, "[workload %s] once more; the first is in line %d", name,
			                     p->heading[i]);
		p->heading[i] = p->number;
	}
	p->where = IN_WORKLOAD;
	return 0;
}

// Splits "[set NAME]" into kind and name (which may be empty), of NAME_MAX_CHARS + 1 bytes; *at is the name's place in
// the line. False: it does not have that shape.
static bool
split_heading(const char *line, char *kind, char *name, size_t *at)
{
	size_t close = strcspn(line, "]"), p = 1 + strspn(line + 1, " \t");

	if (!line[close] || close > NAME_MAX_CHARS)
		return false;
	size_t rest = close + 1 + strspn(line + close + 1, " \t");
	if (line[rest] && line[rest] != ';' && line[rest] != '#')
		return false;
	size_t n = strcspn(line + p, "] \t");
	snprintf(kind, NAME_MAX_CHARS + 1, "%.*s", (int)n, line + p);
	p += n;
	p += strspn(line + p, " \t");
	*at = p;
	while (close > p && isblank((unsigned char)line[close - 1]))
		close--;
	snprintf(name, NAME_MAX_CHARS + 1, "%.*s", (int)(close - p), line + p);
	return kind[0];
}

static int
heading(struct parser *p)
{
	char kind[NAME_MAX_CHARS + 1], name[NAME_MAX_CHARS + 1];
	size_t at;

	if (!split_heading(p->line, kind, name, &at))
		return matrix_refuse(p, p->column,
		                     "not a section heading; allowed: [matrix], [set NAME], [workload NAME]");
	int column = p->column + (int)at;
	if (!strcmp(kind, "matrix") && !name[0])
		return open_matrix(p);
	if (!strcmp(kind, "set") && name[0])
		return open_set(p, name, column);
	if (!strcmp(kind, "workload") && name[0])
		return open_workload(p, name, column);
	return matrix_refuse(p, p->column, "unknown section [%s%s%s]; allowed: [matrix], [set NAME], [workload NAME]",
	                     kind, name[0] ? " " : "", name);
}

static int
check_pair(struct parser *p)
{
	size_t n = strcspn(p->line, "=:");

	if (!p->line[n])
		return matrix_refuse(p, p->column, "\"%.40s\" is neither a section, a comment nor NAME = VALUE",
		                     p->line);
	while (n && isblank((unsigned char)p->line[n - 1]))
		n--;
	if (!n)
		return matrix_refuse(p, p->column, "a name is missing before the %c", p->line[strcspn(p->line, "=:")]);
	if (n > NAME_MAX_CHARS)
		return matrix_refuse(p, p->column, "a name of %zu characters; allowed: up to %d", n, NAME_MAX_CHARS);
	if (p->where == IN_NOTHING)
		return matrix_refuse(p, p->column, "\"%.*s\" stands before any section; allowed first: [matrix]",
		                     (int)n, p->line);
	return 0;
}

char *
matrix_next_line(char *buffer, int size, void *user)
{
	struct parser *p = user;

	if (!take_line(p))
		return NULL;
	if (p->line[0] == '[')
		heading(p);
	else if (p->line[0] && p->line[0] != ';' && p->line[0] != '#')
		check_pair(p);
	if (p->rc)
		return NULL;
	snprintf(buffer, (size_t)size, "%s\n", p->line);
	return buffer;
}
