// SPDX-License-Identifier: MIT
// linux_memory.c: address space, large pages, guards.
#include <errno.h>
#include <sys/mman.h>

#include "sched/os/os.h"

#if MN_ASAN
#include <sanitizer/asan_interface.h>
#endif

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102 // Linux 6.13
#endif

void *
mn_os_map(size_t size)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}

void
mn_os_unmap(void *at, size_t size)
{
#if MN_ASAN
	// Frames that never returned are still marked; whoever is given these addresses next must not find that.
	__asan_unpoison_memory_region(at, size);
#endif
	munmap(at, size);
}

void
mn_os_large_pages(void *at, size_t size, bool on)
{
	madvise(at, size, on ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
}

int
mn_os_guard(void *at, size_t size, bool may_split)
{
	if (madvise(at, size, MADV_GUARD_INSTALL) == 0)
		return 0;
	if (errno != EINVAL)
		return -errno;
	if (!may_split)
		return -ENOSPC;
	return mprotect(at, size, PROT_NONE) == 0 ? 1 : -errno;
}
