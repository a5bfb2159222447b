# SPDX-License-Identifier: MIT
# mnlab model: the round model in the terminal, and the check of golden files.
add_library(mnlab_model STATIC cmd_model.c model_args.c model_view.c model_words.c)
target_link_libraries(mnlab_model PUBLIC mn_build mn_model)
target_link_libraries(mnlab PRIVATE mnlab_model)
target_compile_definitions(mnlab PRIVATE MNLAB_MODEL)

mn_test(mnlab_model_view_test unit tests/model_view_test.c ${CMAKE_SOURCE_DIR}/sched/base/check.c LIBS mnlab_model)
foreach(part check run)
	add_test(NAME mnlab_model_${part}_test
		COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tests/model_${part}_test.sh $<TARGET_FILE:mnlab>
			${CMAKE_SOURCE_DIR}/sched/tests/golden/model-golden.txt)
	set_tests_properties(mnlab_model_${part}_test PROPERTIES LABELS unit SKIP_RETURN_CODE 77 TIMEOUT 120)
endforeach()
