// SPDX-License-Identifier: MIT
// context_x86_64.S: the switch for x86-64, System V ABI. See context.h.
#if defined(__x86_64__)
	.text

// void mn_context_switch(void **from, void *to)
	.globl	mn_context_switch
	.type	mn_context_switch, @function
	.p2align 5
mn_context_switch:
	.cfi_startproc
	pushq	%rbp
	pushq	%rbx
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	movq	%rsp, (%rdi)
	movq	%rsi, %rsp
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%rbx
	popq	%rbp
	ret
	.cfi_endproc
	.size	mn_context_switch, . - mn_context_switch

// Where a made context begins: r13(r12), aligned as a call wants it. Nothing to unwind into.
	.globl	mn_context_entry
	.type	mn_context_entry, @function
	.p2align 4
mn_context_entry:
	.cfi_startproc
	.cfi_undefined rip
	movq	%r12, %rdi
	callq	*%r13
	ud2
	.cfi_endproc
	.size	mn_context_entry, . - mn_context_entry

// void mn_context_restart(void *top, void (*fn)(void *), void *arg)
	.globl	mn_context_restart
	.type	mn_context_restart, @function
	.p2align 4
mn_context_restart:
	.cfi_startproc
	.cfi_undefined rip
	andq	$-16, %rdi
	leaq	-16(%rdi), %rsp
	xorl	%ebp, %ebp
	movq	%rdx, %rdi
	callq	*%rsi
	ud2
	.cfi_endproc
	.size	mn_context_restart, . - mn_context_restart
#endif
	.section .note.GNU-stack, "", @progbits
