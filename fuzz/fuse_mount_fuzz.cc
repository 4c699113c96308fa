// Any list of mounts is parsed; malformed lines are skipped.

#include <cstdint>

#include "base/check.h"
#include "os/mount.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  constexpr std::uint64_t kDevice = 50;  // 0:50
  const auto found = belay::FindFuseMount(text, kDevice);
  if (found) BELAY_CHECK(text.find(found->type) != std::string_view::npos);
  return 0;
}
