// SPDX-License-Identifier: MIT
// topo: hwloc's tree, flattened at load time into one small row per PU, from which everything else is read off: counts,
// distances, the order of binding. Only spreading, binding and describing go back to the tree.
//
// Rejected: hwloc's flag RESTRICT_TO_CPUBINDING. It asks for the mask of the whole process, and drops the restriction
// without a word when threads have different ones; what counts here is the thread that calls mn_run. So the calling
// thread's mask is taken and the tree restricted to it. Rejected too: hwloc_distrib over all PUs at once. It goes by
// weight, so that where some cores have fewer PUs (an affinity mask, hybrid parts) it puts two Ps on one core and leaves
// another idle; hwloc's own manual says to distribute over like things only. See topo_plan.c.
#include "sched/os/topo.h"

#include "sched/base/base.h"
#include "sched/os/topo_in.h"

#include <errno.h>
#include <hwloc.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Loading

// errno, or the given error where the call below left none.
static int
failed(int otherwise)
{
	return errno ? -errno : otherwise;
}

static int
ancestor(hwloc_topology_t hw, hwloc_obj_type_t type, hwloc_obj_t pu)
{
	hwloc_obj_t obj = hwloc_get_ancestor_obj_by_type(hw, type, pu);

	return obj ? (int)obj->logical_index : -1;
}

static hwloc_obj_t
llc_of(hwloc_obj_t pu)
{
	hwloc_obj_t llc = NULL;

	for (hwloc_obj_t obj = pu->parent; obj; obj = obj->parent)
		if (hwloc_obj_type_is_dcache(obj->type))
			llc = obj;
	return llc;
}

// A PU may be local to several nodes, when memory of a second kind spans more of the machine: the smallest is the near one.
static hwloc_obj_t
numa_of(hwloc_topology_t hw, hwloc_obj_t pu)
{
	hwloc_obj_t best = NULL, node = NULL;

	while ((node = hwloc_get_next_obj_by_type(hw, HWLOC_OBJ_NUMANODE, node)))
		if (hwloc_bitmap_isset(node->cpuset, pu->os_index) &&
		    (!best || hwloc_bitmap_weight(node->cpuset) < hwloc_bitmap_weight(best->cpuset)))
			best = node;
	return best;
}

static int
speed_of(hwloc_topology_t hw, hwloc_obj_t pu)
{
	int kind = hwloc_cpukinds_get_by_cpuset(hw, pu->cpuset, 0);
	int speed = -1;

	if (kind >= 0)
		hwloc_cpukinds_get_info(hw, (unsigned)kind, NULL, &speed, NULL, NULL, 0);
	return speed > 0 ? speed : 0;
}

static void
fill_place(struct mn_topo *t, int i)
{
	hwloc_obj_t pu = hwloc_get_obj_by_type(t->hw, HWLOC_OBJ_PU, (unsigned)i);
	hwloc_obj_t llc = llc_of(pu), numa = numa_of(t->hw, pu);
	struct mn_topo_place *p = &t->place[i];

	p->os = (int)pu->os_index;
	p->core = ancestor(t->hw, HWLOC_OBJ_CORE, pu);
	if (p->core < 0)
		p->core = -2 - i;
	p->llc = llc ? (int)llc->logical_index : -1;
	p->numa = numa ? (int)numa->logical_index : -1;
	p->package = ancestor(t->hw, HWLOC_OBJ_PACKAGE, pu);
	p->sibling = i > 0 && p[-1].core == p->core ? p[-1].sibling + 1 : 0;
	p->speed = speed_of(t->hw, pu);
	t->siblings = p->sibling >= t->siblings ? p->sibling + 1 : t->siblings;
	t->speeds = p->speed >= t->speeds ? p->speed + 1 : t->speeds;
	t->by_os[p->os] = i;
}

static int
flatten(struct mn_topo *t)
{
	hwloc_const_bitmap_t set = hwloc_topology_get_topology_cpuset(t->hw);

	t->n = hwloc_get_nbobjs_by_type(t->hw, HWLOC_OBJ_PU);
	t->by_os_len = hwloc_bitmap_last(set) + 1;
	if (t->n < 1 || t->by_os_len < 1)
		return -EINVAL;
	t->place = calloc((size_t)t->n, sizeof(*t->place));
	t->by_os = malloc((size_t)t->by_os_len * sizeof(*t->by_os));
	if (!t->place || !t->by_os)
		return -ENOMEM;
	for (int i = 0; i < t->by_os_len; i++)
		t->by_os[i] = -1;
	for (int i = 0; i < t->n; i++)
		fill_place(t, i);
	return 0;
}

// Takes away what the calling thread may not run on.
static int
restrict_to_self(struct mn_topo *t)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	hwloc_obj_t pu = NULL;
	struct mn_topo_mask *mask = NULL;
	int rc = set ? mn_topo_save_self(&mask) : -ENOMEM;

	while (rc == 0 && (pu = hwloc_get_next_obj_by_type(t->hw, HWLOC_OBJ_PU, pu)))
		if (mn_topo_mask_has(mask, (int)pu->os_index))
			rc = hwloc_bitmap_set(set, pu->os_index) ? -ENOMEM : 0;
	if (rc == 0 && hwloc_topology_restrict(t->hw, set, 0))
		rc = failed(-EINVAL);
	mn_topo_mask_free(mask);
	hwloc_bitmap_free(set);
	return rc;
}

// Does the environment ask for another machine than this one?
static bool
elsewhere(void)
{
	static const char *const names[] = { "HWLOC_SYNTHETIC", "HWLOC_XMLFILE" };
	const char *here = getenv("HWLOC_THISSYSTEM");

	for (size_t i = 0; i < array_len(names); i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return !here || strcmp(here, "1") != 0;
	}
	return false;
}

static int
load(struct mn_topo *t, const char *description)
{
	unsigned long flags = 0;
	int rc = 0;

	errno = 0;
	if (hwloc_topology_init(&t->hw)) {
		t->hw = NULL;
		return failed(-ENOMEM);
	}
	if (description && hwloc_topology_set_synthetic(t->hw, description))
		return failed(-EINVAL);
	// Discovery must not move the calling thread about: it costs details of caches that we do not use. A machine that does
	// not exist allows everything, whatever the environment claims.
	if (!description)
		flags = HWLOC_TOPOLOGY_FLAG_THISSYSTEM_ALLOWED_RESOURCES | HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING;
	if (hwloc_topology_set_flags(t->hw, flags) || hwloc_topology_load(t->hw))
		return failed(-EINVAL);
	t->real = !description && hwloc_topology_is_thissystem(t->hw);
	// hwloc passes over a description that it cannot read, and takes the machine that it runs on.
	if (t->real)
		rc = elsewhere() ? -EINVAL : restrict_to_self(t);
	return rc ? rc : flatten(t);
}

static int
load_new(struct mn_topo **t, const char *description)
{
	struct mn_topo *new = calloc(1, sizeof(*new));
	int rc = new ? load(new, description) : -ENOMEM;

	if (rc) {
		mn_topo_free(new);
		return rc;
	}
	*t = new;
	return 0;
}

int
mn_topo_load(struct mn_topo **t)
{
	return load_new(t, NULL);
}

int
mn_topo_load_synthetic(struct mn_topo **t, const char *description)
{
	return load_new(t, description);
}

void
mn_topo_free(struct mn_topo *t)
{
	if (!t)
		return;
	if (t->hw)
		hwloc_topology_destroy(t->hw);
	free(t->place);
	free(t->by_os);
	free(t);
}

// ---- What there is

const struct mn_topo_place *
mn_topo_find(const struct mn_topo *t, int pu)
{
	int i = pu >= 0 && pu < t->by_os_len ? t->by_os[pu] : -1;

	return i >= 0 ? &t->place[i] : NULL;
}

static int
count(const struct mn_topo *t, hwloc_obj_type_t type)
{
	int n = hwloc_get_nbobjs_by_type(t->hw, type);

	return n > 1 ? n : 1;
}

bool
mn_topo_is_real(const struct mn_topo *t)
{
	return t->real;
}

int
mn_topo_num_pus(const struct mn_topo *t)
{
	return t->n;
}

int
mn_topo_num_cores(const struct mn_topo *t)
{
	int n = 0;

	for (int i = 0; i < t->n; i++)
		n += t->place[i].sibling == 0;
	return n;
}

int
mn_topo_num_llcs(const struct mn_topo *t)
{
	int n = 0;

	for (int i = 0; i < t->n; i++)
		n += i == 0 || t->place[i].llc != t->place[i - 1].llc;
	return n;
}

int
mn_topo_num_numas(const struct mn_topo *t)
{
	return count(t, HWLOC_OBJ_NUMANODE);
}

int
mn_topo_num_packages(const struct mn_topo *t)
{
	return count(t, HWLOC_OBJ_PACKAGE);
}

int
mn_topo_pu_at(const struct mn_topo *t, int i)
{
	return i >= 0 && i < t->n ? t->place[i].os : -1;
}

static bool
same(int a, int b)
{
	return a >= 0 && a == b;
}

// From the inside out. The memory node counts within a package only: on a machine with one node for all, two sockets are
// not near. Where the machine tells of no packages, all PUs are in one as far as that goes.
int
mn_topo_distance(const struct mn_topo *t, int pu_a, int pu_b)
{
	const struct mn_topo_place *a = mn_topo_find(t, pu_a), *b = mn_topo_find(t, pu_b);

	if (!a || !b)
		return -EINVAL;
	if (a == b)
		return MN_TOPO_SAME_PU;
	if (a->core == b->core)
		return MN_TOPO_SAME_CORE;
	if (same(a->llc, b->llc))
		return MN_TOPO_SAME_LLC;
	if (same(a->numa, b->numa) && a->package == b->package)
		return MN_TOPO_SAME_NUMA;
	return same(a->package, b->package) ? MN_TOPO_SAME_PACKAGE : MN_TOPO_MACHINE;
}

// Appends ", Core L#0(P#0)" to text. obj NULL: nothing.
static void
append(char *text, size_t size, const char *name, hwloc_obj_t obj)
{
	size_t n = strlen(text);

	if (!obj || n >= size)
		return;
	n += (size_t)snprintf(text + n, size - n, "%s%s L#%u", n ? ", " : "", name, obj->logical_index);
	if (obj->os_index != HWLOC_UNKNOWN_INDEX && n < size)
		snprintf(text + n, size - n, "(P#%u)", obj->os_index);
}

int
mn_topo_describe(const struct mn_topo *t, int pu, char *text, size_t size)
{
	const struct mn_topo_place *p = mn_topo_find(t, pu);
	hwloc_obj_t obj;

	snprintf(text, size, "%s", pu == -1 ? "not bound" : "");
	if (!p || size == 0)
		return pu == -1 ? 0 : -EINVAL;
	obj = hwloc_get_obj_by_type(t->hw, HWLOC_OBJ_PU, (unsigned)(p - t->place));
	append(text, size, "PU", obj);
	append(text, size, "Core", hwloc_get_ancestor_obj_by_type(t->hw, HWLOC_OBJ_CORE, obj));
	append(text, size, "Socket", hwloc_get_ancestor_obj_by_type(t->hw, HWLOC_OBJ_PACKAGE, obj));
	append(text, size, "Node", hwloc_get_obj_by_type(t->hw, HWLOC_OBJ_NUMANODE, (unsigned)p->numa));
	return 0;
}

char *
mn_topo_xml(const struct mn_topo *t)
{
#if HWLOC_API_VERSION >= 0x00030000
	unsigned long flags = HWLOC_TOPOLOGY_EXPORT_XML_FLAG_V2;
#else
	unsigned long flags = 0;
#endif
	char *xml, *text;
	int size;

	if (hwloc_topology_export_xmlbuffer(t->hw, &xml, &size, flags))
		return NULL;
	text = strndup(xml, (size_t)size);
	hwloc_free_xmlbuffer(t->hw, xml);
	return text;
}

// ---- Binding

int
mn_topo_bind_self(const struct mn_topo *t, int pu)
{
	const struct mn_topo_place *p = mn_topo_find(t, pu);
	hwloc_obj_t obj;

	if (!p)
		return -EINVAL;
	if (!t->real)
		return 0;
	obj = hwloc_get_obj_by_type(t->hw, HWLOC_OBJ_PU, (unsigned)(p - t->place));
	errno = 0;
	if (hwloc_set_cpubind(t->hw, obj->cpuset,
	                      HWLOC_CPUBIND_THREAD | HWLOC_CPUBIND_STRICT | HWLOC_CPUBIND_NOMEMBIND))
		return failed(-EXDEV);
	return 0;
}

int
mn_topo_last_pu(const struct mn_topo *t)
{
	int pu = t->real ? sched_getcpu() : -1;

	if (pu >= 0)
		return pu;
	return t->real ? -errno : -ENOSYS;
}

// ---- For the planner

// Turns the sets into indices of their first PUs, and frees them. hwloc leaves NULL where it had no memory.
static int
first_of_each(const struct mn_topo *t, hwloc_bitmap_t *set, int n, int *out)
{
	int rc = 0;

	for (int i = 0; i < n; i++) {
		if (set[i])
			out[i] = t->by_os[hwloc_bitmap_first(set[i])];
		else
			rc = -ENOMEM;
		hwloc_bitmap_free(set[i]);
	}
	return rc;
}

int
mn_topo_spread(const struct mn_topo *t, const int *tier, int size, int n, int *out)
{
	hwloc_bitmap_t all = hwloc_bitmap_alloc(), *set = calloc((size_t)n, sizeof(hwloc_bitmap_t));
	hwloc_topology_t copy = NULL;
	hwloc_obj_t root;
	int rc = -ENOMEM;

	for (int i = 0; all && i < size; i++)
		hwloc_bitmap_set(all, (unsigned)t->place[tier[i]].os);
	if (all && set && hwloc_topology_dup(&copy, t->hw) == 0 && hwloc_topology_restrict(copy, all, 0) == 0) {
		root = hwloc_get_root_obj(copy);
		hwloc_distrib(copy, &root, 1, set, (unsigned)n, INT_MAX, 0);
		rc = first_of_each(t, set, n, out);
	}
	if (copy)
		hwloc_topology_destroy(copy);
	hwloc_bitmap_free(all);
	free(set);
	return rc;
}

void
mn_topo_list(const struct mn_topo *t, char *text, size_t size)
{
	hwloc_bitmap_list_snprintf(text, size, hwloc_topology_get_topology_cpuset(t->hw));
}
