// SPDX-License-Identifier: MIT
// linux_self.h: the thread's own pointer, read so that no compiler can keep it across a switch.
//
// A C function stays on one thread, so compilers may compute the address of a thread-local variable once and use it
// again later in the function. A goroutine that switches in between would then read the other thread's variable. A
// volatile asm is read each time it is reached. Initial-exec access needs no call; linkers relax it to a constant in
// executables.
#ifndef SCHED_OS_LINUX_LINUX_SELF_H
#define SCHED_OS_LINUX_LINUX_SELF_H

extern __thread void *mn_os_self_slot __attribute__((tls_model("initial-exec")));

static inline void *
mn_os_self(void)
{
	void *self;

#if defined(__x86_64__)
	__asm__ volatile("movq mn_os_self_slot@gottpoff(%%rip), %0\n\tmovq %%fs:(%0), %0" : "=r"(self));
#elif defined(__aarch64__)
	void *offset;

	__asm__ volatile("adrp %1, :gottprel:mn_os_self_slot\n\t"
	                 "ldr %1, [%1, #:gottprel_lo12:mn_os_self_slot]\n\t"
	                 "mrs %0, tpidr_el0\n\t"
	                 "ldr %0, [%0, %1]"
	                 : "=&r"(self), "=&r"(offset));
#else
#error "mn_os_self: not written for this processor"
#endif
	return self;
}

#endif
