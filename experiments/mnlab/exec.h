// SPDX-License-Identifier: MIT
// exec.h: runs one child process to its end, with a time limit, and keeps what it said.
#ifndef EXPERIMENTS_MNLAB_EXEC_H
#define EXPERIMENTS_MNLAB_EXEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

enum { EXEC_KEEP = 64 * 1024 }; // bytes kept of each stream: its end

struct exec_request {
	char *const *argv; // argv[0] is the path of the program
	char *const *envp;
	double timeout_s;
};

struct exec_text {
	char *text; // NUL-terminated, never NULL after a success
	size_t n;
	bool cut; // there was more before it
};

struct exec_result {
	int exit_code; // when signal is 0
	int signal;    // that ended it, or 0
	bool timed_out;
	bool interrupted; // we were told to stop, and stopped it
	int64_t elapsed_ns;
	struct rusage usage;
	struct exec_text out, err;
};

// Starts the program in a process group of its own, waits for it, and leaves nothing of the group alive. At the time
// limit it gets SIGQUIT, so that it can tell its state on stderr, and EXEC_GRACE_MS later SIGKILL. It dies with us.
// Returns 0, or -errno when it could not be started. The result is to be freed in either case.
enum { EXEC_GRACE_MS = 2000 };
int exec_run(const struct exec_request *request, struct exec_result *result);
void exec_free(struct exec_result *result);

// The last n lines of a text, as a pointer into it.
const char *exec_last_lines(const struct exec_text *text, int n);

#endif
