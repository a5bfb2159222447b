// SPDX-License-Identifier: MIT
// order_test.c: the orders are permutations, Latin over n rounds, and depend on the seed alone.
#include "experiments/mnlab/order.h"
#include "experiments/mnlab/tests/check.h"

#include <stdbool.h>

enum { N_MAX = 40 };

static void
check_permutation(const int *order, int n)
{
	bool seen[N_MAX] = { false };

	for (int i = 0; i < n; i++) {
		check(order[i] >= 0 && order[i] < n && !seen[order[i]]);
		seen[order[i]] = true;
	}
}

// In each group of n rounds every cell stands once at every place.
static void
test_latin(void)
{
	for (int n = 1; n <= N_MAX; n += n < 8 ? 1 : 13)
		for (int square = 0; square < 4; square++) {
			bool at[N_MAX][N_MAX] = { { false } };
			for (int round = 0; round < n; round++) {
				int order[N_MAX];
				order_latin(99, "block", square * n + round, order, n);
				check_permutation(order, n);
				for (int place = 0; place < n; place++) {
					check(!at[order[place]][place]);
					at[order[place]][place] = true;
				}
			}
		}
}

static bool
equal(const int *a, const int *b, int n)
{
	return !memcmp(a, b, (size_t)n * sizeof *a);
}

static void
test_seeded(void)
{
	int a[N_MAX], b[N_MAX];

	order_latin(1, "x", 3, a, 12);
	order_latin(1, "x", 3, b, 12);
	check(equal(a, b, 12)); // no state between calls
	order_latin(2, "x", 3, b, 12);
	check(!equal(a, b, 12));
	order_latin(1, "y", 3, b, 12);
	check(!equal(a, b, 12));
	order_latin(1, "x", 15, b, 12); // the same row number of the next square
	check(!equal(a, b, 12));
}

// Every cell comes first sometimes, and follows every other one sometimes; within a square the rows turn about.
static void
test_spread(void)
{
	int first[5] = { 0 }, follows[5][5] = { { 0 } };

	for (int square = 0; square < 400; square++) {
		int a[5], b[5], i = 0;
		order_latin(7, "block", 5 * square, a, 5);
		order_latin(7, "block", 5 * square + 1, b, 5);
		first[a[0]]++;
		for (int k = 0; k < 4; k++)
			follows[a[k]][a[k + 1]]++;
		while (b[i] != a[0])
			i++;
		check(b[(i + 1) % 5] == a[1]);
	}
	for (int i = 0; i < 5; i++) {
		check(first[i] > 40); // 80 expected
		for (int k = 0; k < 5; k++)
			check(i == k ? !follows[i][k] : follows[i][k] > 40); // likewise
	}
}

static void
test_shuffle(void)
{
	int order[N_MAX], count[3][3] = { { 0 } };

	for (int n = 0; n <= N_MAX; n++) {
		order_shuffle((uint64_t)n, order, n);
		check_permutation(order, n);
	}
	for (uint64_t seed = 0; seed < 3000; seed++) {
		order_shuffle(seed, order, 3);
		for (int place = 0; place < 3; place++)
			count[order[place]][place]++;
	}
	for (int i = 0; i < 3; i++)
		for (int k = 0; k < 3; k++)
			check(count[i][k] > 850 && count[i][k] < 1150); // 1000 expected, 26 the deviation
}

static void
test_seed_of_parts(void)
{
	check(order_seed(1, "a", 0) == order_seed(1, "a", 0));
	check(order_seed(1, "a", 0) != order_seed(1, "a", 1));
	check(order_seed(1, "a", 0) != order_seed(1, "b", 0));
	check(order_seed(1, "a", 0) != order_seed(2, "a", 0));
}

int
main(void)
{
	test_latin();
	test_seeded();
	test_spread();
	test_shuffle();
	test_seed_of_parts();
	return 0;
}
