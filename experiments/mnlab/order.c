// SPDX-License-Identifier: MIT
// order.c: seeded orders: shuffles and cyclic Latin squares.
//
// All order is a function of (seed, name, round) alone. No state is carried from round to round, so a run that was killed
// goes on in the very order that it would have had.
#include "experiments/mnlab/order.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

// splitmix64: one addition and a mixer; passes for shuffling lists of a few hundred.
uint64_t
order_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

uint64_t
order_seed(uint64_t seed, const char *name, uint64_t n)
{
	return XXH3_64bits_withSeed(name, strlen(name), seed ^ (n * 0x9e3779b97f4a7c15u));
}

void
order_shuffle(uint64_t seed, int *out, int n)
{
	for (int i = 0; i < n; i++)
		out[i] = i;
	for (int i = n - 1; i > 0; i--) {
		int j = (int)(order_next(&seed) % (uint64_t)(i + 1));
		int t = out[i];
		out[i] = out[j];
		out[j] = t;
	}
}

void
order_latin(uint64_t seed, const char *name, int round, int *out, int n)
{
	if (n < 1)
		return;
	int *base = malloc(2 * (size_t)n * sizeof *base); // the square's first row, and the order of its rows
	if (!base)
		abort();
	uint64_t square = order_seed(seed, name, (uint64_t)(round / n));
	int *rows = base + n;
	order_shuffle(square, base, n);
	order_shuffle(~square, rows, n);
	int start = rows[round % n];
	for (int i = 0, at = start; i < n; i++, at = (at + 1) % n)
		out[i] = base[at];
	free(base);
}
