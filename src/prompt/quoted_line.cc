#include "prompt/quoted_line.h"

#include <fmt/core.h>

#include <string_view>

#include "base/utf8.h"

namespace belay {
namespace {

bool IsBlank(char32_t value) { return value == ' ' || value == '\t' || value == '\n'; }

void AppendDefused(char32_t value, std::string& out) {
  const bool quote = value == '"' || (value >= 0x201C && value <= 0x201F) || value == 0xFF02;
  if (quote) {
    out += '\'';
  } else if (value == '<') {
    out += "‹";
  } else if (value == '>') {
    out += "›";
  } else {
    AppendUtf8(value, out);
  }
}

std::string OneLine(std::string_view text) {
  std::string line;
  bool gap = false;
  while (!text.empty()) {
    const CodePoint point = DecodeUtf8(text);
    text.remove_prefix(point.bytes);
    if (IsBlank(point.value)) {
      gap = !line.empty();
      continue;
    }
    if (gap) line += ' ';
    gap = false;
    AppendDefused(point.value, line);
  }
  return line;
}

}  // namespace

QuotedLine::QuotedLine(const ForeignText& foreign) {
  const std::string line = OneLine(foreign.text());
  const std::size_t not_kept = foreign.length() - CountCodePoints(foreign.text());
  const std::size_t length = CountCodePoints(line) + not_kept;
  if (length <= kMost) {
    text_ = fmt::format("\"{}\"", line);
    return;
  }
  const std::string_view cut = CutCodePoints(line, kMost - 1);
  const std::size_t missing = length - CountCodePoints(cut);
  text_ = fmt::format("\"{}…\" (characters missing: {})", cut, missing);
}

}  // namespace belay
