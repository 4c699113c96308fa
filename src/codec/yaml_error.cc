#include "codec/yaml_error.h"

#include <fmt/core.h>

namespace belay::yaml {
namespace {

constexpr std::size_t kQuotedCodePoints = 60;

// Characters that are unseen, or end a line for some readers and not for others.
bool IsForbidden(char32_t c) {
  if (c == '\t' || c == '\n' || c == '\r') return false;
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029 || c == 0xFEFF;
}

void AppendPrintable(char32_t c, std::string& out) {
  if (c == '\n') {
    out += "\\n";
  } else if (c == '\r') {
    out += "\\r";
  } else if (c == '\t') {
    out += "\\t";
  } else if (IsForbidden(c)) {
    out += "\\u" + Hex(c);
  } else {
    AppendUtf8(c, out);
  }
}

}  // namespace

Error ErrorAt(TextPosition at, std::string_view what) {
  return {ErrorCode::kUsage, fmt::format("line {}, column {}: {}", at.line, at.column, what)};
}

Error Unused(TextPosition at, std::string_view what) {
  return ErrorAt(at, std::string(what) + " are not used in belay's configuration");
}

std::string Hex(char32_t c) { return fmt::format("{:04X}", static_cast<unsigned>(c)); }

std::string OneLine(std::string_view text, std::size_t count) {
  const std::string_view cut = CutCodePoints(text, count);
  std::string out;
  for (std::size_t at = 0; at < cut.size();) {
    const CodePoint point = DecodeUtf8(cut.substr(at));
    AppendPrintable(point.value, out);
    at += point.bytes;
  }
  if (cut.size() < text.size()) out += "...";
  return out;
}

std::string Quote(std::string_view text) { return '"' + OneLine(text, kQuotedCodePoints) + '"'; }

std::optional<Found> FindForbidden(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = DecodeUtf8(text.substr(at));
    if (IsForbidden(point.value)) return Found{at, point.value};
    at += point.bytes;
  }
  return std::nullopt;
}

}  // namespace belay::yaml
