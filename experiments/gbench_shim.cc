// SPDX-License-Identifier: MIT
// gbench_shim.cc: the C face of Google Benchmark (gbench.h). The only C++ file of the project.
//
// Two ideas. Every call into the library goes through guard(), which turns what is thrown into -errno. Every report goes
// through the class clean, which stands before the library's reporters and takes out what JSON cannot say: the library
// prints NaN bare, and its coefficient of variation of a counter that is always 0 is one.
#include "experiments/gbench.h"
#include "experiments/gbench_flags.h"

#include <benchmark/benchmark.h>

#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <set>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#ifndef GBENCH_VERSION
#error "GBENCH_VERSION is set by gbench.cmake"
#endif

namespace
{

// What stands behind a gbench_state: the head that C sees comes first, so that the two have one address.
struct state {
	gbench_state head;
	benchmark::State *real;
	size_t arg_count;
	bool begun, over; // the loop: the first true was said, the false was
	bool paused, failed;
};

std::atomic<size_t> runs, errors;
std::set<std::string> context_keys;

// Runs f and returns its result; what it throws comes back as -errno.
template <class F>
int
guard(F f) noexcept
{
	try {
		return f();
	} catch (const std::bad_alloc &) {
		return -ENOMEM;
	} catch (const std::system_error &e) {
		return e.code().value() > 0 ? -e.code().value() : -EIO;
	} catch (const std::logic_error &) {
		return -EINVAL;
	} catch (...) {
		return -EIO;
	}
}

state *
behind(gbench_state *s)
{
	return reinterpret_cast<state *>(s);
}

const state *
behind(const gbench_state *s)
{
	return reinterpret_cast<const state *>(s);
}

// The library escapes quotes and newlines in its JSON, but no other control character.
std::string
printable(const char *text)
{
	std::string s(text ? text : "");

	for (char &c : s)
		if (static_cast<unsigned char>(c) < ' ' || c == 127)
			c = ' ';
	return s;
}

// ---- Reports -------------------------------------------------------------------------------------------------------

void
drop_endless(benchmark::BenchmarkReporter::Run *run)
{
	for (auto i = run->counters.begin(); i != run->counters.end();)
		i = std::isfinite(i->second.value) ? std::next(i) : run->counters.erase(i);
	if (!std::isfinite(run->real_accumulated_time))
		run->real_accumulated_time = 0;
	if (!std::isfinite(run->cpu_accumulated_time))
		run->cpu_accumulated_time = 0;
}

class clean : public benchmark::BenchmarkReporter
{
      public:
	explicit clean(benchmark::BenchmarkReporter *reporter) : inner(reporter)
	{
	}
	bool ReportContext(const Context &context) override
	{
		inner->SetOutputStream(&GetOutputStream());
		inner->SetErrorStream(&GetErrorStream());
		return inner->ReportContext(context);
	}
	void ReportRuns(const std::vector<Run> &report) override
	{
		std::vector<Run> kept(report);

		for (Run &run : kept)
			drop_endless(&run);
		inner->ReportRuns(kept);
	}
	void Finalize() override
	{
		inner->Finalize();
	}

      private:
	std::unique_ptr<benchmark::BenchmarkReporter> inner;
};

// ---- Registering and running ---------------------------------------------------------------------------------------

bool
valid(const char *name, gbench_fn fn, const gbench_options *o)
{
	return name && *name && fn && !(o->manual_time && o->real_time) && o->iterations >= 0 && o->repetitions >= 0 &&
	       o->threads >= 0 && o->min_time >= 0 && std::isfinite(o->min_time) &&
	       !(o->iterations && o->min_time > 0) && o->unit >= GBENCH_UNIT_DEFAULT && o->unit <= GBENCH_S &&
	       (!o->arg_rows || (o->args && o->arg_count)) && (!o->arg_names || o->arg_count);
}

void
set_time(benchmark::internal::Benchmark *b, const gbench_options *o)
{
	static const benchmark::TimeUnit units[] = { benchmark::kNanosecond, benchmark::kMicrosecond,
		                                     benchmark::kMillisecond, benchmark::kSecond };

	if (o->manual_time)
		b->UseManualTime();
	if (o->real_time)
		b->UseRealTime();
	if (o->process_cpu)
		b->MeasureProcessCPUTime();
	if (o->unit != GBENCH_UNIT_DEFAULT)
		b->Unit(units[o->unit - GBENCH_NS]);
	if (o->iterations)
		b->Iterations(o->iterations);
	if (o->min_time > 0)
		b->MinTime(o->min_time);
}

// The rows and names as the library wants them, made before anything is registered: making them may throw.
struct sizes {
	std::vector<std::vector<int64_t>> rows;
	std::vector<std::string> names;
};

sizes
sizes_of(const gbench_options *o)
{
	sizes z;

	for (size_t i = 0; i < o->arg_rows; i++)
		z.rows.emplace_back(o->args + i * o->arg_count, o->args + (i + 1) * o->arg_count);
	if (o->arg_names)
		z.names = std::vector<std::string>(o->arg_names, o->arg_names + o->arg_count);
	return z;
}

void
set_sizes(benchmark::internal::Benchmark *b, const gbench_options *o, const sizes &z)
{
	if (o->repetitions)
		b->Repetitions(o->repetitions);
	if (o->threads)
		b->Threads(o->threads);
	for (const auto &row : z.rows)
		b->Args(row);
	if (!z.names.empty())
		b->ArgNames(z.names);
}

void
fail(state *s, const char *why)
{
	if (!s->failed)
		errors++;
	s->failed = true;
	s->head.left = 0;
	s->real->SkipWithError(why);
}

// The library aborts when a function leaves with turns undone; here that is an error like any other.
void
call(benchmark::State &real, gbench_fn fn, void *arg, size_t arg_count)
{
	state s = { { 0 }, &real, arg_count, false, false, false, false };

	runs++;
	fn(&s.head, arg);
	if (!s.failed && !s.over)
		fail(&s, "left before its loop was over");
}

// The library aborts when the clock is stopped twice, and it stops it at the end of the loop.
void
set_clock(state *s, bool running)
{
	if (!s->begun || s->over || s->failed || s->paused == !running)
		return;
	s->paused = !running;
	if (running)
		s->real->ResumeTiming();
	else
		s->real->PauseTiming();
}

// Once false was said the library must not be asked again.
int64_t
take_all(state *s)
{
	if (s->over)
		return 0;
	set_clock(s, true);
	s->over = !s->real->KeepRunningBatch(s->real->max_iterations);
	s->begun = true;
	return s->over ? 0 : s->real->max_iterations;
}

int
run(gbench_totals *t)
{
	clean display(benchmark::CreateDefaultDisplayReporter());
	clean file(new benchmark::JSONReporter);

	runs = errors = 0;
	size_t matched = benchmark::RunSpecifiedBenchmarks(&display, gbench_out_json() ? &file : nullptr);
	if (t)
		*t = { matched, runs, errors };
	return 0;
}

int
put_counter(gbench_state *s, const char *name, double value, int flags, benchmark::Counter::OneK k)
{
	static const int all =
	        GBENCH_RATE | GBENCH_AVG_THREADS | GBENCH_PER_ITERATION | GBENCH_AVG_ITERATIONS | GBENCH_INVERT;
	int theirs = flags & ~GBENCH_INVERT;

	if (!name || !*name || !std::isfinite(value) || (flags & ~all) || (flags & GBENCH_INVERT && value == 0))
		return -EINVAL;
	if (flags & GBENCH_INVERT)
		theirs |= benchmark::Counter::kInvert;
	behind(s)->real->counters[printable(name)] =
	        benchmark::Counter(value, static_cast<benchmark::Counter::Flags>(theirs), k);
	return 0;
}

// Keys of a benchmark in the library's JSON: a counter of that name would stand there twice.
bool
reserved(const char *name)
{
	// clang-format off
	static const char *const keys[] = {
		"name", "run_name", "run_type", "family_index", "per_family_instance_index", "repetitions", "repetition_index",
		"threads", "iterations", "real_time", "cpu_time", "time_unit", "label", "aggregate_name", "aggregate_unit",
		"cpu_coefficient", "real_coefficient", "big_o", "rms", "error_occurred", "error_message", "allocs_per_iter",
		"max_bytes_used",
	};
	// clang-format on

	for (const char *key : keys)
		if (name && !strcmp(name, key))
			return true;
	return false;
}

} // namespace

// The values of our flags are the library's, but for the sign bit that it uses for kInvert.
static_assert(int{ GBENCH_RATE } == int{ benchmark::Counter::kIsRate }, "flag");
static_assert(int{ GBENCH_AVG_THREADS } == int{ benchmark::Counter::kAvgThreads }, "flag");
static_assert(int{ GBENCH_PER_ITERATION } == int{ benchmark::Counter::kIsIterationInvariant }, "flag");
static_assert(int{ GBENCH_AVG_ITERATIONS } == int{ benchmark::Counter::kAvgIterations }, "flag");

extern "C" {

int
gbench_init(int *argc, char **argv, char *err, size_t size)
{
	int error = gbench_check_flags(*argc, argv, err, size);

	if (error)
		return error;
	return guard([=] {
		benchmark::Initialize(argc, argv);
		return 0;
	});
}

int
gbench_unknown(int argc, char *const *argv, char *err, size_t size)
{
	if (argc < 2)
		return 0;
	snprintf(err, size, "%s: Google Benchmark has no such flag, or does not take this value; see --help", argv[1]);
	return -EINVAL;
}

void
gbench_help(void)
{
	guard([] {
		benchmark::PrintDefaultHelp();
		return 0;
	});
}

const char *
gbench_library(void)
{
	return "Google Benchmark " GBENCH_VERSION;
}

int
gbench_context(const char *key, const char *value)
{
	return guard([=] {
		if (!context_keys.insert(printable(key)).second)
			return -EEXIST;
		benchmark::AddCustomContext(printable(key), printable(value));
		return 0;
	});
}

int
gbench_register(const char *name, gbench_fn fn, void *arg, const struct gbench_options *o)
{
	static const gbench_options none = {};

	if (!o)
		o = &none;
	if (!valid(name, fn, o))
		return -EINVAL;
	return guard([=] {
		size_t n = o->arg_rows ? o->arg_count : 0;
		sizes z = sizes_of(o);
		auto *b = benchmark::RegisterBenchmark(
		        printable(name).c_str(), [fn, arg, n](benchmark::State &real) { call(real, fn, arg, n); });

		set_time(b, o);
		set_sizes(b, o, z);
		return 0;
	});
}

void
gbench_clear(void)
{
	guard([] {
		benchmark::ClearRegisteredBenchmarks();
		return 0;
	});
}

int
gbench_run(struct gbench_totals *t)
{
	return guard([=] { return run(t); });
}

bool
gbench_next_batch(struct gbench_state *s)
{
	int64_t n = gbench_all(s);

	s->left = n ? n - 1 : 0;
	return n > 0;
}

int64_t
gbench_all(struct gbench_state *s)
{
	int64_t n = 0;

	guard([s, &n] {
		n = take_all(behind(s));
		return 0;
	});
	return n;
}

int64_t
gbench_iterations(const struct gbench_state *s)
{
	return behind(s)->real->iterations() - s->left;
}

int64_t
gbench_arg(const struct gbench_state *s, size_t i)
{
	return i < behind(s)->arg_count ? behind(s)->real->range(i) : 0;
}

int
gbench_thread(const struct gbench_state *s)
{
	return behind(s)->real->thread_index();
}

int
gbench_threads(const struct gbench_state *s)
{
	return behind(s)->real->threads();
}

int
gbench_seconds(struct gbench_state *s, double seconds)
{
	if (!std::isfinite(seconds) || seconds < 0)
		return -EINVAL;
	return guard([=] {
		behind(s)->real->SetIterationTime(seconds);
		return 0;
	});
}

void
gbench_pause(struct gbench_state *s)
{
	guard([s] {
		set_clock(behind(s), false);
		return 0;
	});
}

void
gbench_resume(struct gbench_state *s)
{
	guard([s] {
		set_clock(behind(s), true);
		return 0;
	});
}

int
gbench_counter(struct gbench_state *s, const char *name, double value, int flags)
{
	if (reserved(name))
		return -EINVAL;
	return guard([=] { return put_counter(s, name, value, flags, benchmark::Counter::kIs1000); });
}

int
gbench_bytes(struct gbench_state *s, int64_t bytes)
{
	double value = static_cast<double>(bytes);

	return guard(
	        [=] { return put_counter(s, "bytes_per_second", value, GBENCH_RATE, benchmark::Counter::kIs1024); });
}

int
gbench_items(struct gbench_state *s, int64_t items)
{
	double value = static_cast<double>(items);

	return guard(
	        [=] { return put_counter(s, "items_per_second", value, GBENCH_RATE, benchmark::Counter::kIs1000); });
}

int
gbench_label(struct gbench_state *s, const char *text)
{
	return guard([=] {
		behind(s)->real->SetLabel(printable(text));
		return 0;
	});
}

int
gbench_skip(struct gbench_state *s, const char *why)
{
	return guard([=] {
		fail(behind(s), printable(why).c_str());
		return 0;
	});
}

} // extern "C"
