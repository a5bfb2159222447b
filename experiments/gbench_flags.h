// SPDX-License-Identifier: MIT
// gbench_flags.h: what of Google Benchmark's flags the shim must know before the library does. Not for programs.
#ifndef EXPERIMENTS_GBENCH_FLAGS_H
#define EXPERIMENTS_GBENCH_FLAGS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// Checks argv and the BENCHMARK_ variables. Returns 0, or -EINVAL or -errno with one line in err[0..size).
int gbench_check_flags(int argc, char *const *argv, char *err, size_t size);

// Whether the report goes to a file as JSON; valid after the check.
bool gbench_out_json(void);

#ifdef __cplusplus
}
#endif
#endif
