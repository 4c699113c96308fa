// Any output of git is parsed or refused.

#include <cstdint>

#include "adapters/git/status.h"
#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto changes = belay::ParseTreeChanges({reinterpret_cast<const char*>(data), size});
  if (!changes) {
    BELAY_CHECK(changes.error().code == belay::ErrorCode::kDamaged);
    return 0;
  }
  for (const belay::TreeChange& change : *changes) BELAY_CHECK(!change.path.empty());
  return 0;
}
