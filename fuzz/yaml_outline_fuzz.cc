// Any bytes give an outline whose section lies in the file, or an error; a document that can be
// edited is edited without touching a byte outside of its section.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "codec/yaml_outline.h"
#include "engine/resumption/document.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto document = belay::ReadResumptionDocument(text, "ORCHESTRATION.yaml");
  if (!document) {
    BELAY_CHECK(document.error().code == belay::ErrorCode::kDamaged);
    return 0;
  }
  const belay::YamlOutline& outline = document->outline;
  const std::string_view before = outline.Before();
  const std::string_view behind = outline.Behind();
  BELAY_CHECK(before.size() + document->SectionBytes().size() + behind.size() == text.size());
  belay::ResumptionEvent event{.id = "fuzz", .trigger = belay::Trigger::kThreshold};
  const auto section = belay::ApplyEvent(document->section, event, document->facts);
  if (!section) return 0;
  const auto rendered = belay::RenderDocument(*document, *section);
  if (!rendered) return 0;
  BELAY_CHECK(rendered->bytes.starts_with(before));
  BELAY_CHECK(rendered->bytes.ends_with(behind));
  return 0;
}
