# SPDX-License-Identifier: MIT
# Google Benchmark for C (gbench), the program of one cell (mncell), and the micro-benchmarks.

add_library(gbench STATIC gbench_shim.cc gbench_flags.c)
target_compile_definitions(gbench PRIVATE GBENCH_VERSION="${benchmark_VERSION}")
target_link_libraries(gbench PUBLIC benchmark::benchmark PRIVATE mn_build m)

# gbench_program(NAME SOURCE... [LIBS lib...]): a C program that measures, linked as C++.
function(gbench_program name)
	cmake_parse_arguments(arg "" "" "LIBS;DEFS" ${ARGN})
	add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
	target_link_libraries(${name} PRIVATE mn_build gbench ${arg_LIBS})
	target_compile_definitions(${name} PRIVATE ${arg_DEFS})
	set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
endfunction()

mn_test(gbench_test unit gbench_test.c LIBS gbench PkgConfig::JANSSON DEFS GBENCH_VERSION="${benchmark_VERSION}")
set_target_properties(gbench_test PROPERTIES LINKER_LANGUAGE CXX)
