// SPDX-License-Identifier: MIT
// exec_test.c: children that end well, badly, late, or leave others behind.
#include "experiments/mnlab/exec.h"
#include "experiments/mnlab/interrupt.h"
#include "experiments/mnlab/tests/check.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static struct exec_result
shell(const char *script, double timeout_s)
{
	char *argv[] = { "/bin/sh", "-c", (char *)script, NULL };
	struct exec_result r;

	check_number(exec_run(&(struct exec_request){ argv, environ, timeout_s }, &r), 0);
	return r;
}

static void
test_streams(void)
{
	struct exec_result r = shell("echo out; echo err >&2; read line || echo no input; exit 7", 60);

	check_number(r.exit_code, 7);
	check_number(r.signal, 0);
	check(!r.timed_out && !r.interrupted && r.elapsed_ns > 0);
	check_text(r.out.text, "out\nno input\n");
	check_text(r.err.text, "err\n");
	exec_free(&r);
}

// More than a pipe holds and more than is kept: the child is not stopped by it, and the end is what stays.
static void
test_much_output(void)
{
	struct exec_result r =
	        shell("i=0; while [ $i -lt 3000 ]; do echo \"line $i of a text that is long enough to fill it\"; "
	              "i=$((i+1)); done; echo last >&2",
	              60);

	check_number(r.exit_code, 0);
	check(r.out.cut && r.out.n == EXEC_KEEP);
	check_text(exec_last_lines(&r.out, 1), "line 2999 of a text that is long enough to fill it\n");
	check(!strncmp(exec_last_lines(&r.out, 2), "line 2998", 9));
	check(!r.err.cut);
	check_text(exec_last_lines(&r.err, 5), "last\n");
	exec_free(&r);
}

static void
test_signal(void)
{
	struct exec_result r = shell("kill -SEGV $$", 60);

	check_number(r.signal, SIGSEGV);
	check_number(r.exit_code, 0);
	exec_free(&r);
}

// At the limit the child is asked to tell its state, and has time to do so.
static void
test_timeout_asks(void)
{
	struct exec_result r = shell("trap 'echo state >&2; exit 3' QUIT; while :; do sleep 0.01; done", 0.3);

	check(r.timed_out);
	check_number(r.exit_code, 3);
	check_text(r.err.text, "state\n");
	exec_free(&r);
}

static void
test_timeout_kills(void)
{
	struct exec_result r = shell("trap '' QUIT; while :; do sleep 0.01; done", 0.1);

	check(r.timed_out);
	check_number(r.signal, SIGKILL);
	check(r.elapsed_ns >= EXEC_GRACE_MS * INT64_C(1000000));
	exec_free(&r);
}

// A grandchild that holds the pipes open neither keeps us waiting nor lives on.
static void
test_left_behind(void)
{
	struct exec_result r = shell("sleep 1000 & echo $!", 60);
	long pid = strtol(r.out.text, NULL, 10);

	check_number(r.exit_code, 0);
	check(pid > 1);
	for (int i = 0; i < 1000 && !kill((pid_t)pid, 0); i++) { // its new parent reaps it, in its own time
		char path[64], state = 0;
		snprintf(path, sizeof path, "/proc/%ld/stat", pid);
		FILE *f = fopen(path, "r");
		if (f && fscanf(f, "%*d %*s %c", &state) == 1 && state == 'Z')
			i = 1000;
		if (f)
			fclose(f);
		nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
	}
	char path[64], state = 'Z';
	snprintf(path, sizeof path, "/proc/%ld/stat", pid);
	FILE *f = fopen(path, "r");
	if (f && fscanf(f, "%*d %*s %c", &state) != 1)
		state = 'Z';
	if (f)
		fclose(f);
	check_number(state, 'Z');
	exec_free(&r);
}

static void
test_usage(void)
{
	struct exec_result r = shell("i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done", 60);

	check(r.usage.ru_utime.tv_sec > 0 || r.usage.ru_utime.tv_usec > 0);
	check(r.usage.ru_maxrss > 0);
	exec_free(&r);
}

static void
test_cannot_start(void)
{
	char *none[] = { "/no/such/program", NULL }, *folder[] = { "/", NULL };
	struct exec_result r;

	check_number(exec_run(&(struct exec_request){ none, environ, 1 }, &r), -ENOENT);
	exec_free(&r);
	check_number(exec_run(&(struct exec_request){ folder, environ, 1 }, &r), -EACCES);
	exec_free(&r);
}

// The child gets the signals that we block for ourselves.
static void
test_mask(void)
{
	struct exec_result r = shell("kill -TERM $$; exit 0", 60);

	check_number(r.signal, SIGTERM);
	exec_free(&r);
}

static void *
tell_to_stop(void *main_thread)
{
	nanosleep(&(struct timespec){ .tv_nsec = 200000000 }, NULL);
	pthread_kill(*(pthread_t *)main_thread, SIGINT);
	return NULL;
}

static void
test_interrupt(void)
{
	pthread_t self = pthread_self(), other;

	check(!interrupted());
	check(!pthread_create(&other, NULL, tell_to_stop, &self));
	struct exec_result r = shell("trap '' INT; while :; do sleep 0.01; done", 60);
	pthread_join(other, NULL);
	check(r.interrupted && !r.timed_out && interrupted());
	check_number(r.signal, SIGKILL);
	exec_free(&r);
}

int
main(void)
{
	interrupt_init();
	test_streams();
	test_much_output();
	test_signal();
	test_timeout_asks();
	test_timeout_kills();
	test_left_behind();
	test_usage();
	test_cannot_start();
	test_mask();
	test_interrupt(); // last: from here on everything is interrupted
	return 0;
}
