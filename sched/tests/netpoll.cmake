# SPDX-License-Identifier: MIT
# Waiting for descriptors. Those that open internals say so.
add_library(mn_fds STATIC fds.c)
target_link_libraries(mn_fds PRIVATE mn_build)

foreach(test IN ITEMS io)
	behaviour(netpoll_${test}_test unit)
	target_link_libraries(netpoll_${test}_test PRIVATE mn_fds)
endforeach()
