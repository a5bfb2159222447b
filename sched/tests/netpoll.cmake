# SPDX-License-Identifier: MIT
# Waiting for descriptors. Those that open internals say so.
add_library(mn_fds STATIC fds.c)
target_link_libraries(mn_fds PRIVATE mn_build)

foreach(test IN ITEMS io_test close_test connect_test poller_test)
	behaviour(netpoll_${test} unit)
	target_link_libraries(netpoll_${test} PRIVATE mn_fds)
endforeach()
behaviour(netpoll_stress stress TIMEOUT 300)
target_link_libraries(netpoll_stress PRIVATE mn_fds)
