#include "codec/yaml_source.h"

#include <fmt/core.h>

namespace belay::yaml {
namespace {

constexpr std::string_view kYamlByteOrderMark = "\xEF\xBB\xBF";

// libfyaml takes quadratic time for runs of blanks and for tags in angle brackets.
constexpr std::size_t kLongestRun = 256;

std::string UnifyLineEnds(std::string_view text) {
  if (text.find('\r') == std::string_view::npos) return std::string(text);
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r') {
      out.push_back(text[i]);
    } else if (i + 1 == text.size() || text[i + 1] != '\n') {
      out.push_back('\n');
    }
  }
  return out;
}

Result<void> CheckCharacters(std::string_view text) {
  if (const auto found = FindForbidden(text)) {
    return ErrorAt(PositionAt(text, found->offset),
                   "the character U+" + Hex(found->value) + " is not allowed");
  }
  return {};
}

std::size_t FindLongBlankRun(std::string_view line) {
  for (std::size_t start = line.find_first_of(" \t"); start != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_not_of(" \t", start), line.size());
    if (end - start > kLongestRun) return start;
    start = line.find_first_of(" \t", end);
  }
  return std::string_view::npos;
}

std::size_t FindLongTag(std::string_view line) {
  for (std::size_t start = line.find("!<"); start != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(" \t>", start), line.size());
    if (end - start > kLongestRun) return start;
    start = line.find("!<", end);
  }
  return std::string_view::npos;
}

TextPosition InLine(std::string_view line, std::size_t number, std::size_t offset) {
  return {number, CountCodePoints(line.substr(0, offset)) + 1};
}

Result<void> CheckLine(std::string_view line, std::size_t number) {
  // Even in the middle of a document, libfyaml takes such a line for a directive and skips it.
  if (line.starts_with('%')) return Unused({number, 1}, "directives (lines that begin with \"%\")");
  if (line.starts_with('\t') && line.find_first_not_of(" \t") != std::string_view::npos) {
    return ErrorAt({number, 1}, "a line must not begin with a tab; indent with spaces");
  }
  if (const std::size_t run = FindLongBlankRun(line); run != std::string_view::npos) {
    return ErrorAt(InLine(line, number, run),
                   "more than " + std::to_string(kLongestRun) + " blanks in a row");
  }
  if (const std::size_t tag = FindLongTag(line); tag != std::string_view::npos) {
    return Unused(InLine(line, number, tag), "tags (\"!\")");
  }
  return {};
}

Result<void> CheckLines(std::string_view text) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    BELAY_TRY(CheckLine(line, number));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return {};
}

// YAML's own rule: control characters except tab, line ends and NEL.
std::optional<std::size_t> FindUnprintable(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] >= ' ' && text[at] <= '~') {
      ++at;
      continue;
    }
    const CodePoint point = DecodeUtf8(text.substr(at));
    const char32_t c = point.value;
    const bool control =
        (c < 0x20 && c != '\t' && c != '\n') || (c >= 0x7F && c < 0xA0 && c != 0x85);
    if (control || c == 0xFFFE || c == 0xFFFF) return at;
    at += point.bytes;
  }
  return std::nullopt;
}

Result<void> CheckRuns(std::string_view text) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const bool is_long = line.size() > kLongestRun;
    const std::size_t run = is_long ? FindLongBlankRun(line) : std::string_view::npos;
    const std::size_t tag = is_long ? FindLongTag(line) : std::string_view::npos;
    if (run != std::string_view::npos || tag != std::string_view::npos) {
      return ErrorAt(
          InLine(line, number, std::min(run, tag)),
          "more than " + std::to_string(kLongestRun) + " blanks in a row, or a long tag");
    }
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return {};
}

Result<std::string> Unify(std::string_view text, const YamlLimits& limits) {
  if (text.size() > limits.max_bytes) {
    return ErrorAt({1, 1}, "the file has " + std::to_string(text.size()) +
                               " bytes, more than the " + std::to_string(limits.max_bytes) +
                               " allowed");
  }
  if (text.starts_with(kYamlByteOrderMark)) text.remove_prefix(kYamlByteOrderMark.size());
  std::string unified = UnifyLineEnds(text);
  const std::size_t invalid = FindInvalidUtf8(unified);
  if (invalid != std::string_view::npos) {
    return ErrorAt(PositionAt(unified, invalid), "this is not valid UTF-8");
  }
  if (!unified.ends_with('\n')) unified.push_back('\n');
  return unified;
}

}  // namespace

Result<std::string> Prepare(std::string_view text, const YamlLimits& limits) {
  BELAY_TRY_ASSIGN(std::string unified, Unify(text, limits));
  BELAY_TRY(CheckCharacters(unified));
  BELAY_TRY(CheckLines(unified));
  return unified;
}

void UntabComments(std::string& text) {
  for (std::size_t at = text.find('\t'); at != std::string::npos; at = text.find('\t', at + 1)) {
    const bool first = at == 0 || text[at - 1] == '\n' || text[at - 1] == '\r';
    const std::size_t start = first ? text.find_first_not_of(" \t", at) : std::string::npos;
    if (start == std::string::npos || text[start] != '#') continue;
    std::fill(text.begin() + static_cast<std::ptrdiff_t>(at),
              text.begin() + static_cast<std::ptrdiff_t>(start), ' ');
  }
}

Result<std::string> PrepareStructure(std::string_view text, const YamlLimits& limits) {
  BELAY_TRY_ASSIGN(std::string unified, Unify(text, limits));
  if (const auto found = FindUnprintable(unified)) {
    return ErrorAt(PositionAt(unified, *found), "this character is not allowed");
  }
  BELAY_TRY(CheckRuns(unified));
  UntabComments(unified);
  return unified;
}

bool IsBefore(TextPosition a, TextPosition b) {
  return a.line < b.line || (a.line == b.line && a.column < b.column);
}

namespace {

constexpr std::size_t kQuotedCodePoints = 60;

// Characters that are invisible, or end a line for some readers and not for others.
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
