// SPDX-License-Identifier: MIT
// context_aarch64.S: the switch for aarch64, AAPCS64. See context.h.
#if defined(__aarch64__)
	.text

// void mn_context_switch(void **from, void *to)
	.globl	mn_context_switch
	.type	mn_context_switch, %function
	.p2align 5
mn_context_switch:
	.cfi_startproc
	stp	d14, d15, [sp, #-16]!
	stp	d12, d13, [sp, #-16]!
	stp	d10, d11, [sp, #-16]!
	stp	d8, d9, [sp, #-16]!
	stp	x29, x30, [sp, #-16]!
	stp	x27, x28, [sp, #-16]!
	stp	x25, x26, [sp, #-16]!
	stp	x23, x24, [sp, #-16]!
	stp	x21, x22, [sp, #-16]!
	stp	x19, x20, [sp, #-16]!
	mov	x9, sp
	str	x9, [x0]
	mov	sp, x1
	ldp	x19, x20, [sp], #16
	ldp	x21, x22, [sp], #16
	ldp	x23, x24, [sp], #16
	ldp	x25, x26, [sp], #16
	ldp	x27, x28, [sp], #16
	ldp	x29, x30, [sp], #16
	ldp	d8, d9, [sp], #16
	ldp	d10, d11, [sp], #16
	ldp	d12, d13, [sp], #16
	ldp	d14, d15, [sp], #16
	ret
	.cfi_endproc
	.size	mn_context_switch, . - mn_context_switch

// Where a made context begins: x20(x19). Nothing to unwind into.
	.globl	mn_context_entry
	.type	mn_context_entry, %function
	.p2align 4
mn_context_entry:
	.cfi_startproc
	.cfi_undefined x30
	mov	x0, x19
	blr	x20
	brk	#1
	.cfi_endproc
	.size	mn_context_entry, . - mn_context_entry

// void mn_context_restart(void *top, void (*fn)(void *), void *arg)
	.globl	mn_context_restart
	.type	mn_context_restart, %function
	.p2align 4
mn_context_restart:
	.cfi_startproc
	.cfi_undefined x30
	and	x9, x0, #-16
	sub	sp, x9, #16
	mov	x29, #0
	mov	x30, #0
	mov	x0, x2
	blr	x1
	brk	#1
	.cfi_endproc
	.size	mn_context_restart, . - mn_context_restart
#endif
	.section .note.GNU-stack, "", %progbits
