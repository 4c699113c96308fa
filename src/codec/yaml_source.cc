#include "codec/yaml_source.h"

#include <fmt/core.h>

#include "codec/yaml_error.h"

namespace belay::yaml {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// libfyaml takes quadratic time for runs of blanks and for tags in angle brackets.
constexpr std::size_t kLongestRun = 256;

std::string UnifyLineEnds(std::string_view text) {
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
  const std::size_t invalid = FindInvalidUtf8(text);
  if (invalid != std::string_view::npos) {
    return ErrorAt(PositionAt(text, invalid), "this is not valid UTF-8");
  }
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
  // Even in the midst of a document, libfyaml takes such a line for a directive and passes over it.
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

}  // namespace

Result<std::string> Prepare(std::string_view text, const YamlLimits& limits) {
  if (text.size() > limits.max_bytes) {
    return ErrorAt({1, 1}, "the file has " + std::to_string(text.size()) +
                               " bytes, more than the " + std::to_string(limits.max_bytes) +
                               " allowed");
  }
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::string unified = UnifyLineEnds(text);
  BELAY_TRY(CheckCharacters(unified));
  BELAY_TRY(CheckLines(unified));
  if (!unified.ends_with('\n')) unified.push_back('\n');
  return unified;
}

bool IsBefore(TextPosition a, TextPosition b) {
  return a.line < b.line || (a.line == b.line && a.column < b.column);
}

}  // namespace belay::yaml
