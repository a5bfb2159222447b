// SPDX-License-Identifier: MIT
// stats_coverage_test.c: do the intervals hold the truth as often as they say, and how often does the paired test cry
// wolf? Simulated with a fixed seed, so that it gives the same figures every time.
#include "experiments/stats/stats.h"

#include <stdint.h>
#include <stdlib.h>

#include "experiments/stats/expect.h"

static struct expect_count expected;

enum { DRAWS = 10000, LONGEST = 25 };

static uint64_t state;

// splitmix64; (0, 1), both ends left out, so that every inverse below is finite.
static double
uniform(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	z ^= z >> 31;
	return ((double)(z >> 12) + 0.5) * 0x1p-52;
}

static double
normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

static double
exponential(void)
{
	return -log(uniform());
}

static double
lognormal(void)
{
	return exp(1.5 * normal());
}

static double
cauchy(void)
{
	return tan(M_PI * (uniform() - 0.5));
}

// A machine with slow episodes: mostly near 1, every fifth time near 4. Half of everything lies below 1 + 0.01 x the
// normal quantile at 0.5 / 0.8, 0.3186394.
static double
slow_episodes(void)
{
	return uniform() < 0.8 ? 1 + 0.01 * normal() : 4 + 0.1 * normal();
}

static const struct distribution {
	const char *name;
	double (*draw)(void);
	double median;
} distributions[] = {
	{ "uniform", uniform, 0.5 },
	{ "normal", normal, 0 },
	{ "exponential", exponential, M_LN2 },
	{ "lognormal", lognormal, 1 },
	{ "cauchy", cauchy, 0 },
	{ "slow episodes", slow_episodes, 1 + 0.01 * 0.31863936396437515 },
};

// The share of DRAWS intervals that hold the median; *claimed is what they say of themselves.
static double
covered(const struct distribution *d, size_t n, double *claimed)
{
	double x[LONGEST];
	struct stats_interval ci;
	int held = 0;

	for (int i = 0; i < DRAWS; i++) {
		for (size_t j = 0; j < n; j++)
			x[j] = d->draw();
		stats_sort(x, n);
		if (stats_median_interval(x, n, 0.95, &ci))
			return 0;
		held += ci.low <= d->median && d->median <= ci.high;
	}
	*claimed = ci.coverage;
	return (double)held / DRAWS;
}

// 0.94 is more than four standard errors below 0.95; so is 0.01 about what the interval claims.
static void
test_coverage(void)
{
	static const size_t sizes[] = { 6, 9, 12, 17, 25 };

	for (size_t d = 0; d < sizeof(distributions) / sizeof(distributions[0]); d++)
		for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
			double claimed = 0, got = covered(&distributions[d], sizes[s], &claimed);

			printf("%-14s n=%-3zu covers %.4f, claims %.4f\n", distributions[d].name, sizes[s], got,
			       claimed);
			expect(got >= 0.94);
			expect_near(got, claimed, 0.01);
		}
}

// One experiment of n rounds: each round has its own weather, which hits both sides; x is `effect` times as slow.
static void
rounds(size_t n, double effect, struct stats_ratio *r)
{
	double x[LONGEST], base[LONGEST], scratch[LONGEST];

	for (size_t i = 0; i < n; i++) {
		double weather = slow_episodes();

		base[i] = weather * exp(0.01 * normal());
		x[i] = effect * weather * exp(0.01 * normal());
	}
	expect(stats_paired_ratio(x, base, n, 0.95, scratch, r) == 0);
}

static double
findings(size_t n, double effect)
{
	struct stats_ratio r;
	int found = 0;

	for (int i = 0; i < DRAWS; i++) {
		bool outside;

		rounds(n, effect, &r);
		outside = r.interval.low > 1 || r.interval.high < 1;
		expect(!outside || r.p <= 0.05);
		found += outside;
	}
	return (double)found / DRAWS;
}

// The same thing under two names: at most alpha false findings. In truth 2^(1-6) = 0.031 and 0.039 of n=12.
static void
test_false_positives(void)
{
	static const size_t sizes[] = { 6, 12, 25 };

	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		double rate = findings(sizes[s], 1);

		printf("A/A n=%-3zu false findings %.4f\n", sizes[s], rate);
		expect(rate <= 0.05);
	}
}

// Noise of 1.4 % a pair inside fourfold weather: 3 % must be seen in 12 rounds nearly always.
static void
test_power(void)
{
	double rate = findings(12, 1.03);

	printf("planted 3 %% n=12 found %.4f\n", rate);
	expect(rate >= 0.95);
}

int
main(void)
{
	state = 20260101;
	test_coverage();
	test_false_positives();
	test_power();
	return expect_done(&expected);
}
