// SPDX-License-Identifier: MIT
// values.h: the right side of a line in a matrix file: lists, ranges, machine words.
//
//	half, one, all          a list; an item that holds a comma stands in quotes: "0,2-5"
//	1..8                    every whole number from 1 to 8
//	1..1024 *2              1, 2, 4, .. up to 1024
//	0..100 +25              0, 25, .. 100
//	pus  cores  llc  numa   what this machine has of them; auto: the processors that GOMAXPROCS would use
//	50%  200%               of pus, at least 1
//	4..200% *2              machine words may end a range; an end below the start then gives nothing
//
// Numbers written out twice are an error, since one of them is a slip; a number that a range or a machine word makes
// again is not: it depends on the machine.
#ifndef EXPERIMENTS_MNLAB_VALUES_H
#define EXPERIMENTS_MNLAB_VALUES_H

#include <stdbool.h>
#include <stddef.h>

struct machine;

enum { VALUE_TEXT_MAX = 256, VALUES_MAX = 4096 };

struct value {
	char text[VALUE_TEXT_MAX];
	int column;   // of its item in the line, from 1
	bool literal; // written as it stands, not made by a range or machine word
};

struct values {
	struct value *v;
	int n;
};

// Reads text, which begins at `column` of its line. numeric: ranges, machine words and percentages have their meaning;
// otherwise items are taken as they are. Returns 0, or -EINVAL with the column in *at and one line in err.
int values_read(struct values *out, const char *text, int column, bool numeric, const struct machine *m, int *at,
                char *err, size_t size);
void values_free(struct values *v);

#endif
