# SPDX-License-Identifier: MIT
# Locks and conditions (sched/sync): each by itself, misuse, and all of them under stress.
mn_test(sync_sema_tree_test unit sync_sema_tree_test.c LIBS mn mn_testing)
behaviour(sync_sema_test unit)
behaviour(sync_mutex_test unit)
behaviour(sync_rwmutex_test unit)
behaviour(sync_cond_test unit)
behaviour(sync_once_test unit)
behaviour(sync_misuse_test unit)
mn_test(sync_stress_test stress sync_stress_test.c LIBS mn_rig mn mn_testing TIMEOUT 900)
# A sanitizer that waits a second before each exit makes a minute of it.
set_tests_properties(sync_misuse_test PROPERTIES ENVIRONMENT TSAN_OPTIONS=atexit_sleep_ms=0)
