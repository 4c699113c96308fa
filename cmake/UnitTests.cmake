# Every src/LAYER/**/*_test.cc is built into one test program per layer; none can be forgotten.

include(GoogleTest)

# gtest_discover_tests takes no list as a property, so the labels are set in a second step. Suites that
# kill a process at every step, or make up whole repositories, are no part of the everyday loop.
function(belay_discover program label_list)
  gtest_discover_tests(${program} TEST_PREFIX "${program}." DISCOVERY_TIMEOUT 60
                       PROPERTIES TIMEOUT 300)
  set(labels ${CMAKE_CURRENT_BINARY_DIR}/${program}_labels.cmake)
  set(slow_suites "KillTest|RaceTest|SurviveProperty")
  string(REPLACE "fast" "slow" slow_label_list "${label_list}")
  file(CONFIGURE OUTPUT ${labels} @ONLY CONTENT [[
foreach(test IN LISTS @program@_TESTS)
  if(test MATCHES "\\.[A-Za-z]*(@slow_suites@)\\.")
    set_tests_properties("${test}" PROPERTIES LABELS "@slow_label_list@")
  else()
    set_tests_properties("${test}" PROPERTIES LABELS "@label_list@")
  endif()
endforeach()
]])
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${labels})
endfunction()

# All of them, and nothing else: what the sanitizer builds need.
add_custom_target(unit_tests)

foreach(layer ${BELAY_LAYERS})
  file(GLOB_RECURSE tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${layer}/*_test.cc)
  if(tests)
    add_executable(${layer}_test ${tests})
    target_link_libraries(${layer}_test PRIVATE belay_${layer} belay_testing GTest::gtest_main GTest::gmock ${BELAY_RAPIDCHECK})
    if(BELAY_SANITIZE)
      # The libraries are checked; in the tests' own templates it only doubles the time to compile.
      target_compile_options(${layer}_test PRIVATE -fno-sanitize=undefined)
    endif()
    belay_common_headers(${layer}_test base_test <gmock/gmock.h> <gtest/gtest.h>)
    add_dependencies(unit_tests ${layer}_test)
    belay_discover(${layer}_test "unit;fast")
  endif()
endforeach()
