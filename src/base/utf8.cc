#include "base/utf8.h"

#include <algorithm>
#include <cstring>

namespace belay {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// How a lead byte begins a sequence: its length, its payload bits, and the range that its second
// byte must lie in (this is what excludes overlong forms, surrogates and values past U+10FFFF).
struct Lead {
  std::size_t length;
  unsigned bits;
  unsigned char second_min;
  unsigned char second_max;
};

Lead ReadLead(unsigned char c) {
  if (c >= 0xC2 && c <= 0xDF) return {2, c & 0x1FU, 0x80, 0xBF};
  if (c == 0xE0) return {3, 0, 0xA0, 0xBF};
  if (c == 0xED) return {3, 0xD, 0x80, 0x9F};
  if (c >= 0xE1 && c <= 0xEF) return {3, c & 0x0FU, 0x80, 0xBF};
  if (c == 0xF0) return {4, 0, 0x90, 0xBF};
  if (c >= 0xF1 && c <= 0xF3) return {4, c & 0x07U, 0x80, 0xBF};
  if (c == 0xF4) return {4, 4, 0x80, 0x8F};
  return {0, 0, 0, 0};
}

std::size_t SkipAscii(std::string_view text, std::size_t at) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080U;
  while (at + 8 <= text.size()) {
    std::uint64_t word;
    std::memcpy(&word, text.data() + at, 8);
    if ((word & kHighBits) != 0) break;
    at += 8;
  }
  while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80) ++at;
  return at;
}

}  // namespace

CodePoint DecodeUtf8(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return {first, 1, true};
  const Lead lead = ReadLead(first);
  if (lead.length == 0) return {kReplacement, 1, false};
  if (text.size() < 2) return {kReplacement, 1, false};
  const auto second = static_cast<unsigned char>(text[1]);
  if (second < lead.second_min || second > lead.second_max) return {kReplacement, 1, false};
  char32_t value = (lead.bits << 6U) | (second & 0x3FU);
  for (std::size_t i = 2; i < lead.length; ++i) {
    if (i >= text.size() || !IsContinuation(text[i])) return {kReplacement, i, false};
    value = (value << 6U) | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  return {value, lead.length, true};
}

void AppendUtf8(char32_t value, std::string& out) {
  const auto tail = [&](unsigned shift) {
    out.push_back(static_cast<char>(0x80U | ((value >> shift) & 0x3FU)));
  };
  if (value < 0x80) {
    out.push_back(static_cast<char>(value));
  } else if (value < 0x800) {
    out.push_back(static_cast<char>(0xC0U | (value >> 6U)));
    tail(0);
  } else if (value < 0x10000) {
    out.push_back(static_cast<char>(0xE0U | (value >> 12U)));
    tail(6);
    tail(0);
  } else {
    out.push_back(static_cast<char>(0xF0U | (value >> 18U)));
    tail(12);
    tail(6);
    tail(0);
  }
}

std::size_t FindInvalidUtf8(std::string_view text) {
  std::size_t at = SkipAscii(text, 0);
  while (at < text.size()) {
    const CodePoint point = DecodeUtf8(text.substr(at));
    if (!point.valid) return at;
    at = SkipAscii(text, at + point.bytes);
  }
  return std::string_view::npos;
}

std::string ReplaceInvalidUtf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const CodePoint point = DecodeUtf8(text);
    AppendUtf8(point.value, out);
    text.remove_prefix(point.bytes);
  }
  return out;
}

std::string Quote(std::string_view text) {
  constexpr std::size_t kMost = 60;
  const std::string_view cut = CutCodePoints(text, kMost);
  const std::string_view more = cut.size() < text.size() ? "\xE2\x80\xA6" : "";
  return "\"" + ReplaceInvalidUtf8(cut) + std::string(more) + "\"";
}

std::size_t CountCodePoints(std::string_view text) {
  std::size_t count = 0;
  while (!text.empty()) {
    text.remove_prefix(DecodeUtf8(text).bytes);
    ++count;
  }
  return count;
}

std::string_view CutCodePoints(std::string_view text, std::size_t count) {
  std::size_t at = 0;
  for (; count > 0 && at < text.size(); --count) at += DecodeUtf8(text.substr(at)).bytes;
  return text.substr(0, at);
}

std::string_view CutBytes(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  // A code point that straddles the cut starts at most three bytes before it.
  for (std::size_t start = bytes - std::min<std::size_t>(bytes, 3); start < bytes; ++start) {
    const CodePoint point = DecodeUtf8(text.substr(start));
    if (point.valid && start + point.bytes > bytes) return text.substr(0, start);
  }
  return text.substr(0, bytes);
}

TextPosition PositionAt(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto lines = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t newline = before.rfind('\n');
  const std::size_t start = newline == std::string_view::npos ? 0 : newline + 1;
  return {lines + 1, CountCodePoints(before.substr(start)) + 1};
}

}  // namespace belay
