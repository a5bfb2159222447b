// SPDX-License-Identifier: MIT
// nqueens: all ways to put n queens on an n x n board, none in reach of another. Each queen of the first `depth` rows is
// a task; below, a task searches alone. The pieces differ widely, and nobody knows beforehand which are the long ones.
//
// The one workload whose work is not calibrated: what is irregular here is the search itself. It is fixed all the same,
// and its answers are known.
#include "workloads/tree.h"

enum { N, DEPTH };
enum { N_MAX = 16 };

// By default 27 million boards, about 200 ms, in 1,535 tasks.
static const struct workload_param params[] = {
	[N] = { "n", 14, 1, N_MAX, "queens, and rows of the board" },
	[DEPTH] = { "depth", 3, 0, N_MAX, "rows whose queens are tasks" },
	{ 0 },
};

static const uint64_t solutions[N_MAX + 1] = {
	1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512,
};

// Columns of the next row that a queen above reaches straight, and along the diagonals to the left and to the right.
struct reach {
	uint32_t straight, left, right;
};

enum { REACH_BITS = 20, REACH_MASK = (1 << REACH_BITS) - 1 };

static uint64_t
pack(struct reach r)
{
	return (uint64_t)r.straight << 2 * REACH_BITS | (uint64_t)r.left << REACH_BITS | r.right;
}

static struct reach
unpack(uint64_t at)
{
	return (struct reach){
		.straight = at >> 2 * REACH_BITS & REACH_MASK,
		.left = at >> REACH_BITS & REACH_MASK,
		.right = at & REACH_MASK,
	};
}

static uint32_t
free_columns(struct reach r, uint32_t board)
{
	return board & ~(r.straight | r.left | r.right);
}

// The reach in the row below, with a queen put at that bit.
static struct reach
put(struct reach r, uint32_t queen, uint32_t board)
{
	return (struct reach){
		.straight = r.straight | queen,
		.left = (r.left | queen) << 1 & board,
		.right = (r.right | queen) >> 1,
	};
}

// Three words rather than a struct, which the compilers pack and unpack at every call.
static uint64_t
search(uint32_t straight, uint32_t left, uint32_t right, uint32_t board)
{
	uint64_t found = 0;

	if (straight == board)
		return 1;
	for (uint32_t open = board & ~(straight | left | right); open; open &= open - 1) {
		uint32_t queen = open & -open;

		found += search(straight | queen, (left | queen) << 1 & board, (right | queen) >> 1, board);
	}
	return found;
}

static struct tree_answer
body(struct tree_node *node)
{
	const struct workload_run *run = node->tree->run;
	uint32_t board = (UINT32_C(1) << run->param[N]) - 1;
	struct reach r = unpack(node->at);
	struct tree_node child[N_MAX];
	struct tree_answer all = tree_leaf(0);
	int n = 0;

	if (node->depth == run->param[DEPTH] || node->depth == run->param[N])
		return tree_leaf(search(r.straight, r.left, r.right, board));
	for (uint32_t open = free_columns(r, board); open; open &= open - 1)
		child[n++] = tree_child(node, pack(put(r, open & -open, board)));
	struct tree_answer below = tree_fork_all(child, n);

	tree_append(&all, &below);
	// The checksum is the number of solutions, as it is known.
	if (node->depth == 0)
		all.weighted = all.sum;
	return all;
}

static int
setup(struct workload_run *run)
{
	return tree_setup(run, body, pack((struct reach){ 0 }), 0);
}

// Tasks at and below one with that many rows to go.
static uint64_t
count_tasks(struct reach r, uint32_t board, long rows)
{
	uint64_t tasks = 1;

	if (rows == 0)
		return 1;
	for (uint32_t open = free_columns(r, board); open; open &= open - 1)
		tasks += count_tasks(put(r, open & -open, board), board, rows - 1);
	return tasks;
}

static void
expect(const struct workload_run *run, struct workload_result *right)
{
	long n = run->param[N], depth = run->param[DEPTH];

	*right = (struct workload_result){
		.tasks = count_tasks((struct reach){ 0 }, (UINT32_C(1) << n) - 1, depth < n ? depth : n),
		.checksum = solutions[n],
	};
}

const struct workload workload_nqueens = {
	.name = "nqueens",
	.title = "search for all placements of n queens: pieces of work that differ widely",
	.version = 1,
	.params = params,
	.setup = setup,
	.main = tree_main,
	.serial = tree_serial,
	.threads = tree_threads,
	.expect = expect,
	.teardown = tree_teardown,
};
