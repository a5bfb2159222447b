// SPDX-License-Identifier: MIT
// stats.h: the statistics behind every figure and verdict of the laboratory.
//
// The one idea: run times are neither normal nor independent of the hour, so nothing here assumes a distribution. What
// is said about a median comes from order statistics, what is said about two policies from the signs of their
// differences within a round; both are exact for any number of rounds, and both admit it when there are too few.
// Means, standard deviations and t-tests were rejected: one slow episode of a virtual machine moves them at will.
//
//	double a[12], b[12], scratch[12];               // a[i] and b[i] were measured in the same round
//	struct stats_ratio r;
//
//	if (stats_paired_ratio(a, b, 12, 0.95, scratch, &r) == 0 && r.interval.rank > 0)
//		printf("%.3f [%.3f, %.3f]\n", r.ratio, r.interval.low, r.interval.high);
//
// Conventions: "sorted" arrays stand in ascending order, as stats_sort leaves them; a function that needs one checks it.
// Calls return 0 or -errno:
//   -EINVAL  no observations, an array that is not sorted, a level outside (0, 1);
//   -EDOM    a value that is not finite, or not above 0 where a logarithm is taken, or a p outside [0, 1];
//   -ERANGE  too few observations for an interval of that level (stats_interval_min_n tells how many it takes).
// Those that return a double return NaN instead. One family a file: describe.c, sign.c, holm.c; others come beside them.
#ifndef EXPERIMENTS_STATS_STATS_H
#define EXPERIMENTS_STATS_STATS_H

#include <stddef.h>

// ---- describe.c: one sample ----------------------------------------------------------------------------------------

void stats_sort(double *x, size_t n);

// The middle value, or the mean of the two in the middle. quantile interpolates between order statistics at (n - 1) q
// (type 7 of Hyndman and Fan, the default of R and numpy); 0 <= q <= 1.
double stats_median(const double *sorted, size_t n);
double stats_quantile(const double *sorted, size_t n, double q);

// Median absolute deviation from the median; 1.4826 times it estimates the standard deviation of a normal sample.
// Overwrites x.
double stats_mad(double *x, size_t n);

// exp of the mean logarithm. -EDOM for a value that is not above 0.
int stats_geomean(const double *x, size_t n, double *mean);

// ---- sign.c: medians, and differences of pairs ---------------------------------------------------------------------

// P(at most k heads in n throws of a fair coin).
double stats_coin_cdf(size_t n, size_t k);

struct stats_interval {
	double low, high; // the rank-th smallest and the rank-th largest observation
	double coverage;  // exactly how often such an interval holds the true median: at least the level asked for
	size_t rank;      // 1..; 0: there is no interval
};

// The narrowest symmetric pair of order statistics that covers the median with at least that probability. With fewer
// than stats_interval_min_n(level) observations (6 for 0.95) even smallest and largest do not: -ERANGE, and *out has
// rank 0. Ties make it cover more, never less.
int stats_median_interval(const double *sorted, size_t n, double level, struct stats_interval *out);
size_t stats_interval_min_n(double level);

// Two-sided sign test: how likely a split at least as uneven as above : below is when both sides are equally likely.
// Ties are left out by the caller. 1 when nothing is left.
double stats_sign_test(size_t above, size_t below);

struct stats_ratio {
	size_t n;                       // pairs
	size_t above, below, ties;      // pairs in which x was larger, smaller, equal
	double ratio;                   // median of x / base, taken over the logarithms
	struct stats_interval interval; // of that median, as ratios; rank 0 when n is too small for the level
	double p;                       // sign test of "x and base do not differ"
};

// x[i] and base[i] belong together. An interval that leaves out 1 implies p <= 1 - level. Uses scratch[0..n). Not an
// error: too few pairs for an interval. -EDOM for a value that is not above 0.
int stats_paired_ratio(const double *x, const double *base, size_t n, double level, double *scratch,
                       struct stats_ratio *out);

// ---- holm.c: many comparisons in one table -------------------------------------------------------------------------

// Holm's step-down correction: adjusted[i] <= alpha can be called a finding with at most that chance of a single false
// one among all m. p and adjusted may be the same array. Also -ENOMEM.
int stats_holm(const double *p, size_t m, double *adjusted);

// The fewest pairs with which one of m comparisons can get past Holm at alpha, by a sign test that all pairs agree in.
size_t stats_holm_min_n(size_t m, double alpha);

#endif
