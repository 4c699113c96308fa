// Any command line, its words separated by NUL bytes, is parsed or refused in one line.

#include <cstdint>

#include "base/check.h"
#include "cli/invocation.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = text.find('\0');
    words.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  const auto invocation = belay::Invocation::Parse(belay::Commands(), words);
  if (invocation) return 0;
  BELAY_CHECK(invocation.error().code == belay::ErrorCode::kUsage);
  BELAY_CHECK(!invocation.error().hint.empty());
  return 0;
}
