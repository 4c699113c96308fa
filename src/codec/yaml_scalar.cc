#include "codec/yaml_scalar.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <system_error>
#include <utility>
#include <vector>

#include "base/utf8.h"

namespace belay::yaml {
namespace {

constexpr std::string_view kBlanks = " \t";

std::string_view TrimEnd(std::string_view text) {
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

// Appends what `breaks` line ends between two pieces of text are folded into.
void AppendFold(std::size_t breaks, std::string& out) {
  if (breaks == 1) out.push_back(' ');
  if (breaks > 1) out.append(breaks - 1, '\n');
}

// Skips blanks and line ends; returns the number of line ends.
std::size_t SkipLineEnds(std::string_view& rest) {
  std::size_t breaks = 0;
  for (; !rest.empty(); rest.remove_prefix(1)) {
    if (rest[0] == '\n') {
      ++breaks;
    } else if (rest[0] != ' ' && rest[0] != '\t') {
      break;
    }
  }
  return breaks;
}

// Joins lines; blanks are kept only at the very beginning and the very end.
std::string FoldLines(std::string_view raw) {
  std::string out;
  for (std::size_t newline; (newline = raw.find('\n')) != std::string_view::npos;) {
    out += TrimEnd(raw.substr(0, newline));
    raw.remove_prefix(newline);
    AppendFold(SkipLineEnds(raw), out);
  }
  return out.append(raw);
}

// ---- Escapes ----

struct Escape {
  char letter;
  char32_t value;
};
constexpr auto kEscapes = std::to_array<Escape>({{'0', 0},
                                                 {'a', 7},
                                                 {'b', 8},
                                                 {'t', 9},
                                                 {'\t', 9},
                                                 {'n', 10},
                                                 {'v', 11},
                                                 {'f', 12},
                                                 {'r', 13},
                                                 {'e', 27},
                                                 {' ', ' '},
                                                 {'"', '"'},
                                                 {'/', '/'},
                                                 {'\\', '\\'},
                                                 {'N', 0x85},
                                                 {'_', 0xA0},
                                                 {'L', 0x2028},
                                                 {'P', 0x2029}});

std::size_t HexDigits(char letter) {
  if (letter == 'x') return 2;
  if (letter == 'u') return 4;
  return letter == 'U' ? 8 : 0;
}

// Takes the digits of \x, \u or \U from the front of `rest`.
std::optional<char32_t> TakeHex(std::size_t digits, std::string_view& rest) {
  std::uint32_t value = 0;
  if (rest.size() < digits) return std::nullopt;
  const char* end = rest.data() + digits;
  const auto [stop, error] = std::from_chars(rest.data(), end, value, 16);
  if (error != std::errc() || stop != end || value > 0x10FFFF) return std::nullopt;
  rest.remove_prefix(digits);
  return value;
}

bool IsHighSurrogate(char32_t c) { return c >= 0xD800 && c <= 0xDBFF; }
bool IsLowSurrogate(char32_t c) { return c >= 0xDC00 && c <= 0xDFFF; }

// As in JSON, which YAML 1.2 contains: two \u escapes may stand for one character.
std::optional<char32_t> JoinSurrogates(char32_t high, std::string_view& rest) {
  if (!rest.starts_with("\\u")) return std::nullopt;
  rest.remove_prefix(2);
  const auto low = TakeHex(4, rest);
  if (!low || !IsLowSurrogate(*low)) return std::nullopt;
  return 0x10000 + ((high - 0xD800) << 10U) + (*low - 0xDC00);
}

// Takes the rest of an escape, after its backslash, from the front of `rest`.
std::optional<char32_t> TakeEscape(std::string_view& rest) {
  if (rest.empty()) return std::nullopt;
  const char letter = rest[0];
  rest.remove_prefix(1);
  if (const std::size_t digits = HexDigits(letter); digits != 0) {
    const auto value = TakeHex(digits, rest);
    if (value && IsHighSurrogate(*value)) return JoinSurrogates(*value, rest);
    return value && !IsLowSurrogate(*value) ? value : std::nullopt;
  }
  const auto* found = std::find_if(kEscapes.begin(), kEscapes.end(),
                                   [&](const Escape& escape) { return escape.letter == letter; });
  if (found == kEscapes.end()) return std::nullopt;
  return found->value;
}

// ---- Blocks ----

struct BlockHeader {
  bool folded = false;
  char chomping = '\0';    // '-' drops the last line end, '+' keeps all of them
  std::size_t indent = 0;  // beyond the parent's; 0 when the text shows it
};

BlockHeader ReadHeader(std::string_view text) {
  BlockHeader header;
  header.folded = text[0] == '>';
  for (const char c : text.substr(1)) {
    if (c == '-' || c == '+') {
      header.chomping = c;
    } else if (c >= '1' && c <= '9') {
      header.indent = static_cast<std::size_t>(c - '0');
    } else {
      break;
    }
  }
  return header;
}

std::string_view LineAt(std::string_view source, std::size_t start) {
  const std::string_view rest = source.substr(std::min(start, source.size()));
  return rest.substr(0, rest.find('\n'));
}

std::size_t IndentOf(std::string_view line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

// The indentation of the first line that is not blank, when it belongs to the block; else more than
// that of any line.
std::size_t FindIndent(std::string_view source, std::size_t start, std::size_t min_indent) {
  while (start < source.size()) {
    const std::string_view line = LineAt(source, start);
    const std::size_t indent = IndentOf(line);
    if (indent < line.size()) return indent >= min_indent ? indent : source.size();
    start += line.size() + 1;
  }
  return source.size();
}

// The lines that are blank or indented enough, without their indentation.
struct BlockLines {
  std::vector<std::string_view> text;  // the last one is not empty
  std::size_t empty_after = 0;
  std::size_t end = 0;
};

BlockLines CollectLines(std::string_view source, std::size_t start, std::size_t indent) {
  BlockLines lines;
  while (start < source.size()) {
    const std::string_view line = LineAt(source, start);
    const bool blank = IndentOf(line) == line.size();
    if (!blank && IndentOf(line) < indent) break;
    lines.text.push_back(line.substr(std::min(indent, line.size())));
    start += line.size() + 1;
    if (!blank) lines.end = start - 1;
  }
  while (!lines.text.empty() && lines.text.back().empty()) {
    lines.text.pop_back();
    ++lines.empty_after;
  }
  return lines;
}

std::string JoinLiteral(const std::vector<std::string_view>& lines) {
  std::string out;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) out.push_back('\n');
    out += lines[i];
  }
  return out;
}

// Lines that begin with a blank stay lines of their own.
std::string JoinFolded(const std::vector<std::string_view>& lines) {
  std::string out;
  std::size_t breaks = 0;
  bool first = true;
  bool spaced = false;
  for (const std::string_view line : lines) {
    if (!line.empty()) {
      const bool was_spaced =
          std::exchange(spaced, kBlanks.find(line[0]) != std::string_view::npos);
      if (first || spaced || was_spaced) {
        out.append(breaks, '\n');
      } else {
        AppendFold(breaks, out);
      }
      out += line;
      breaks = 0;
      first = false;
    }
    ++breaks;
  }
  return out;
}

}  // namespace

std::string ReadPlainScalar(std::string_view raw) { return FoldLines(TrimEnd(raw)); }

std::string ReadSingleQuotedScalar(std::string_view raw) {
  const std::string folded = FoldLines(raw);
  std::string out;
  for (std::size_t i = 0; i < folded.size(); ++i) {
    out.push_back(folded[i]);
    if (folded[i] == '\'') ++i;
  }
  return out;
}

std::optional<std::string> ReadDoubleQuotedScalar(std::string_view raw) {
  std::string out;
  std::size_t kept = 0;  // blanks after this are dropped when the line ends; escaped ones are not
  while (!raw.empty()) {
    const char c = raw[0];
    if (raw.starts_with("\\\n")) {
      raw.remove_prefix(1);
      out.append(SkipLineEnds(raw) - 1, '\n');
      kept = out.size();
    } else if (c == '\\') {
      raw.remove_prefix(1);
      const auto value = TakeEscape(raw);
      if (!value) return std::nullopt;
      AppendUtf8(*value, out);
      kept = out.size();
    } else if (c == '\n') {
      out.resize(kept);
      AppendFold(SkipLineEnds(raw), out);
      kept = out.size();
    } else {
      raw.remove_prefix(1);
      out.push_back(c);
      if (c != ' ' && c != '\t') kept = out.size();
    }
  }
  return out;
}

BlockScalar ReadBlockScalar(std::string_view source, std::size_t header, std::size_t min_indent) {
  const std::string_view first = LineAt(source, header);
  const BlockHeader kind = ReadHeader(first);
  const std::size_t start = header + first.size() + 1;
  const std::size_t indent = kind.indent != 0
                                 ? std::max<std::size_t>(min_indent, 1) - 1 + kind.indent
                                 : FindIndent(source, start, min_indent);
  const BlockLines lines = CollectLines(source, start, indent);
  std::string text = kind.folded ? JoinFolded(lines.text) : JoinLiteral(lines.text);
  if (!lines.text.empty() && kind.chomping != '-') text.push_back('\n');
  if (kind.chomping == '+') text.append(lines.empty_after, '\n');
  return {std::move(text), std::max(lines.end, start - 1)};
}

}  // namespace belay::yaml
