# belay_layer(NAME DEPENDS ...): the folder src/NAME as a static library that may use only the layers
# it names. tools/check-layers checks the same order on the includes.

function(belay_layer name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cc)
  list(FILTER sources EXCLUDE REGEX "(_test|/main)\\.cc$")
  add_library(belay_${name} STATIC ${sources})
  target_include_directories(belay_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(belay_${name} PUBLIC ${ARG_DEPENDS})
  belay_common_headers(belay_${name} belay_base)
endfunction()
