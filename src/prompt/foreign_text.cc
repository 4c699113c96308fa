#include "prompt/foreign_text.h"

#include <algorithm>

#include "base/utf8.h"
#include "prompt/escape_sequence.h"

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

}  // namespace belay
