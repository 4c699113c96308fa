// Any output of git is parsed or refused.

#include <cstdint>

#include "adapters/git/status.h"
#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto status = belay::ParseStatus({reinterpret_cast<const char*>(data), size});
  if (!status) {
    BELAY_CHECK(status.error().code == belay::ErrorCode::kDamaged);
    return 0;
  }
  for (const belay::StatusEntry& entry : status->entries) {
    BELAY_CHECK(!entry.path.empty());
    BELAY_CHECK(entry.path.find('\0') == std::string::npos);
  }
  return 0;
}
