# The headers that nearly every source includes, compiled once per build. Sources still include what they use:
# clang-tidy reads them without this.

set(belay_common_headers
    <algorithm> <chrono> <functional> <map> <memory> <optional> <string> <string_view> <utility> <vector>)

# belay_common_headers(TARGET FIRST): TARGET shares those of FIRST, or builds them if it is FIRST.
function(belay_common_headers target first)
  if(target STREQUAL first)
    target_precompile_headers(${target} PRIVATE ${belay_common_headers} ${ARGN})
  else()
    target_precompile_headers(${target} REUSE_FROM ${first})
  endif()
endfunction()
