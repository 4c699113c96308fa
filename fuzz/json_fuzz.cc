// Our parser may refuse more than the reference, never less, and never reads another value.

#include <cstdint>
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "codec/json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const belay::Result<belay::Json> value = belay::ParseJson(text);
  if (!value) {
    BELAY_CHECK(value.error().message.starts_with("line "));
    return 0;
  }
  const auto reference = nlohmann::ordered_json::parse(text, nullptr, false);
  BELAY_CHECK(!reference.is_discarded());
  for (const auto style : {belay::JsonStyle::kCompact, belay::JsonStyle::kIndented}) {
    const std::string written = belay::WriteJson(*value, style);
    const belay::Result<belay::Json> again = belay::ParseJson(written);
    BELAY_CHECK(again.ok() && *again == *value);
    BELAY_CHECK(nlohmann::ordered_json::parse(written) == reference);
  }
  return 0;
}
