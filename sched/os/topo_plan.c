// SPDX-License-Identifier: MIT
// topo_plan: from the option pin to a PU for each P. The one idea is the tier: PUs that are alike, so that any of them will
// do. close takes a tier from its start, spread picks in it by distance; the order of the tiers is the same for both.
#include "sched/os/topo_in.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A tier is what one may choose among freely: the k-th PUs of all cores of one speed. Tiers are used up in order, all
// cores before any sibling, fast before slow. Writes up to n indices into place, in out; returns how many, or -errno.
static int
fill_tier(const struct mn_topo *t, bool far, int sibling, int speed, int n, int *out)
{
	int *tier = malloc((size_t)t->n * sizeof(*tier));
	int size = 0, rc = 0;

	if (!tier)
		return -ENOMEM;
	for (int i = 0; i < t->n; i++)
		if (t->place[i].sibling == sibling && t->place[i].speed == speed)
			tier[size++] = i;
	n = n < size ? n : size;
	if (far && n > 0)
		rc = mn_topo_spread(t, tier, size, n, out);
	else
		memcpy(out, tier, (size_t)n * sizeof(*out));
	free(tier);
	return rc ? rc : n;
}

// Writes the numbers of up to n PUs, the best first; returns how many.
static int
plan_tiers(const struct mn_topo *t, bool far, int n, int *pu)
{
	int done = 0;

	for (int sibling = 0; sibling < t->siblings; sibling++) {
		for (int speed = t->speeds - 1; speed >= 0; speed--) {
			int rc = fill_tier(t, far, sibling, speed, n - done, pu + done);

			if (rc < 0)
				return rc;
			done += rc;
		}
	}
	for (int i = 0; i < done; i++)
		pu[i] = t->place[pu[i]].os;
	return done;
}

static int
refuse_pu(const struct mn_topo *t, int pu, int column, char *err, size_t size)
{
	char allowed[256];

	mn_topo_list(t, allowed, sizeof(allowed));
	snprintf(err, size, "pin: column %d: PU %d is not there or not allowed (allowed: %s)", column, pu, allowed);
	return -EINVAL;
}

// Writes the first n PUs of a list, and checks all; returns how many.
static int
plan_list(const struct mn_topo *t, const char *pin, int n, int *pu, char *err, size_t size)
{
	struct mn_topo_range range;
	size_t at = 0;
	int done = 0, rc;

	while ((rc = mn_topo_pin_next(pin, &at, &range, err, size)) > 0) {
		for (int i = range.first; i <= range.last; i++) {
			if (!mn_topo_find(t, i))
				return refuse_pu(t, i, range.column, err, size);
			if (done < n)
				pu[done++] = i;
		}
	}
	return rc < 0 ? rc : done;
}

int
mn_topo_plan(const struct mn_topo *t, const char *pin, int procs, int *pu, char *err, size_t size)
{
	enum mn_topo_pin kind = mn_topo_pin_kind(pin);
	int n = 1;

	if (procs < 1) {
		snprintf(err, size, "pin: %d Ps to bind (allowed: 1 and more)", procs);
		return -EINVAL;
	}
	pu[0] = -1;
	if (kind == MN_TOPO_PIN_LIST)
		n = plan_list(t, pin, procs, pu, err, size);
	else if (kind != MN_TOPO_PIN_NONE)
		n = plan_tiers(t, kind == MN_TOPO_PIN_SPREAD, procs, pu);
	for (int i = n; n > 0 && i < procs; i++)
		pu[i] = pu[i - n];
	if (n < 0 && kind != MN_TOPO_PIN_LIST)
		snprintf(err, size, "pin: %s: %s", pin, strerror(-n));
	return n < 0 ? n : 0;
}
