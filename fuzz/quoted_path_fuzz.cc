// Any path survives quoting and unquoting, and any text is a quoted path or refused.

#include <cstdint>

#include "adapters/git/fields.h"
#include "base/check.h"
#include "base/utf8.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::string quoted = belay::QuotePath(text);
  BELAY_CHECK(belay::FindInvalidUtf8(quoted) == std::string_view::npos);
  BELAY_CHECK(*belay::UnquotePath(quoted) == text);
  const auto path = belay::UnquotePath(text);
  if (path) BELAY_CHECK(*belay::UnquotePath(belay::QuotePath(*path)) == *path);
  if (!path) BELAY_CHECK(path.error().code == belay::ErrorCode::kDamaged);
  return 0;
}
