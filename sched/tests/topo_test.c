// SPDX-License-Identifier: MIT
// topo: plans, distances and texts on machines that do not exist, against values worked out by hand; pins that are wrong,
// environments that name other machines. topo_bind_test.c has the real one.
#include "sched/os/topo.h"

#include "sched/base/base.h"
#include "sched/base/check.h"
#include "sched/mn.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BIG "pack:2 [numa] l3:2 core:4 pu:2"

static struct mn_topo *
synthetic(const char *description)
{
	struct mn_topo *t;

	if (mn_topo_load_synthetic(&t, description))
		mn_throw("cannot load %s", description);
	return t;
}

static void
check_text(const char *what, const char *got, const char *expected)
{
	if (strcmp(got, expected) != 0)
		mn_throw("%s: got \"%s\", expected \"%s\"", what, got, expected);
}

// The plan as text, "0 8 16 24".
static void
plan_text(const struct mn_topo *t, const char *pin, int procs, char *text, size_t size)
{
	char err[MN_TEXT_MAX] = "";
	int pu[64], n = 0;

	CHECK(procs <= (int)array_len(pu));
	if (mn_topo_plan(t, pin, procs, pu, err, sizeof(err)))
		mn_throw("pin=%s procs=%d: %s", pin, procs, err);
	for (int i = 0; i < procs; i++)
		n += snprintf(text + n, size - (size_t)n, "%s%d", i ? " " : "", pu[i]);
}

struct plan {
	const char *machine, *pin;
	int procs;
	const char *expected;
};

// clang-format off
static const struct plan plans[] = {
	{ BIG, "none",    3, "-1 -1 -1" },
	{ BIG, "close",   1, "0" },
	{ BIG, "close",   4, "0 2 4 6" },
	{ BIG, "close",  18, "0 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30 1 3" },
	{ BIG, "close",  33, "0 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30 1 3 5 7 9 11 13 15 17 19 21 23 25 27 29 31 0" },
	{ BIG, "spread",  1, "0" },
	{ BIG, "spread",  2, "0 16" },
	{ BIG, "spread",  4, "0 8 16 24" },
	{ BIG, "spread",  8, "0 4 8 12 16 20 24 28" },
	{ BIG, "spread", 20, "0 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30 1 9 17 25" },
	{ BIG, "3,0-2",   6, "3 0 1 2 3 0" },
	{ BIG, "0,0",     3, "0 0 0" },
	{ BIG, "31",      2, "31 31" },
	{ BIG, "0-31",    2, "0 1" },
	{ "pu:1", "spread", 3, "0 0 0" },
	{ "core:1 pu:4", "close", 3, "0 1 2" },
	// The system often numbers the siblings of all cores after all cores: its numbers are not in the order of the tree.
	{ "core:2 pu:2(indexes=0,2,1,3)", "close",  4, "0 1 2 3" },
	{ "core:2 pu:2(indexes=0,2,1,3)", "spread", 3, "0 1 2" },
	{ "pack:2 core:2 pu:1(indexes=0,2,1,3)", "close",  3, "0 2 1" },
	{ "pack:2 core:2 pu:1(indexes=0,2,1,3)", "spread", 3, "0 2 1" },
	{ "pack:2 core:2 pu:1(indexes=0,2,1,3)", "spread", 2, "0 1" },
};
// clang-format on

static void
test_plans(void)
{
	char text[256];

	for (size_t i = 0; i < array_len(plans); i++) {
		struct mn_topo *t = synthetic(plans[i].machine);

		plan_text(t, plans[i].pin, plans[i].procs, text, sizeof(text));
		check_text(plans[i].pin, text, plans[i].expected);
		mn_topo_free(t);
	}
}

// Up to the number of cores no two Ps share one; up to the number of PUs no two share a PU.
static void
check_apart(const struct mn_topo *t, const char *pin, int procs)
{
	int nearest = procs <= mn_topo_num_cores(t) ? MN_TOPO_SAME_LLC : MN_TOPO_SAME_CORE;
	int pu[64];

	CHECK(mn_topo_plan(t, pin, procs, pu, NULL, 0) == 0);
	for (int i = 0; i < procs; i++)
		for (int j = 0; j < i; j++)
			if (mn_topo_distance(t, pu[i], pu[j]) < nearest)
				mn_throw("pin=%s procs=%d: P %d and P %d on PUs %d and %d", pin, procs, j, i, pu[j],
				         pu[i]);
}

static void
test_plans_use_cores_first(void)
{
	static const char *const machines[] = { BIG, "pu:3", "pack:3 core:5 pu:1", "numa:2 core:3 pu:4" };

	for (size_t i = 0; i < array_len(machines); i++) {
		struct mn_topo *t = synthetic(machines[i]);

		for (int procs = 1; procs <= mn_topo_num_pus(t); procs++) {
			check_apart(t, "close", procs);
			check_apart(t, "spread", procs);
		}
		mn_topo_free(t);
	}
}

struct bad_pin {
	const char *pin, *expected; // how the text of the error begins
	bool syntax;                // wrong on any machine
};

static const struct bad_pin bad_pins[] = {
	{ "", "pin: column 1: expected a PU number, not the end (allowed: none, close, spread, or a list", true },
	{ "spred", "pin: column 1: unknown word 'spred' (allowed: none, close, spread, or a list", true },
	{ "close,spread", "pin: column 1: unknown word 'close' ", true },
	{ "cloze\n", "pin: column 1: unknown word 'cloze' ", true },
	{ "aaaabbbbccccddddeeeeffffgggghhhhiiii", "pin: column 1: unknown word 'aaaabbbbccccddddeeeeffffgggghhhh' ",
	  true },
	{ "Close", "pin: column 1: unknown word 'Close' ", true },
	{ "0,close", "pin: column 3: expected a PU number, not 'c' ", true },
	{ "0,", "pin: column 3: expected a PU number, not the end ", true },
	{ ",0", "pin: column 1: expected a PU number, not ',' ", true },
	{ "0,,1", "pin: column 3: expected a PU number, not ',' ", true },
	{ "0-", "pin: column 3: expected a PU number, not the end ", true },
	{ "-1", "pin: column 1: expected a PU number, not '-' ", true },
	{ "0-1-2", "pin: column 4: expected ',' ", true },
	{ "1,5-2", "pin: column 3: the range 5-2 goes down ", true },
	{ "0 1", "pin: column 2: expected ',' or '-', not character 32 ", true },
	{ "0\n", "pin: column 2: expected ',' or '-', not character 10 ", true },
	{ "65536", "pin: column 1: no PU has a number above 65535 ", true },
	{ "0-99999999999999999999", "pin: column 3: no PU has a number above 65535 ", true },
	{ "32", "pin: column 1: PU 32 is not there or not allowed (allowed: 0-31)", false },
	{ "0,30-33", "pin: column 3: PU 32 is not there or not allowed (allowed: 0-31)", false },
	{ "0,65535", "pin: column 3: PU 65535 is not there ", false },
};

static void
test_bad_pins(void)
{
	struct mn_topo *t = synthetic(BIG);
	char err[MN_TEXT_MAX];
	int pu[2];

	for (size_t i = 0; i < array_len(bad_pins); i++) {
		const struct bad_pin *b = &bad_pins[i];

		CHECK(mn_topo_plan(t, b->pin, 2, pu, err, sizeof(err)) == -EINVAL);
		if (strncmp(err, b->expected, strlen(b->expected)) != 0)
			mn_throw("pin \"%s\": got \"%s\", expected \"%s..\"", b->pin, err, b->expected);
		CHECK(!strchr(err, '\n'));
		CHECK(mn_topo_check_pin(b->pin, err, sizeof(err)) == (b->syntax ? -EINVAL : 0));
	}
	CHECK(mn_topo_plan(t, "close", 0, pu, err, sizeof(err)) == -EINVAL);
	check_text("procs=0", err, "pin: 0 Ps to bind (allowed: 1 and more)");
	CHECK(mn_topo_check_pin("x", err, 8) == -EINVAL);
	check_text("short", err, "pin: co");
	mn_topo_free(t);
}

static void
test_good_pins(void)
{
	static const char *const good[] = { "none", "close", "spread", "0", "0,2-5", "7-7", "00,1", "65535" };
	char err[MN_TEXT_MAX] = "";

	for (size_t i = 0; i < array_len(good); i++)
		CHECK(mn_topo_check_pin(good[i], err, sizeof(err)) == 0 && !err[0]);
}

struct distance {
	const char *machine;
	int a, b, expected;
};

static const struct distance distances[] = {
	{ BIG, 0, 0, MN_TOPO_SAME_PU },
	{ BIG, 0, 1, MN_TOPO_SAME_CORE },
	{ BIG, 0, 2, MN_TOPO_SAME_LLC },
	{ BIG, 0, 8, MN_TOPO_SAME_NUMA },
	{ BIG, 0, 16, MN_TOPO_MACHINE },
	{ BIG, 0, 32, -EINVAL },
	{ BIG, -1, 0, -EINVAL },
	// One memory node for both sockets does not make them near.
	{ "pack:2 l3:2 core:4 pu:2", 0, 16, MN_TOPO_MACHINE },
	{ "pack:2 l3:2 core:4 pu:2", 0, 8, MN_TOPO_SAME_NUMA },
	{ "pack:2 group:2 [numa] l3:1 core:2 pu:1", 0, 2, MN_TOPO_SAME_PACKAGE },
	{ "pack:2 group:2 [numa] l3:1 core:2 pu:1", 0, 4, MN_TOPO_MACHINE },
	// A cache over two memory nodes, as with sub-NUMA clustering: the cache is what shortens the way.
	{ "pack:1 l3:1 group:2 [numa] core:2 pu:1", 0, 2, MN_TOPO_SAME_LLC },
	// Two local memories, the second for all: the first decides.
	{ "[numa] pack:1 group:2 [numa] core:2 pu:1", 0, 2, MN_TOPO_SAME_PACKAGE },
	// Nothing known but cores; nothing known but PUs.
	{ "core:2 pu:2", 0, 2, MN_TOPO_SAME_NUMA },
	{ "pu:4", 0, 1, MN_TOPO_SAME_NUMA },
	{ "group:2 [numa] pu:2", 0, 2, MN_TOPO_MACHINE },
};

static void
test_distances(void)
{
	for (size_t i = 0; i < array_len(distances); i++) {
		const struct distance *d = &distances[i];
		struct mn_topo *t = synthetic(d->machine);
		int got = mn_topo_distance(t, d->a, d->b);

		if (got != d->expected)
			mn_throw("%s: distance %d..%d: got %d, expected %d", d->machine, d->a, d->b, got, d->expected);
		CHECK(mn_topo_distance(t, d->b, d->a) == got);
		mn_topo_free(t);
	}
}

static void
test_counts(void)
{
	struct mn_topo *t = synthetic(BIG);

	CHECK(mn_topo_num_pus(t) == 32 && mn_topo_num_cores(t) == 16);
	CHECK(mn_topo_num_llcs(t) == 4 && mn_topo_num_numas(t) == 2 && mn_topo_num_packages(t) == 2);
	CHECK(mn_topo_pu_at(t, 0) == 0 && mn_topo_pu_at(t, 31) == 31);
	CHECK(mn_topo_pu_at(t, -1) == -1 && mn_topo_pu_at(t, 32) == -1);
	mn_topo_free(t);
	t = synthetic("pu:3");
	CHECK(mn_topo_num_pus(t) == 3 && mn_topo_num_cores(t) == 3);
	CHECK(mn_topo_num_llcs(t) == 1 && mn_topo_num_numas(t) == 1 && mn_topo_num_packages(t) == 1);
	mn_topo_free(t);
	t = synthetic("pack:8 l3:4 core:16 pu:2");
	CHECK(mn_topo_num_pus(t) == 1024 && mn_topo_num_cores(t) == 512);
	check_apart(t, "spread", 64);
	mn_topo_free(t);
}

static void
test_describe(void)
{
	struct mn_topo *t = synthetic("pack:2 [numa] core:2 pu:2(indexes=0,4,1,5,2,6,3,7)");
	char text[128];

	CHECK(mn_topo_describe(t, 5, text, sizeof(text)) == 0);
	check_text("describe", text, "PU L#3(P#5), Core L#1(P#1), Socket L#0(P#0), Node L#0(P#0)");
	CHECK(mn_topo_describe(t, 7, text, sizeof(text)) == 0);
	check_text("describe", text, "PU L#7(P#7), Core L#3(P#3), Socket L#1(P#1), Node L#1(P#1)");
	CHECK(mn_topo_describe(t, -1, text, sizeof(text)) == 0);
	check_text("describe", text, "not bound");
	CHECK(mn_topo_describe(t, 8, text, sizeof(text)) == -EINVAL && !text[0]);
	CHECK(mn_topo_describe(t, 0, text, 10) == 0);
	check_text("describe", text, "PU L#0(P#");
	CHECK(mn_topo_describe(t, 0, NULL, 0) == -EINVAL);
	mn_topo_free(t);
	t = synthetic("pu:2");
	CHECK(mn_topo_describe(t, 1, text, sizeof(text)) == 0);
	check_text("describe", text, "PU L#1(P#1), Node L#0(P#0)");
	mn_topo_free(t);
}

static void
test_bad_machines(void)
{
	struct mn_topo *t;

	CHECK(mn_topo_load_synthetic(&t, "pack:") == -EINVAL);
	CHECK(mn_topo_load_synthetic(&t, "") == -EINVAL);
	CHECK(mn_topo_load_synthetic(&t, "potato:2") == -EINVAL);
	mn_topo_free(NULL);
}

// A machine that is not ours computes everything and does nothing.
static void
check_unreal(const struct mn_topo *t, int pu)
{
	struct mn_topo_mask *before, *after;

	CHECK(!mn_topo_is_real(t));
	CHECK(mn_topo_save_self(&before) == 0);
	CHECK(mn_topo_bind_self(t, pu) == 0);
	CHECK(mn_topo_save_self(&after) == 0);
	CHECK(mn_topo_mask_count(before) == mn_topo_mask_count(after));
	CHECK(mn_topo_last_pu(t) == -ENOSYS);
	CHECK(mn_topo_bind_self(t, 1000) == -EINVAL && mn_topo_bind_self(t, -1) == -EINVAL);
	mn_topo_mask_free(before);
	mn_topo_mask_free(after);
}

// A machine asked for and not to be had is an error: the one at hand must not take its place unnoticed.
static void
test_bad_environment(void)
{
	struct mn_topo *t;

	setenv("HWLOC_XMLFILE", "/nonexistent/machine.xml", 1);
	CHECK(mn_topo_load(&t) == -EINVAL);
	unsetenv("HWLOC_XMLFILE");
	setenv("HWLOC_SYNTHETIC", "potato:2", 1);
	CHECK(mn_topo_load(&t) == -EINVAL);
	setenv("HWLOC_SYNTHETIC", "", 1);
	CHECK(mn_topo_load(&t) == 0 && mn_topo_is_real(t));
	mn_topo_free(t);
	unsetenv("HWLOC_SYNTHETIC");
}

static void
test_environment(void)
{
	struct mn_topo *t;

	setenv("HWLOC_SYNTHETIC", "core:3 pu:2", 1);
	CHECK(mn_topo_load(&t) == 0);
	CHECK(mn_topo_num_pus(t) == 6 && mn_topo_num_cores(t) == 3);
	check_unreal(t, 5);
	mn_topo_free(t);
	// An explicit description wins over the environment, and is never this machine whatever the environment claims.
	setenv("HWLOC_THISSYSTEM", "1", 1);
	t = synthetic("core:5 pu:1");
	CHECK(mn_topo_num_pus(t) == 5);
	check_unreal(t, 4);
	mn_topo_free(t);
	unsetenv("HWLOC_SYNTHETIC");
	setenv("HWLOC_THISSYSTEM", "0", 1);
	CHECK(mn_topo_load(&t) == 0);
	check_unreal(t, mn_topo_pu_at(t, 0));
	mn_topo_free(t);
	unsetenv("HWLOC_THISSYSTEM");
}

static void
load_xml(struct mn_topo **t, const char *head, size_t head_size, const char *tail)
{
	char path[] = "/tmp/mn-topo-XXXXXX";
	int fd = mkstemp(path);
	FILE *f = fdopen(fd, "w");

	CHECK(f);
	fwrite(head, 1, head_size, f);
	fputs(tail, f);
	CHECK(fclose(f) == 0);
	setenv("HWLOC_XMLFILE", path, 1);
	CHECK(mn_topo_load(t) == 0);
	unsetenv("HWLOC_XMLFILE");
	unlink(path);
}

static void
test_xml(void)
{
	struct mn_topo *t = synthetic(BIG), *copy;
	char *xml = mn_topo_xml(t), text[64];

	CHECK(xml && strstr(xml, "<topology version=\"2.0\">"));
	load_xml(&copy, xml, strlen(xml), "");
	CHECK(mn_topo_num_pus(copy) == 32);
	check_unreal(copy, 31);
	plan_text(copy, "spread", 4, text, sizeof(text));
	check_text("spread from XML", text, "0 8 16 24");
	free(xml);
	mn_topo_free(copy);
	mn_topo_free(t);
}

#define SETS(cpus)         "cpuset=\"" cpus "\" complete_cpuset=\"" cpus "\" nodeset=\"0x1\" complete_nodeset=\"0x1\" "
#define ROOT               "allowed_cpuset=\"0x3f\" allowed_nodeset=\"0x1\" "
#define PU(i, cpus)        "<object type=\"PU\" os_index=\"" i "\" " SETS(cpus) "gp_index=\"2" i "\"/>"
#define CORE(i, cpus, pus) "<object type=\"Core\" os_index=\"" i "\" " SETS(cpus) "gp_index=\"1" i "\">" pus "</object>"

// Two small cores of one PU (0, 1) and two large ones of two (2 3, 4 5). Synthetic notation has no such machine.
static const char uneven[] = "<topology version=\"2.0\">"
                             "<object type=\"Machine\" os_index=\"0\" " SETS("0x3f") ROOT
        "gp_index=\"1\">"
        "<object type=\"NUMANode\" os_index=\"0\" " SETS("0x3f") "gp_index=\"2\"/>" CORE("0", "0x1", PU("0", "0x1"))
                CORE("1", "0x2", PU("1", "0x2")) CORE("2", "0xc", PU("2", "0x4") PU("3", "0x8"))
                        CORE("3", "0x30", PU("4", "0x10") PU("5", "0x20")) "</object>";

// A core with more PUs must not draw a second P while another core has none.
static void
test_uneven(void)
{
	struct mn_topo *t;
	char text[64];

	load_xml(&t, uneven, strlen(uneven), "</topology>\n");
	for (int procs = 1; procs <= 6; procs++) {
		check_apart(t, "close", procs);
		check_apart(t, "spread", procs);
	}
	plan_text(t, "spread", 6, text, sizeof(text));
	check_text("spread, uneven", text, "0 1 2 4 3 5");
	mn_topo_free(t);
}

// The same with kinds: the large cores are the fast ones.
static void
test_hybrid(void)
{
	static const char kinds[] = "<cpukind cpuset=\"0x03\" forced_efficiency=\"0\"/>"
	                            "<cpukind cpuset=\"0x3c\" forced_efficiency=\"1\"/></topology>\n";
	struct mn_topo *t;
	char text[64];

	load_xml(&t, uneven, strlen(uneven), kinds);
	plan_text(t, "close", 6, text, sizeof(text));
	check_text("close, hybrid", text, "2 4 0 1 3 5");
	plan_text(t, "spread", 3, text, sizeof(text));
	check_text("spread, hybrid", text, "2 4 0");
	mn_topo_free(t);
}

int
main(void)
{
	// Whoever runs the tests may have these set.
	unsetenv("HWLOC_SYNTHETIC");
	unsetenv("HWLOC_XMLFILE");
	unsetenv("HWLOC_THISSYSTEM");
	test_plans();
	test_plans_use_cores_first();
	test_bad_pins();
	test_good_pins();
	test_distances();
	test_counts();
	test_describe();
	test_bad_machines();
	test_environment();
	test_bad_environment();
	test_xml();
	test_uneven();
	test_hybrid();
	return 0;
}
