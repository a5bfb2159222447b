# SPDX-License-Identifier: MIT
# What the scheduler promises to those who use it, tested as a whole. Those that open internals say so.
add_library(mn_rig STATIC rig.c)
target_link_libraries(mn_rig PRIVATE mn_build mn mn_testing)

function(behaviour name label)
	mn_test(${name} ${label} ${name}.c ${ARGN} LIBS mn_rig mn mn_testing)
endfunction()

behaviour(run_test unit)
behaviour(order_test unit)
behaviour(join_test unit)
behaviour(join_deep_test unit)
behaviour(wait_group_test unit)
behaviour(fatal_test unit)
behaviour(options_test unit)
behaviour(spill_test unit)
behaviour(syscall_test unit)
behaviour(life_test unit)
behaviour(schedtrace_test unit)
target_compile_definitions(schedtrace_test PRIVATE MN_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
behaviour(sampler_test unit)
behaviour(pin_test unit)
behaviour(neutral_test stress TIMEOUT 300)
