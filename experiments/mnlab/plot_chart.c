// SPDX-License-Identifier: MIT
// plot_chart.c: what the charts have in common; see plot_chart.h.
#include "experiments/mnlab/plot_chart.h"

#include "experiments/mnlab/plot_file.h"
#include "experiments/stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void
chart_text(struct chart_job *job, const char *name, const char *value)
{
	fprintf(job->vars, "%s=", name);
	plot_quote(job->vars, value);
	fputc('\n', job->vars);
}

void
chart_number(struct chart_job *job, const char *name, double value)
{
	fprintf(job->vars, "%s=%.9g\n", name, value);
}

void
chart_texts(struct chart_job *job, const char *name, const char *const *values, size_t n)
{
	fprintf(job->vars, "n_%s=%zu\narray %s[%zu]\n", name, n, name, n ? n : 1);
	for (size_t i = 0; i < n; i++) {
		fprintf(job->vars, "%s[%zu]=", name, i + 1);
		plot_quote(job->vars, values[i]);
		fputc('\n', job->vars);
	}
}

// grain_ns=5000000 reads better as 5 ms.
static void
show_param(char *text, size_t size, const char *name, const char *value)
{
	size_t n = strlen(name);
	bool ns = n > 3 && !strcmp(name + n - 3, "_ns"), us = n > 3 && !strcmp(name + n - 3, "_us");
	double v = strtod(value, NULL) * (us ? 1e3 : 1);

	if (!strcmp(name, "tasks") || !strcmp(name, "loops"))
		snprintf(text, size, "%s %s", value, name);
	else if (!ns && !us)
		snprintf(text, size, "%s %s", name, value);
	else if (v >= 1e6)
		snprintf(text, size, "%.*s %g ms", (int)n - 3, name, v / 1e6);
	else if (v >= 1e3)
		snprintf(text, size, "%.*s %g µs", (int)n - 3, name, v / 1e3);
	else
		snprintf(text, size, "%.*s %g ns", (int)n - 3, name, v);
}

static const char *
params_of(const struct obs_list *list, const char *workload)
{
	for (size_t i = 0; i < list->n; i++) {
		if (!strcmp(list->obs[i].workload, workload) && list->obs[i].params[0])
			return list->obs[i].params;
	}
	return "";
}

// Only what a title has room for: the parameters that say how much work there is. All of them stand in the rows.
void
chart_title(const struct obs_list *list, const char *workload, char *title, size_t size)
{
	static const char *const kept[] = { "tasks", "loops", "grain_ns", "loop_us", NULL };
	char params[PLOT_PARAMS], text[96], *save = NULL;
	size_t used = (size_t)snprintf(title, size, "%s", workload);

	for (int i = 0; kept[i]; i++) {
		snprintf(params, sizeof(params), "%s", params_of(list, workload));
		for (char *p = strtok_r(params, " ", &save); p && used < size; p = strtok_r(NULL, " ", &save)) {
			char *eq = strchr(p, '=');
			if (!eq || strncmp(p, kept[i], (size_t)(eq - p)) || kept[i][eq - p])
				continue;
			*eq = '\0';
			show_param(text, sizeof(text), p, eq + 1);
			used += (size_t)snprintf(title + used, size - used, "%s %s", strchr(title, ':') ? "," : ":",
			                         text);
		}
	}
}

struct chart_median
chart_median(double *x, size_t n)
{
	struct chart_median m = { .n = n, .median = NAN, .lo = NAN, .hi = NAN };
	struct stats_interval ci;

	if (n == 0)
		return m;
	stats_sort(x, n);
	m.median = stats_median(x, n);
	if (stats_median_interval(x, n, 0.95, &ci) == 0) {
		m.lo = ci.low;
		m.hi = ci.high;
	}
	return m;
}

void
chart_rounds(size_t least, size_t most, char *text, size_t size)
{
	if (least == most)
		snprintf(text, size, "n = %zu round%s", most, most == 1 ? "" : "s");
	else
		snprintf(text, size, "n = %zu to %zu rounds", least, most);
}
