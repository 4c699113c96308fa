# Every src/LAYER/**/*_test.cc is built into one test program per layer; none can be forgotten.

include(GoogleTest)

foreach(layer ${BELAY_LAYERS})
  file(GLOB_RECURSE tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${layer}/*_test.cc)
  if(tests)
    add_executable(${layer}_test ${tests})
    target_link_libraries(${layer}_test PRIVATE belay_${layer} GTest::gtest_main GTest::gmock ${BELAY_RAPIDCHECK})
    gtest_discover_tests(${layer}_test TEST_PREFIX "${layer}." DISCOVERY_TIMEOUT 60
                         PROPERTIES LABELS "unit\\;fast" TIMEOUT 300)
  endif()
endforeach()
