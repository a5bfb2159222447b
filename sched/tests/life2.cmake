# SPDX-License-Identifier: MIT
# Timers, GOMAXPROCS while running, locked threads, stacks that overflow.
behaviour(life_heap_test unit)
behaviour(life_timer_test unit)
behaviour(life_tick_test unit)
behaviour(life_source_test unit)
behaviour(life_lock_test unit)
behaviour(life_overflow_test unit)
behaviour(life_procs_test unit)
behaviour(life_churn_test stress TIMEOUT 300)
behaviour(life_poll_timer_test unit)
