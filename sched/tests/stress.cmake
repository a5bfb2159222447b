# SPDX-License-Identifier: MIT
# Stress: threads, a printed seed, exactly-once ledgers. And the proof that it can fail.
mn_test(globq_test unit globq_test.c LIBS mn mn_testing)
mn_test(policy_test unit policy_test.c fake_ps.c LIBS mn mn_testing)
mn_test(stress_exactly_once stress stress_exactly_once.c fake_ps.c LIBS mn mn_testing TIMEOUT 900)

# The library once more with one deliberate fault each; the stress test must see it. The first is invisible on x86 but to
# ThreadSanitizer.
get_target_property(mn_sources mn SOURCES)
list(TRANSFORM mn_sources PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/../)
function(mn_faulty name fault)
	add_library(mn_${name} STATIC EXCLUDE_FROM_ALL ${mn_sources})
	target_compile_definitions(mn_${name} PUBLIC ${fault})
	target_link_libraries(mn_${name} PRIVATE mn_build PkgConfig::HWLOC PUBLIC Threads::Threads)
	mn_test(stress_finds_${name} stress stress_exactly_once.c fake_ps.c LIBS mn_${name} mn_testing TIMEOUT 900)
	set_tests_properties(stress_finds_${name} PROPERTIES WILL_FAIL TRUE ENVIRONMENT TSAN_OPTIONS=halt_on_error=1)
endfunction()
mn_faulty(pop_by_store MN_FAULT_POP_BY_STORE)
if(MN_SANITIZE MATCHES thread)
	mn_faulty(publish_relaxed MN_FAULT_PUBLISH_RELAXED)
endif()
