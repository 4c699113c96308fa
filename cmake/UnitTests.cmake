# Every src/LAYER/**/*_test.cc is built into one test program per layer; none can be forgotten.

include(GoogleTest)

# Starting a program for each of three thousand tests takes longer than most of them, so one process runs a
# suite, with the given labels. Each test is also registered with the label `single`, to be run by name (ctest
# -R) and for tools/check-requirements. Suites that kill a process at every step, try every crash, or create
# whole repositories are not part of the everyday loop, and neither are the most expensive of the others
# (measured in CPU time): their tests run one by one, and are `slow` instead of `fast`; so are all tests of a
# program without `fast`.
#
# The suites are known only after the program is built, so this is a script that ctest runs.
function(belay_discover program label_list)
  gtest_discover_tests(${program} TEST_PREFIX "${program}." DISCOVERY_TIMEOUT 60
                       PROPERTIES TIMEOUT 300)
  set(script ${CMAKE_CURRENT_BINARY_DIR}/${program}_suites.cmake)
  set(slow_suites "KillTest|RaceTest|Matrix|FaultTest|SurviveProperty|Survive[A-Za-z]+Test|ReplayRandomTest|ScratchWorktreeTest"
                  "|MergeLostTest|MergeLostObjectTest|MergeZooTest|MergeOddCheckoutTest|MergeProtectedWorkTest"
                  "|MaskSecretsProperty|ContainmentTest"
                  "|NewerVaultTest|MergeDirtyTest|MergeDirtyCommitTest|MergeOverlapTest|MergeMovesTest|MergeProtectTest"
                  "|MergeTroubleTest|MergeShapeTest|MergeCostTest|MergeGatesTest|MergePastTest|ProtectionLostTest"
                  "|GuardRepairTest|GuardMergeTest|GuardSurviveTest|GuardEventsTest|GuardSamplingTest|DeliveryTest"
                  "|ReplayTest|RemoveTest|FamiliesTest|AuthorityTest")
  string(REPLACE ";" "" slow_suites "${slow_suites}")
  if(NOT label_list MATCHES "fast")
    set(slow_suites ".*")
  endif()
  string(REPLACE "fast" "slow" slow_label_list "${label_list}")
  file(CONFIGURE OUTPUT ${script} @ONLY CONTENT [[
set(suites)
foreach(test IN LISTS @program@_TESTS)
  string(REGEX REPLACE "^@program@\\.([^.]+)\\..*" "\\1" suite "${test}")
  if(suite MATCHES "(@slow_suites@)$")
    set_tests_properties("${test}" PROPERTIES LABELS "@slow_label_list@")
    continue()
  endif()
  set_tests_properties("${test}" PROPERTIES LABELS single)
  list(FIND suites "${suite}" known)
  if(known EQUAL -1)
    list(APPEND suites "${suite}")
    add_test("@program@.${suite}" "@CMAKE_CURRENT_BINARY_DIR@/@program@" "--gtest_filter=${suite}.*")
    set_tests_properties("@program@.${suite}" PROPERTIES LABELS "@label_list@" TIMEOUT 600
                         WORKING_DIRECTORY "@CMAKE_CURRENT_BINARY_DIR@")
  endif()
endforeach()
]])
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${script})
endfunction()

# All of them, and nothing else: for the sanitizer builds.
add_custom_target(unit_tests)

add_library(unit_main OBJECT ${PROJECT_SOURCE_DIR}/src/testing/main.cc)
target_link_libraries(unit_main PUBLIC belay_testing GTest::gtest ${BELAY_RAPIDCHECK})

foreach(layer ${BELAY_LAYERS})
  file(GLOB_RECURSE tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${layer}/*_test.cc)
  if(tests)
    add_executable(${layer}_test ${tests})
    target_link_libraries(${layer}_test PRIVATE belay_${layer} unit_main GTest::gmock)
    if(layer MATCHES "^(store|model|ledger)$")
      # Several tests define the same few names (World, Step, Operation) differently.
      set_target_properties(${layer}_test PROPERTIES UNITY_BUILD OFF)
    endif()
    if(BELAY_SANITIZE)
      # The libraries are checked and optimised; in the tests' own templates that takes most of the compile time.
      target_compile_options(${layer}_test PRIVATE -fno-sanitize=undefined -O0)
    endif()
    belay_common_headers(${layer}_test base_test <gmock/gmock.h> <gtest/gtest.h>)
    add_dependencies(unit_tests ${layer}_test)
    belay_discover(${layer}_test "unit;fast")
  endif()
endforeach()
