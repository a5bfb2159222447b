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

# micro_program(NAME): a micro-benchmark, and a test that runs each of its benchmarks once, small.
function(micro_program name)
	gbench_program(${name} ${name}.c micro.c LIBS mn)
	add_test(NAME smoke_${name} COMMAND ${name} --benchmark_min_time=0 --benchmark_repetitions=1)
	set_tests_properties(smoke_${name} PROPERTIES LABELS smoke TIMEOUT 120 ENVIRONMENT "MICRO_TINY=1;MNCELL_ANY_BUILD=1")
endfunction()

micro_program(micro_spawn)
micro_program(micro_join)
micro_program(micro_yield)
micro_program(micro_wake)
