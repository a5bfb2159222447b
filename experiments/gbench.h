// SPDX-License-Identifier: MIT
// gbench.h: Google Benchmark for C programs.
//
// A benchmark is a C function that is given a state and does its measured work in a loop; the library decides how often
// the loop turns, repeats it, and prints a table or writes JSON. All of the library's own flags work (--benchmark_filter,
// --benchmark_repetitions, --benchmark_out ..).
//
//	static void copy(struct gbench_state *s, void *arg)
//	{
//		size_t n = (size_t)gbench_arg(s, 0);
//		char *from = calloc(1, n), *to = malloc(n);
//
//		(void)arg;
//		while (gbench_next(s)) {
//			memcpy(to, from, n);
//			gbench_use(to);
//		}
//		gbench_bytes(s, gbench_iterations(s) * (int64_t)n);
//		free(from);
//		free(to);
//	}
//	int main(int argc, char **argv)
//	{
//		static const int64_t sizes[] = { 64, 4096 };
//		static const char *const names[] = { "bytes" };
//		struct gbench_options o = { .args = sizes, .arg_rows = 2, .arg_count = 1, .arg_names = names };
//		char err[GBENCH_ERR_MAX];
//
//		if (gbench_init(&argc, argv, err, sizeof(err)) || gbench_unknown(argc, argv, err, sizeof(err))) {
//			fprintf(stderr, "%s: %s\n", argv[0], err);
//			return 2;
//		}
//		gbench_register("copy", copy, NULL, &o);
//		return gbench_run(NULL) < 0;
//	}
//
// Conventions. Calls return 0 or -errno. No C++ exception leaves the shim: what the library throws comes back as -ENOMEM,
// -EINVAL or -EIO. What the library would write as broken JSON never reaches it: counters that are not finite are refused,
// control characters in texts become spaces, and statistics that come out infinite or as no number (the spread of a
// counter that is always 0) are left out of the report. Link the target `gbench`; C programs that do are linked as C++.
//
// Rejected: calling the library's own KeepRunning for every turn. It is a call into C++ (2 ns); gbench_next hands out the
// turns of a whole batch from a counter in the state, so that bodies of 1 ns can be measured.
#ifndef EXPERIMENTS_GBENCH_H
#define EXPERIMENTS_GBENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { GBENCH_ERR_MAX = 512 };

// ---- Starting ------------------------------------------------------------------------------------------------------

// Takes the library's flags out of argv and checks the values that the library itself would answer with a page of help
// and exit status 0, or an exception. --help prints the library's flags and ends the process with status 0: programs with
// a help of their own look for it first. Returns 0, or -EINVAL (a bad value) or -errno (--benchmark_out cannot be
// written) with one line in err[0..size). Once, before anything else.
int gbench_init(int *argc, char **argv, char *err, size_t size);

// What gbench_init left over: -EINVAL with one line in err[0..size) when there is an argument past argv[0], else 0.
int gbench_unknown(int argc, char *const *argv, char *err, size_t size);

// Prints the library's flags, one a line.
void gbench_help(void);

// Why this build must not measure (sanitizers, MN_DEBUG, no optimisation), or NULL: it is fit, or MNCELL_ANY_BUILD=1 is set.
const char *gbench_unfit(void);

// "Google Benchmark 1.7.1". Debian's says on stderr that it was built as DEBUG: it keeps its assertions, optimised it is.
const char *gbench_library(void);

// Adds a line to the context of the report: who measured what, where. -EEXIST: the key is there already.
int gbench_context(const char *key, const char *value);

// ---- Registering ---------------------------------------------------------------------------------------------------

struct gbench_state;
typedef void (*gbench_fn)(struct gbench_state *, void *arg);

enum gbench_unit { GBENCH_UNIT_DEFAULT, GBENCH_NS, GBENCH_US, GBENCH_MS, GBENCH_S };

// How to measure; zeroed means the library's own choice in everything.
struct gbench_options {
	bool manual_time;   // time is what gbench_seconds says, not what the clock says
	bool real_time;     // choose the number of turns by wall-clock time; not with manual_time
	bool process_cpu;   // CPU time of all threads of the process, not of the calling one
	int64_t iterations; // exactly so many turns, 0: as many as min_time takes
	double min_time;    // seconds; 0: the flag's value; not with iterations
	int repetitions;    // 0: the flag's value
	int threads;        // run the function in so many threads at once; 0: 1
	int unit;           // enum gbench_unit: of the times in the report
	// A benchmark per row of arg_count numbers; arg_names name the columns ("procs:2" in the benchmark's name).
	const int64_t *args;
	size_t arg_rows, arg_count;
	const char *const *arg_names; // arg_count of them, or NULL
};

// Registers fn under name ("spawn/run"). o may be NULL. The texts and numbers are copied; arg is handed to fn as it is.
// -EINVAL: no name or function, a negative figure, or options that exclude each other.
int gbench_register(const char *name, gbench_fn fn, void *arg, const struct gbench_options *o);

// Forgets all that is registered.
void gbench_clear(void);

// ---- Running -------------------------------------------------------------------------------------------------------

struct gbench_totals {
	size_t matched; // benchmarks that the filter let through
	size_t runs;    // times that one of their functions was called, repetitions and trial runs included
	size_t errors;  // of these: ended by gbench_skip, or by leaving before gbench_next said false
};

// Runs what is registered and passes the filter, or lists it with --benchmark_list_tests. Fills *t if t is not NULL.
// Returns 0, also when a benchmark reported an error or none matched (see *t), or -errno.
int gbench_run(struct gbench_totals *t);

// ---- Inside a benchmark --------------------------------------------------------------------------------------------

// The part of the state that gbench_next needs in sight. Everything else is behind it.
struct gbench_state {
	int64_t left; // turns handed out by the library and not yet begun
};

bool gbench_next_batch(struct gbench_state *); // for gbench_next: fetches turns, or ends the loop and stops the clock

// True as often as the library wants the body done. The clock runs from the first true to the first false. A function
// that leaves before false was said is reported as an error.
static inline bool
gbench_next(struct gbench_state *s)
{
	if (__builtin_expect(s->left > 0, 1)) {
		s->left--;
		return true;
	}
	return gbench_next_batch(s);
}

// All turns at once, for a body that loops itself (in a goroutine, say): their number the first time, then 0.
//	while ((n = gbench_all(s)))
//		gbench_seconds(s, run_times(n));
int64_t gbench_all(struct gbench_state *);

// Keeps the compiler from dropping what p points to, and stores before it.
static inline void
gbench_use(const void *p)
{
	__asm__ volatile("" : : "g"(p) : "memory");
}

int64_t gbench_iterations(const struct gbench_state *);    // turns of this run; after the loop
int64_t gbench_arg(const struct gbench_state *, size_t i); // i-th number of the row; 0 past its end
int gbench_thread(const struct gbench_state *);            // 0 .. gbench_threads - 1
int gbench_threads(const struct gbench_state *);

// With manual_time: adds to the time of this run. -EINVAL for what is negative or not finite.
int gbench_seconds(struct gbench_state *, double seconds);

// Stops and starts the clock inside the loop. Some 300 ns a pair: not for short bodies.
void gbench_pause(struct gbench_state *);
void gbench_resume(struct gbench_state *);

// What to do with a counter when the run is over; | for several.
enum gbench_flag {
	GBENCH_PLAIN = 0,
	GBENCH_RATE = 1,           // divide by the time of the run
	GBENCH_AVG_THREADS = 2,    // divide by the number of threads
	GBENCH_PER_ITERATION = 4,  // the value is that of one turn: multiply by the turns
	GBENCH_AVG_ITERATIONS = 8, // divide by the turns
	GBENCH_INVERT = 16,        // at last, report 1 / result
};

// Sets a counter. -EINVAL, and nothing is stored, for a value that is not finite, for an inverted 0, for an unknown flag
// and for a name that the report uses itself ("real_time", "label" ..). Sums over threads.
int gbench_counter(struct gbench_state *, const char *name, double value, int flags);

// bytes_per_second and items_per_second; after the loop.
int gbench_bytes(struct gbench_state *, int64_t bytes);
int gbench_items(struct gbench_state *, int64_t items);

// A text beside the result.
int gbench_label(struct gbench_state *, const char *text);

// The run failed: ends the loop, and the report has error_occurred and why in place of times. The first one counts.
int gbench_skip(struct gbench_state *, const char *why);

#ifdef __cplusplus
}
#endif
#endif
