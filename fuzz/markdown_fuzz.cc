// Any page renders at any width, without control characters of its own and without trailing spaces.

#include <cstdint>

#include "base/check.h"
#include "ui/markdown.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view page(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string text = belay::RenderMarkdown(page, data[0] + 1U, belay::Style{false});
  BELAY_CHECK(text.find('\x1B') == std::string::npos);
  BELAY_CHECK(text.find(" \n") == std::string::npos);
  (void)belay::RenderMarkdown(page, data[0] + 1U, belay::Style{true});
  return 0;
}
