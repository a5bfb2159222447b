// SPDX-License-Identifier: MIT
// describe.c: where a sample lies and how far it spreads, by order statistics. See stats.h.
#include "experiments/stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void
stats_sort(double *x, size_t n)
{
	if (n > 1)
		qsort(x, n, sizeof(*x), by_value);
}

// False for NaN anywhere, which no comparison lets pass.
static bool
usable(const double *sorted, size_t n)
{
	if (n == 0 || !isfinite(sorted[0]))
		return false;
	for (size_t i = 1; i < n; i++)
		if (!(sorted[i - 1] <= sorted[i]) || !isfinite(sorted[i]))
			return false;
	return true;
}

double
stats_quantile(const double *sorted, size_t n, double q)
{
	double at, below;
	size_t i;

	if (!usable(sorted, n) || !(q >= 0 && q <= 1))
		return NAN;
	at = (double)(n - 1) * q;
	below = floor(at);
	i = (size_t)below;
	if (i + 1 >= n)
		return sorted[n - 1];
	return sorted[i] + (at - below) * (sorted[i + 1] - sorted[i]);
}

double
stats_median(const double *sorted, size_t n)
{
	return stats_quantile(sorted, n, 0.5);
}

double
stats_mad(double *x, size_t n)
{
	double center;

	stats_sort(x, n);
	center = stats_median(x, n);
	if (isnan(center))
		return NAN;
	for (size_t i = 0; i < n; i++)
		x[i] = fabs(x[i] - center);
	stats_sort(x, n);
	return stats_median(x, n);
}

int
stats_geomean(const double *x, size_t n, double *mean)
{
	double sum = 0;

	if (n == 0)
		return -EINVAL;
	for (size_t i = 0; i < n; i++) {
		if (!(x[i] > 0) || !isfinite(x[i]))
			return -EDOM;
		sum += log(x[i]);
	}
	*mean = exp(sum / (double)n);
	return 0;
}
