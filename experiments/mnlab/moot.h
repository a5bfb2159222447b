// SPDX-License-Identifier: MIT
// moot.h: which factors have no effect in which cells. The one place that knows.
#ifndef EXPERIMENTS_MNLAB_MOOT_H
#define EXPERIMENTS_MNLAB_MOOT_H

#include "experiments/mnlab/cells.h"

// Whether the option has no effect in this cell. Ask after moot_settle, too: the answer stays the same.
bool moot(const struct cell *c, const char *option);

// Sets every option without effect to its default (procs: 1 for serial, `usable` for threads), so that cells that differ
// in nothing else become equal.
void moot_settle(struct cell *c, int usable);

#endif
