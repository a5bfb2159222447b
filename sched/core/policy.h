// SPDX-License-Identifier: MIT
// policy.h: every choice that experiments vary, as rows of tables. The rows share steal.c and wake.c, so that two rows
// differ in nothing but their columns.
#ifndef SCHED_CORE_POLICY_H
#define SCHED_CORE_POLICY_H

#include "sched/core/runq.h"

struct p;

// One pass over victims. Filled by begin, moved on by next.
struct victim_walk {
	struct p *thief;
	uint32_t left;       // victims still to name
	uint32_t at, stride; // for walks in steps
};

// Names victims, one a call, never the thief; NULL ends the pass. Lengths that it reads are hints. A row need not name
// every P: the last pass of a search is always the complete random walk (steal.c), so that no work can strand.
struct victim_policy {
	const char *name;
	void (*begin)(struct victim_walk *w);
	struct p *(*next)(struct victim_walk *w);
};

struct amount_policy {
	const char *name;
	runq_amount how_many; // NULL: no stealing
};

// May one more M search, when `spinning` do and `busy` Ps are not idle? lingers: a search that found nothing goes on looking
// for a while.
struct spin_policy {
	const char *name;
	bool (*may)(uint32_t spinning, uint32_t busy);
	bool lingers;
};

extern const struct victim_policy mn_victim_policies[];
extern const struct amount_policy mn_amount_policies[];
extern const struct spin_policy mn_spin_policies[];

// The complete walk in random order that ends every search.
extern const struct victim_policy *const mn_victim_everybody;
// The row that needs every P's distances, and the call that measures them.
extern const struct victim_policy *const mn_victim_by_distance;
struct mn_topo;
int mn_policy_measure(const struct mn_topo *t); // 0 or -errno

// The strides of random walks, for that many Ps.
int mn_policy_init(uint32_t nprocs); // 0 or -ENOMEM
void mn_policy_release(void);

#endif
