# SPDX-License-Identifier: MIT
# mnlab compare: included once mnlab and what plan and run share (mnlab_runner, for moot.h) are there.
add_library(mnlab_compare STATIC
	cmd_compare.c compare_alias.c compare_blocks.c compare_data.c compare_evidence.c
	compare_json.c compare_keys.c compare_lines.c compare_text.c)
target_link_libraries(mnlab_compare PUBLIC mnlab_rows mnlab_runner lab_stats)

target_link_libraries(mnlab PRIVATE mnlab_compare)
target_compile_definitions(mnlab PRIVATE MNLAB_COMPARE)

mn_test(compare_find_test unit compare_find_test.c compare_rig.c LIBS mnlab_compare)
mn_test(compare_input_test unit compare_input_test.c compare_rig.c LIBS mnlab_compare)
