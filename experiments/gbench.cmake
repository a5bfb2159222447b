# SPDX-License-Identifier: MIT
# Google Benchmark for C (gbench), the program of one cell (mncell), and the micro-benchmarks.

# gbench_unfit, and with it every program that measures, wants to know how it was built.
add_library(gbench STATIC gbench_shim.cc gbench_flags.c)
target_compile_definitions(gbench PRIVATE GBENCH_VERSION="${benchmark_VERSION}" GBENCH_SANITIZE="${MN_SANITIZE}")
target_link_libraries(gbench PUBLIC benchmark::benchmark PRIVATE mn_build m)

# gbench_program(NAME SOURCE... [LIBS lib...] [DEFS def...]): a C program that measures, linked as C++.
function(gbench_program name)
	cmake_parse_arguments(arg "" "" "LIBS;DEFS" ${ARGN})
	add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
	target_link_libraries(${name} PRIVATE mn_build gbench ${arg_LIBS})
	target_compile_definitions(${name} PRIVATE ${arg_DEFS})
	set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
endfunction()

mn_test(gbench_test unit gbench_test.c gbench_test_benches.c LIBS gbench PkgConfig::JANSSON
	DEFS GBENCH_VERSION="${benchmark_VERSION}" GBENCH_SANITIZE="${MN_SANITIZE}")
set_target_properties(gbench_test PROPERTIES LINKER_LANGUAGE CXX)

# The rest runs goroutines.
if(NOT TARGET mn)
	return()
endif()

set(mncell_sources mncell.c mncell_args.c mncell_run.c mncell_evidence.c mncell_help.c)
gbench_program(mncell ${mncell_sources} LIBS mn workloads PkgConfig::JANSSON DEFS MNLAB_VERSION="${PROJECT_VERSION}")

# mncell as the laboratory starts it, and once more with faults to be turned on.
gbench_program(mncell_faulty ${mncell_sources} mncell_faults.c LIBS mn workloads PkgConfig::JANSSON
	DEFS MNLAB_VERSION="${PROJECT_VERSION}" mn_run=faulty_run mn_stats_check=faulty_stats_check
	workload_find=faulty_find workload_verify=faulty_verify)
add_executable(mncell_test mncell_test.c)
target_link_libraries(mncell_test PRIVATE mn_build mn PkgConfig::JANSSON)
target_compile_definitions(mncell_test PRIVATE GBENCH_SANITIZE="${MN_SANITIZE}")
add_test(NAME mncell_test COMMAND mncell_test $<TARGET_FILE:mncell> $<TARGET_FILE:mncell_faulty>)
add_test(NAME mncell_bad_input COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/test_mncell_bad.sh $<TARGET_FILE:mncell>)
set_tests_properties(mncell_test mncell_bad_input PROPERTIES LABELS smoke TIMEOUT 120)

# micro_program(NAME): a micro-benchmark, and a test that runs each of its benchmarks once, small.
function(micro_program name)
	gbench_program(${name} ${name}.c micro.c LIBS mn)
	add_test(NAME smoke_${name} COMMAND ${name} --benchmark_min_time=0.001 --benchmark_repetitions=1)
	set_tests_properties(smoke_${name} PROPERTIES LABELS smoke TIMEOUT 120 ENVIRONMENT "MICRO_TINY=1;MNCELL_ANY_BUILD=1")
endfunction()

micro_program(micro_spawn)
micro_program(micro_join)
micro_program(micro_yield)
micro_program(micro_wake)
micro_program(micro_ring)
micro_program(micro_switch)
micro_program(micro_sync)
micro_program(micro_chan)
