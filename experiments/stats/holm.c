// SPDX-License-Identifier: MIT
// holm.c: Holm's correction for a table of comparisons. See stats.h.
//
// Holm and not Bonferroni, which it beats at no cost; and not the false discovery rate, because a reader takes single
// lines out of the table and believes them.
#include "experiments/stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

struct entry {
	double p;
	size_t at;
};

static int
by_p(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return (x->p > y->p) - (x->p < y->p);
}

int
stats_holm(const double *p, size_t m, double *adjusted)
{
	double running = 0;
	struct entry *order;

	if (m == 0)
		return -EINVAL;
	for (size_t i = 0; i < m; i++)
		if (!(p[i] >= 0 && p[i] <= 1))
			return -EDOM;
	order = malloc(m * sizeof(*order));
	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < m; i++)
		order[i] = (struct entry){ .p = p[i], .at = i };
	qsort(order, m, sizeof(*order), by_p);
	for (size_t i = 0; i < m; i++) {
		running = fmax(running, fmin(1, order[i].p * (double)(m - i)));
		adjusted[order[i].at] = running;
	}
	free(order);
	return 0;
}

size_t
stats_holm_min_n(size_t m, double alpha)
{
	size_t n = 1;

	if (!(alpha > 0 && alpha < 1))
		return 0;
	while (stats_sign_test(n, 0) * (double)m > alpha)
		n++;
	return n;
}
