# Language, warnings, sanitizers, static linking and ccache, for every target.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

add_compile_options(
  -Wall -Wextra -Wpedantic -Werror -Wshadow -Wconversion -Wno-sign-conversion
  -Wnon-virtual-dtor -Woverloaded-virtual -Wimplicit-fallthrough)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False positives of g++ 12 in strings that are moved out of an expected or, when optimising, concatenated.
  add_compile_options(-Wno-maybe-uninitialized)
  if(NOT BELAY_SANITIZE)
    add_compile_options(-Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread -Wno-restrict)
  endif()
endif()
add_compile_definitions(_GNU_SOURCE)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")  # or ccache never hits
endif()

# Unity build: several sources are compiled as one, which is much faster, because most of the time goes into
# the same headers and templates. So names in unnamed namespaces must differ within a folder of src/.
# clang-tidy reads each source alone.
option(BELAY_UNITY "Compile several sources as one" ON)
set(CMAKE_UNITY_BUILD ${BELAY_UNITY})
set(CMAKE_UNITY_BUILD_BATCH_SIZE 12)

find_program(BELAY_CCACHE ccache)
if(BELAY_CCACHE)
  # Another checkout of the same sources can use what this one compiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros ${BELAY_CCACHE})
endif()

if(BELAY_SANITIZE)
  add_compile_options(-fsanitize=${BELAY_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${BELAY_SANITIZE})
  set(BELAY_STATIC_LINK "")
else()
  # Not static-pie: its relocations at start-up double the time of `belay version`.
  set(CMAKE_POSITION_INDEPENDENT_CODE OFF)
  add_compile_options(-fno-pie)
  add_link_options(-no-pie)
  set(BELAY_STATIC_LINK -static)
endif()
