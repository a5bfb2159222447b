# SPDX-License-Identifier: MIT
# mn_test(NAME LABEL SOURCE... [LIBS lib...] [TIMEOUT s]): a test program, exit 0 pass, 77 skip, anything else fail.
function(mn_test name label)
	cmake_parse_arguments(arg "" "TIMEOUT" "LIBS;DEFS" ${ARGN})
	add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
	target_link_libraries(${name} PRIVATE mn_build ${arg_LIBS})
	target_compile_definitions(${name} PRIVATE ${arg_DEFS})
	add_test(NAME ${name} COMMAND ${name})
	if(NOT arg_TIMEOUT)
		set(arg_TIMEOUT 120)
	endif()
	set_tests_properties(${name} PROPERTIES LABELS "${label}" SKIP_RETURN_CODE 77 TIMEOUT ${arg_TIMEOUT})
endfunction()
