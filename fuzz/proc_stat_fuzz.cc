// Any program name: the line is parsed or refused.

#include <cstdint>

#include "base/check.h"
#include "os/process_identity.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto stat = belay::ParseProcStat(text);
  if (!stat) BELAY_CHECK(stat.error().code == belay::ErrorCode::kDamaged);
  return 0;
}
