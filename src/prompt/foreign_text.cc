#include "prompt/foreign_text.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/utf8.h"

namespace belay {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// Unicode's Default_Ignorable_Code_Point, which includes the bidirectional controls, and the marks
// of interlinear annotations (U+FFF9..U+FFFB).
constexpr Range kInvisible[] = {
    {0x00AD, 0x00AD},   {0x034F, 0x034F},   {0x061C, 0x061C}, {0x115F, 0x1160}, {0x17B4, 0x17B5},
    {0x180B, 0x180F},   {0x200B, 0x200F},   {0x202A, 0x202E}, {0x2060, 0x206F}, {0x3164, 0x3164},
    {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0}, {0xFFF0, 0xFFFB}, {0x1BCA0, 0x1BCA3},
    {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF},
};

bool IsInvisible(char32_t value) {
  return value >= kInvisible[0].first &&
         std::any_of(std::begin(kInvisible), std::end(kInvisible),
                     [&](Range range) { return value >= range.first && value <= range.last; });
}

bool IsControl(char32_t value) {
  return (value < 0x20 && value != '\t') || (value >= 0x7F && value <= 0x9F);
}

bool IsLineBreak(char32_t value) {
  return (value >= '\n' && value <= '\r') || value == 0x85 || value == 0x2028 || value == 0x2029;
}

std::string_view PlainBeginning(std::string_view text) {
  const auto* const end =
      std::find_if(text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; });
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

}  // namespace

ForeignText::ForeignText(std::string_view bytes) {
  while (!bytes.empty()) {
    if (const std::string_view plain = PlainBeginning(bytes); !plain.empty()) {
      Append(plain, plain.size());
      bytes.remove_prefix(plain.size());
    } else {
      bytes.remove_prefix(TakeSpecial(bytes));
    }
  }
  while (length_ <= kMostKept && text_.ends_with('\n')) {
    text_.pop_back();
    --length_;
  }
}

ForeignText ForeignText::Lines(std::span<const std::string> items) {
  ForeignText lines("");
  for (const std::string& item : items) {
    ForeignText line(item);
    std::replace(line.text_.begin(), line.text_.end(), '\n', ' ');
    lines.Append(line.text_, line.length_);
    lines.Append("\n", 1);
  }
  return lines;
}

std::size_t ForeignText::TakeSpecial(std::string_view bytes) {
  const CodePoint point = DecodeUtf8(bytes);
  if (IsLineBreak(point.value)) {
    Append("\n", 1);
    return bytes.starts_with("\r\n") ? 2 : point.bytes;
  }
  if (const std::size_t sequence = EscapeSequenceLength(bytes); sequence > 0) return sequence;
  if (!IsControl(point.value) && !IsInvisible(point.value)) {
    Append(point.valid ? bytes.substr(0, point.bytes) : "\uFFFD", 1);
  }
  return point.bytes;
}

void ForeignText::Append(std::string_view clean, std::size_t length) {
  if (length_ < kMostKept) text_ += CutCodePoints(clean, kMostKept - length_);
  length_ += length;
}

namespace {

constexpr char kEscape = '\x1B';
constexpr char kBell = '\x07';

bool IsBetween(char c, char first, char last) { return c >= first && c <= last; }

bool StartsWithC1(std::string_view text) {
  return text.size() >= 2 && text[0] == '\xC2' && IsBetween(text[1], '\x80', '\x9F');
}

std::size_t SkipWhile(std::string_view text, std::size_t at, char first, char last) {
  while (at < text.size() && IsBetween(text[at], first, last)) ++at;
  return at;
}

// Past the final character, if present: "m" of "ESC [ 1 m".
std::size_t SkipFinal(std::string_view text, std::size_t at, char first) {
  return at < text.size() && IsBetween(text[at], first, '~') ? at + 1 : at;
}

std::size_t ControlLength(std::string_view text) {
  const std::size_t parameters = SkipWhile(text, 2, '0', '?');
  const std::size_t intermediates = SkipWhile(text, parameters, ' ', '/');
  return SkipFinal(text, intermediates, '@');
}

std::size_t StringLength(std::string_view text) {
  constexpr std::size_t kIntroducer = 2;
  for (std::size_t at = kIntroducer; at < text.size(); ++at) {
    const std::string_view rest = text.substr(at);
    if (rest[0] == kBell) return at + 1;
    if (rest.starts_with("\x1B\\") || rest.starts_with("\u009C")) return at + 2;
    if (IsBetween(rest[0], '\0', '\x1F') || StartsWithC1(rest)) break;
  }
  return kIntroducer;
}

}  // namespace

std::size_t EscapeSequenceLength(std::string_view text) {
  const bool escaped = text.starts_with(kEscape);
  if (!escaped && !StartsWithC1(text)) return 0;
  if (text.size() < 2) return 1;
  switch (escaped ? text[1] : static_cast<char>(text[1] - '\x40')) {
    case '[':
      return ControlLength(text);
    case ']':  // operating system command
    case 'P':  // device control string
    case 'X':  // start of string
    case '^':  // privacy message
    case '_':  // application program command
      return StringLength(text);
    default:
      return escaped ? SkipFinal(text, SkipWhile(text, 1, ' ', '/'), '0') : 2;
  }
}

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
