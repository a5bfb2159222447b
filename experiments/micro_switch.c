// SPDX-License-Identifier: MIT
// micro_switch.c: the switch between two contexts on one thread, in the forms that were considered. Opens internals:
// sched/core/context.h. A time is for one switch, not for the way there and back.
//
//   switch/one_site   the library's, as the library uses it: both contexts switch at the same call, so that the
//                     processor predicts the return
//   switch/two_sites  the same, called from two places: each return is mispredicted
//   switch/jump       the same registers, but an indirect jump in place of the return (x86-64)
//   switch/inline     no call: the compiler saves what it needs around the jump (x86-64)
// Sanitizer builds have only the first two: the others do not tell the sanitizer.
#include "experiments/micro.h"

#include "sched/core/context.h"

enum { STACK = 64 * 1024 };
alignas(64) static char stack[STACK];

static struct context here, there;

// Both contexts run this loop, so that a return finds on top of the processor's stack of return addresses what the
// other context left there: the same address.
static NOINLINE void
hop(struct context *from, struct context *to, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		context_switch(from, to, false);
}

static void
hop_back(void *arg)
{
	(void)arg;
	context_begun();
	for (;;)
		hop(&there, &here, INT64_MAX);
}

static void
switch_back(void *arg)
{
	(void)arg;
	context_begun();
	for (;;)
		context_switch(&there, &here, false);
}

static void
prepare(void (*other)(void *))
{
	mn_context_adopt(&here);
	mn_context_make(&there, stack, stack + STACK, other, NULL);
}

static void
bench_one_site(struct gbench_state *s, void *arg)
{
	int64_t n;

	(void)arg;
	prepare(hop_back);
	while ((n = gbench_all(s)))
		hop(&here, &there, (n + 1) / 2);
	context_forget(&there);
}

static void
bench_two_sites(struct gbench_state *s, void *arg)
{
	int64_t n;

	(void)arg;
	prepare(switch_back);
	while ((n = gbench_all(s))) {
		for (int64_t i = 0; i < n; i += 2)
			context_switch(&here, &there, false);
	}
	context_forget(&there);
}

#if defined(__x86_64__) && !MN_ASAN && !MN_TSAN

// ---- Forms that the library does not use ---------------------------------------------------------------------------

void jump_switch(void **from, void *to);
__asm__(".text\n"
        ".p2align 5\n"
        "jump_switch:\n"
        "	pushq %rbp; pushq %rbx; pushq %r12; pushq %r13; pushq %r14; pushq %r15\n"
        "	movq %rsp, (%rdi)\n"
        "	movq %rsi, %rsp\n"
        "	popq %r15; popq %r14; popq %r13; popq %r12; popq %rbx; popq %rbp\n"
        "	popq %rcx\n"
        "	jmp *%rcx\n");

static void
jump_back(void *arg)
{
	(void)arg;
	for (;;)
		jump_switch(&there.sp, here.sp);
}

static void
bench_jump(struct gbench_state *s, void *arg)
{
	int64_t n;

	(void)arg;
	prepare(jump_back);
	while ((n = gbench_all(s))) {
		for (int64_t i = 0; i < n; i += 2)
			jump_switch(&here.sp, there.sp);
	}
}

// Steps over the red zone, leaves the address to come back to and the two registers that cannot be named as clobbered.
// The compiler uses no register of AVX-512 here, or they would have to be named too.
static inline __attribute__((always_inline)) void
inline_switch(void **from, void *to)
{
	__asm__ volatile("leaq -128(%%rsp), %%rsp\n\t"
	                 "pushq %%rbp\n\t"
	                 "pushq %%rbx\n\t"
	                 "leaq 1f(%%rip), %%rax\n\t"
	                 "pushq %%rax\n\t"
	                 "movq %%rsp, (%0)\n\t"
	                 "movq %1, %%rsp\n\t"
	                 "popq %%rax\n\t"
	                 "jmp *%%rax\n"
	                 "1:\tpopq %%rbx\n\t"
	                 "popq %%rbp\n\t"
	                 "leaq 128(%%rsp), %%rsp"
	                 : "+D"(from), "+S"(to)
	                 :
	                 : "rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "memory", "cc",
	                   "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",
	                   "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
}

static void
inline_back(void)
{
	for (;;)
		inline_switch(&there.sp, here.sp);
}

static void
bench_inline(struct gbench_state *s, void *arg)
{
	// Entered by a jump that takes the address off the stack, which must then look as after a call.
	void **top = (void **)(void *)(stack + STACK - 64);
	int64_t n;

	(void)arg;
	top[-1] = NULL;
	top[-2] = (void *)inline_back;
	there.sp = &top[-2];
	while ((n = gbench_all(s))) {
		for (int64_t i = 0; i < n; i += 2)
			inline_switch(&here.sp, there.sp);
	}
}

static void
register_other_forms(void)
{
	micro_register("switch/jump", bench_jump, NULL, NULL);
	micro_register("switch/inline", bench_inline, NULL, NULL);
}

#else

static void
register_other_forms(void)
{
}

#endif

static void
register_all(void)
{
	micro_register("switch/one_site", bench_one_site, NULL, NULL);
	micro_register("switch/two_sites", bench_two_sites, NULL, NULL);
	register_other_forms();
}

int
main(int argc, char **argv)
{
	return micro_main(argc, argv, register_all);
}
