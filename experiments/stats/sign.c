// SPDX-License-Identifier: MIT
// sign.c: what signs and order statistics say about a median. See stats.h.
//
// Each observation lies above the true median with chance 1/2, whatever the distribution; so how many do is binomial, and
// an interval between two order statistics has a coverage that can be computed to the last digit. Wilcoxon's signed ranks
// would be narrower, but want differences that are symmetric about their median, which run times do not offer.
#include "experiments/stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>

enum { COIN_EXACT_MAX = 1000 }; // up to here 2^-n and all binomial coefficients fit a double

// The terms grow from 2^-n by integer factors, so that they are exact as long as a coefficient is below 2^53.
static double
coin_cdf_summed(size_t n, size_t k)
{
	double coefficient = 1, sum = 1;

	for (size_t i = 1; i <= k; i++) {
		coefficient = coefficient * (double)(n - i + 1) / (double)i;
		sum += coefficient;
	}
	return ldexp(sum, -(int)n);
}

static double
log_factorial(size_t n)
{
	int sign;

	return lgamma_r((double)n + 1, &sign);
}

static double
coin_cdf_by_logarithms(size_t n, size_t k)
{
	double whole = log_factorial(n) - (double)n * M_LN2, sum = 0;

	for (size_t i = 0; i <= k; i++)
		sum += exp(whole - log_factorial(i) - log_factorial(n - i));
	return fmin(sum, 1);
}

double
stats_coin_cdf(size_t n, size_t k)
{
	if (k >= n)
		return 1;
	return n <= COIN_EXACT_MAX ? coin_cdf_summed(n, k) : coin_cdf_by_logarithms(n, k);
}

static double
coverage_at(size_t n, size_t rank)
{
	return 1 - 2 * stats_coin_cdf(n, rank - 1);
}

// Coverage falls as the rank rises towards the middle: halve the range between a rank that covers and one that does not.
static size_t
narrowest_rank(size_t n, double level)
{
	size_t covers = 0, fails = n / 2 + 1;

	while (fails - covers > 1) {
		size_t middle = covers + (fails - covers) / 2;

		if (coverage_at(n, middle) >= level)
			covers = middle;
		else
			fails = middle;
	}
	return covers;
}

size_t
stats_interval_min_n(double level)
{
	size_t n = 2;

	if (!(level > 0 && level < 1))
		return 0;
	while (n < COIN_EXACT_MAX && coverage_at(n, 1) < level)
		n++;
	return n;
}

int
stats_median_interval(const double *sorted, size_t n, double level, struct stats_interval *out)
{
	*out = (struct stats_interval){ .low = NAN, .high = NAN };
	if (!(level > 0 && level < 1) || n == 0)
		return -EINVAL;
	if (isnan(stats_median(sorted, n))) {
		for (size_t i = 0; i < n; i++)
			if (!isfinite(sorted[i]))
				return -EDOM;
		return -EINVAL;
	}
	out->rank = narrowest_rank(n, level);
	if (out->rank == 0)
		return -ERANGE;
	out->low = sorted[out->rank - 1];
	out->high = sorted[n - out->rank];
	out->coverage = coverage_at(n, out->rank);
	return 0;
}

double
stats_sign_test(size_t above, size_t below)
{
	size_t fewer = above < below ? above : below;

	return fmin(1, 2 * stats_coin_cdf(above + below, fewer));
}

static bool
has_logarithm(double x)
{
	return x > 0 && isfinite(x);
}

// Signs are taken from the values, not from the logarithms: two that differ by one unit in the last place still differ.
static void
count_sign(struct stats_ratio *r, double x, double base)
{
	r->above += x > base;
	r->below += x < base;
	r->ties += x == base;
}

int
stats_paired_ratio(const double *x, const double *base, size_t n, double level, double *scratch,
                   struct stats_ratio *out)
{
	int err;

	*out = (struct stats_ratio){ .n = n, .ratio = NAN, .interval = { .low = NAN, .high = NAN }, .p = NAN };
	for (size_t i = 0; i < n; i++) {
		if (!has_logarithm(x[i]) || !has_logarithm(base[i]))
			return -EDOM;
		scratch[i] = log(x[i]) - log(base[i]);
		count_sign(out, x[i], base[i]);
	}
	stats_sort(scratch, n);
	err = stats_median_interval(scratch, n, level, &out->interval);
	if (err && err != -ERANGE)
		return err;
	out->ratio = exp(stats_median(scratch, n));
	out->interval.low = exp(out->interval.low);
	out->interval.high = exp(out->interval.high);
	out->p = stats_sign_test(out->above, out->below);
	return 0;
}
