// Any bytes give a value or an error that keeps the contract of codec/yaml.h.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/utf8.h"
#include "codec/yaml.h"

namespace {

void CheckError(const belay::Error& error, std::string_view text) {
  BELAY_CHECK(error.code == belay::ErrorCode::kUsage);
  BELAY_CHECK(error.message.starts_with("line "));
  BELAY_CHECK(error.message.find('\n') == std::string::npos);
  BELAY_CHECK(belay::FindInvalidUtf8(error.message) == std::string::npos);
  const bool escape =
      error.message.ends_with(": an escape stands for a character that is not allowed");
  BELAY_CHECK(!escape || text.find('\\') != std::string_view::npos);
}

void CheckNode(const belay::YamlNode& node) {
  BELAY_CHECK(node.position.line >= 1 && node.position.column >= 1);
  BELAY_CHECK(belay::FindInvalidUtf8(node.text) == std::string::npos);
  for (const belay::YamlNode& item : node.items) CheckNode(item);
  for (const belay::YamlEntry& entry : node.entries) {
    BELAY_CHECK(!entry.key.empty() && node.Find(entry.key) == &entry.value);
    CheckNode(entry.value);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto result = belay::ParseYaml(text);
  if (result) {
    CheckNode(*result);
  } else {
    CheckError(result.error(), text);
  }
  return 0;
}
