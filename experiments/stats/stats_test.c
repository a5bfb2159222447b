// SPDX-License-Identifier: MIT
// stats_test.c: the statistics against closed forms, tables in print, and the edges of their ranges.
#include "experiments/stats/stats.h"

#include <errno.h>
#include <stdlib.h>

#include "experiments/stats/expect.h"

static struct expect_count expected;

enum { LONGEST = 128 };

static void
count_up(double *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		x[i] = (double)(i + 1);
}

static void
test_quantiles(void)
{
	double one[] = { 7 }, ten[10], odd[] = { 1, 3, 4, 8, 20 };

	count_up(ten, 10);
	expect_near(stats_median(one, 1), 7, 0);
	expect_near(stats_quantile(one, 1, 0.99), 7, 0);
	expect_near(stats_median(ten, 10), 5.5, 0);
	expect_near(stats_median(odd, 5), 4, 0);
	// R: quantile(1:10, c(0, .25, .9, 1)); quantile(c(1, 3, 4, 8, 20), .9)
	expect_near(stats_quantile(ten, 10, 0), 1, 0);
	expect_near(stats_quantile(ten, 10, 0.25), 3.25, 1e-12);
	expect_near(stats_quantile(ten, 10, 0.9), 9.1, 1e-12);
	expect_near(stats_quantile(ten, 10, 1), 10, 0);
	expect_near(stats_quantile(odd, 5, 0.9), 15.2, 1e-12);
}

static void
test_quantile_refuses(void)
{
	double sorted[] = { 1, 2, 3 }, unsorted[] = { 2, 1, 3 }, nan_inside[] = { 1, NAN, 3 },
	       inf_last[] = { 1, 2, INFINITY };

	expect(isnan(stats_median(sorted, 0)));
	expect(isnan(stats_median(unsorted, 3)));
	expect(isnan(stats_median(nan_inside, 3)));
	expect(isnan(stats_median(inf_last, 3)));
	expect(isnan(stats_quantile(sorted, 3, -0.1)));
	expect(isnan(stats_quantile(sorted, 3, 1.1)));
	expect(isnan(stats_quantile(sorted, 3, NAN)));
}

static void
test_sort(void)
{
	double x[] = { 3, -1, 2, 2, 0 }, want[] = { -1, 0, 2, 2, 3 };

	stats_sort(x, 5);
	for (int i = 0; i < 5; i++)
		expect_near(x[i], want[i], 0);
	stats_sort(NULL, 0);
}

static void
test_mad(void)
{
	double x[] = { 9, 1, 4, 2, 1, 6, 2 }, same[] = { 5, 5, 5 }, bad[] = { 1, NAN };

	expect_near(stats_mad(x, 7), 1, 0);
	expect_near(stats_mad(same, 3), 0, 0);
	expect(isnan(stats_mad(bad, 2)));
	expect(isnan(stats_mad(bad, 0)));
}

static void
test_geomean(void)
{
	double x[] = { 1, 10, 100 }, zero[] = { 1, 0 }, negative[] = { 1, -2 }, endless[] = { INFINITY }, mean = 0;

	expect(stats_geomean(x, 3, &mean) == 0);
	expect_near(mean, 10, 1e-12);
	expect(stats_geomean(x, 0, &mean) == -EINVAL);
	expect(stats_geomean(zero, 2, &mean) == -EDOM);
	expect(stats_geomean(negative, 2, &mean) == -EDOM);
	expect(stats_geomean(endless, 1, &mean) == -EDOM);
}

static void
test_coin(void)
{
	expect_near(stats_coin_cdf(0, 0), 1, 0);
	expect_near(stats_coin_cdf(1, 0), 0.5, 0);
	expect_near(stats_coin_cdf(12, 2), 79.0 / 4096, 0);
	expect_near(stats_coin_cdf(20, 5), 21700.0 / 1048576, 0);
	expect_near(stats_coin_cdf(20, 20), 1, 0);
	expect_near(stats_coin_cdf(20, 99), 1, 0);
	// An odd number of throws has no middle.
	expect_near(stats_coin_cdf(999, 499), 0.5, 1e-12);
	expect_near(stats_coin_cdf(1001, 500), 0.5, 1e-10);
	expect_near(stats_coin_cdf(20001, 10000), 0.5, 1e-9);
}

// Pascal's rule ties the two ways of summing together where one takes over from the other.
static void
test_coin_ways_agree(void)
{
	for (size_t k = 400; k < 600; k += 7) {
		double by_rule = (stats_coin_cdf(1000, k) + stats_coin_cdf(1000, k - 1)) / 2;

		expect_near(stats_coin_cdf(1001, k) / by_rule, 1, 1e-10);
	}
}

// Ranks of the lower limit at 95 %, as printed in tables of the sign test's interval for the median.
static void
test_interval_ranks(void)
{
	static const struct {
		size_t n, rank;
		double coverage;
	} table[] = {
		{ 6, 1, 0.96875 },      { 7, 1, 0.984375 },   { 8, 1, 0.9921875 }, { 9, 2, 0.9609375 },
		{ 10, 2, 0.978515625 }, { 11, 2, 0.98828 },   { 12, 3, 0.96142 },  { 15, 4, 0.96484 },
		{ 17, 5, 0.95096 },     { 20, 6, 0.95861 },   { 25, 8, 0.95671 },  { 30, 10, 0.95723 },
		{ 50, 18, 0.96716 },    { 100, 40, 0.96480 },
	};
	double x[LONGEST];
	struct stats_interval ci;

	count_up(x, LONGEST);
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		expect(stats_median_interval(x, table[i].n, 0.95, &ci) == 0);
		expect(ci.rank == table[i].rank);
		expect_near(ci.low, (double)table[i].rank, 0);
		expect_near(ci.high, (double)(table[i].n + 1 - table[i].rank), 0);
		expect_near(ci.coverage, table[i].coverage, 6e-6);
	}
}

// For every n: the level is reached, and one rank further in it would not be.
static void
test_interval_is_narrowest(void)
{
	double x[LONGEST];
	struct stats_interval ci;

	count_up(x, LONGEST);
	for (size_t n = 6; n <= LONGEST; n++) {
		expect(stats_median_interval(x, n, 0.95, &ci) == 0);
		expect(ci.coverage >= 0.95);
		expect(1 - 2 * stats_coin_cdf(n, ci.rank) < 0.95);
	}
}

static void
test_interval_refuses(void)
{
	double x[] = { 1, 2, 3, 4, 5, 6 }, unsorted[] = { 2, 1, 3, 4, 5, 6 }, bad[] = { 1, 2, 3, 4, 5, NAN };
	struct stats_interval ci;

	for (size_t n = 1; n < 6; n++) {
		expect(stats_median_interval(x, n, 0.95, &ci) == -ERANGE);
		expect(ci.rank == 0 && isnan(ci.low) && isnan(ci.high));
	}
	expect(stats_median_interval(x, 5, 0.90, &ci) == 0 && ci.rank == 1);
	expect(stats_median_interval(x, 6, 0.99, &ci) == -ERANGE);
	expect(stats_median_interval(x, 0, 0.95, &ci) == -EINVAL);
	expect(stats_median_interval(x, 6, 0, &ci) == -EINVAL);
	expect(stats_median_interval(x, 6, 1, &ci) == -EINVAL);
	expect(stats_median_interval(x, 6, NAN, &ci) == -EINVAL);
	expect(stats_median_interval(unsorted, 6, 0.95, &ci) == -EINVAL);
	expect(stats_median_interval(bad, 6, 0.95, &ci) == -EDOM);
	expect(stats_interval_min_n(0.95) == 6);
	expect(stats_interval_min_n(0.90) == 5);
	expect(stats_interval_min_n(0.99) == 8);
	expect(stats_interval_min_n(0.5) == 2);
	expect(stats_interval_min_n(1) == 0);
}

static void
test_sign_test(void)
{
	expect_near(stats_sign_test(0, 0), 1, 0);
	expect_near(stats_sign_test(1, 0), 1, 0);
	expect_near(stats_sign_test(6, 0), 0.03125, 0);
	expect_near(stats_sign_test(0, 6), 0.03125, 0);
	expect_near(stats_sign_test(5, 0), 0.0625, 0);
	expect_near(stats_sign_test(5, 5), 1, 0);
	// 8 of 10 deer with the longer left hind leg (Zar): two-tailed 0.109375. R: binom.test(7, 9)$p.value = 0.1796875.
	expect_near(stats_sign_test(8, 2), 0.109375, 0);
	expect_near(stats_sign_test(7, 2), 0.1796875, 0);
	expect_near(stats_sign_test(12, 0), 2.0 / 4096, 0);
}

static void
test_ratio(void)
{
	double base[12], x[12], scratch[12];
	struct stats_ratio r;

	// Ratios 0.81, 0.82, .. 0.92 in a mixed order, on bases that drift by a factor of ten.
	for (int i = 0; i < 12; i++) {
		base[i] = 100 + 80 * i;
		x[i] = base[i] * (0.81 + 0.01 * ((i * 5) % 12));
	}
	expect(stats_paired_ratio(x, base, 12, 0.95, scratch, &r) == 0);
	expect(r.n == 12 && r.above == 0 && r.below == 12 && r.ties == 0);
	expect_near(r.ratio, sqrt(0.86 * 0.87), 1e-9);
	expect_near(r.interval.low, 0.83, 1e-9);
	expect_near(r.interval.high, 0.90, 1e-9);
	expect(r.interval.rank == 3);
	expect_near(r.interval.coverage, 0.96142578125, 1e-12);
	expect_near(r.p, 2.0 / 4096, 1e-15);
}

// Swapping the sides turns the ratio over and changes nothing else.
static void
test_ratio_is_symmetric(void)
{
	double a[] = { 3, 5, 4, 9, 2, 8, 7 }, b[] = { 2, 6, 4, 3, 5, 5, 5 }, scratch[7];
	struct stats_ratio ab, ba;

	expect(stats_paired_ratio(a, b, 7, 0.95, scratch, &ab) == 0);
	expect(stats_paired_ratio(b, a, 7, 0.95, scratch, &ba) == 0);
	expect_near(ab.ratio * ba.ratio, 1, 1e-12);
	expect_near(ab.interval.low * ba.interval.high, 1, 1e-12);
	expect(ab.above == ba.below && ab.ties == 1 && ba.ties == 1);
	expect_near(ab.p, ba.p, 0);
}

static void
test_ratio_edges(void)
{
	double x[] = { 1, 2, 3, 4, 5, 6 }, zero[] = { 1, 2, 0, 4, 5, 6 }, negative[] = { -1, 2, 3, 4, 5, 6 },
	       scratch[6];
	double bad[] = { 1, 2, NAN, 4, 5, 6 };
	struct stats_ratio r;

	expect(stats_paired_ratio(x, x, 0, 0.95, scratch, &r) == -EINVAL);
	expect(stats_paired_ratio(x, x, 1, 0.95, scratch, &r) == 0);
	expect(r.interval.rank == 0 && isnan(r.interval.low) && r.ties == 1);
	expect_near(r.ratio, 1, 0);
	expect_near(r.p, 1, 0);
	// All tied: an interval of no width at 1, and no sign to test.
	expect(stats_paired_ratio(x, x, 6, 0.95, scratch, &r) == 0);
	expect(r.interval.rank == 1 && r.ties == 6);
	expect_near(r.interval.low, 1, 0);
	expect_near(r.interval.high, 1, 0);
	expect_near(r.p, 1, 0);
	expect(stats_paired_ratio(zero, x, 6, 0.95, scratch, &r) == -EDOM);
	expect(stats_paired_ratio(x, zero, 6, 0.95, scratch, &r) == -EDOM);
	expect(stats_paired_ratio(x, negative, 6, 0.95, scratch, &r) == -EDOM);
	expect(stats_paired_ratio(x, bad, 6, 0.95, scratch, &r) == -EDOM);
	expect(stats_paired_ratio(x, x, 6, 1.5, scratch, &r) == -EINVAL);
}

static void
expect_holm(const double *p, const double *want, size_t m)
{
	double got[8];

	expect(stats_holm(p, m, got) == 0);
	for (size_t i = 0; i < m; i++)
		expect_near(got[i], want[i], 1e-12);
}

static void
test_holm(void)
{
	// R: p.adjust(.., "holm")
	expect_holm((double[]){ 0.01, 0.02, 0.03, 0.04 }, (double[]){ 0.04, 0.06, 0.06, 0.06 }, 4);
	expect_holm((double[]){ 0.01, 0.04, 0.03, 0.005 }, (double[]){ 0.03, 0.06, 0.06, 0.02 }, 4);
	expect_holm((double[]){ 0.7, 0.7, 0.001 }, (double[]){ 1, 1, 0.003 }, 3);
	expect_holm((double[]){ 0.04 }, (double[]){ 0.04 }, 1);
}

static void
test_holm_edges(void)
{
	double p[] = { 0.5, 0.01, 0.5 }, bad[] = { 0.5, NAN }, above[] = { 1.5 }, out[3];

	expect(stats_holm(p, 0, out) == -EINVAL);
	expect(stats_holm(bad, 2, out) == -EDOM);
	expect(stats_holm(above, 1, out) == -EDOM);
	expect(stats_holm(p, 3, p) == 0);
	expect_near(p[1], 0.03, 1e-12);
	expect_near(p[0], 1, 0);
	expect(stats_holm_min_n(1, 0.05) == 6);
	expect(stats_holm_min_n(10, 0.05) == 9);
	expect(stats_holm_min_n(36, 0.05) == 11);
	expect(stats_holm_min_n(100, 0.05) == 12);
	expect(stats_holm_min_n(144, 0.05) == 13);
	expect(stats_holm_min_n(10, 0) == 0);
}

int
main(void)
{
	test_quantiles();
	test_quantile_refuses();
	test_sort();
	test_mad();
	test_geomean();
	test_coin();
	test_coin_ways_agree();
	test_interval_ranks();
	test_interval_is_narrowest();
	test_interval_refuses();
	test_sign_test();
	test_ratio();
	test_ratio_is_symmetric();
	test_ratio_edges();
	test_holm();
	test_holm_edges();
	return expect_done(&expected);
}
