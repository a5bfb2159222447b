# SPDX-License-Identifier: MIT
# Channels and select.
add_library(mn_chan_rig STATIC chan_rig.c)
target_link_libraries(mn_chan_rig PRIVATE mn_build mn mn_rig mn_testing)

function(chan_test name label)
	mn_test(${name} ${label} ${name}.c LIBS mn_chan_rig mn_rig mn mn_testing ${ARGN})
endfunction()

chan_test(chan_basic_test unit)
chan_test(chan_handoff_test unit)
chan_test(chan_select_test unit)
chan_test(chan_fairness_test unit)
target_link_libraries(chan_fairness_test PRIVATE m)
chan_test(chan_fatal_test unit)
chan_test(chan_race_test stress TIMEOUT 300)
chan_test(chan_duel_test stress TIMEOUT 300)
chan_test(chan_stress_test stress TIMEOUT 300)
chan_test(chan_timeout_test stress)
chan_test(chan_million_test stress TIMEOUT 300)

# The library once more with a deliberate fault: a select's second waker wakes it too. See stress.cmake.
add_library(mn_select_twice STATIC EXCLUDE_FROM_ALL ${mn_sources})
target_compile_definitions(mn_select_twice PUBLIC MN_FAULT_SELECT_TWICE)
target_link_libraries(mn_select_twice PRIVATE mn_build PkgConfig::HWLOC PUBLIC Threads::Threads)
mn_test(chan_finds_select_twice unit chan_handoff_test.c chan_rig.c rig.c LIBS mn_select_twice mn_testing)
set_tests_properties(chan_finds_select_twice PROPERTIES WILL_FAIL TRUE)
