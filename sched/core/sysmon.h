// SPDX-License-Identifier: MIT
// sysmon.h: what sysmon keeps to itself.
#ifndef SCHED_CORE_SYSMON_H
#define SCHED_CORE_SYSMON_H

#include "sched/core/note.h"

struct sysmon {
	struct mn_os_thread thread;
	struct note bed;
	_Atomic uint32_t stop;
};

#endif
