# Third-party libraries, by package (tools/setup installs them).

find_library(BELAY_LIBFYAML NAMES libfyaml.a REQUIRED)
find_library(BELAY_ZLIB NAMES libz.a REQUIRED)
find_library(BELAY_NETTLE NAMES libnettle.a REQUIRED)

add_library(outside_fyaml INTERFACE)
target_link_libraries(outside_fyaml INTERFACE ${BELAY_LIBFYAML})
add_library(outside_zlib INTERFACE)
target_link_libraries(outside_zlib INTERFACE ${BELAY_ZLIB})
add_library(outside_nettle INTERFACE)
target_link_libraries(outside_nettle INTERFACE ${BELAY_NETTLE})
if(BELAY_TESTS)
  find_package(GTest REQUIRED)
  find_library(BELAY_RAPIDCHECK NAMES librapidcheck.a REQUIRED)
endif()
