#include "ui/width.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <span>

#include "base/utf8.h"
#include "ui/width_table.h"

namespace belay {
namespace {

constexpr char32_t kFirstCombining = 0x0300;
constexpr char32_t kEmojiVariation = 0xFE0F;
constexpr char32_t kFirstSymbolWithEmojiForm = 0x203C;

bool Contains(std::span<const CodePointRange> sorted, char32_t value) {
  const auto range =
      std::lower_bound(sorted.begin(), sorted.end(), value,
                       [](const CodePointRange& r, char32_t v) { return r.last < v; });
  return range != sorted.end() && range->first <= value;
}

bool IsControl(char32_t value) { return value < 0x20 || (value >= 0x7F && value <= 0x9F); }

bool IsBidiControl(char32_t value) {
  return value == 0x061C || value == 0x200E || value == 0x200F ||
         (value >= 0x202A && value <= 0x202E) || (value >= 0x2066 && value <= 0x2069);
}

bool IsLineBreak(char32_t value) { return value == 0x2028 || value == 0x2029; }

// Most text: one byte is one character and one column.
bool IsPlain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7F; });
}

// A character with its combining marks: kept or cut together.
struct Cluster {
  std::size_t bytes;
  std::size_t columns;
};

Cluster FirstCluster(std::string_view text) {
  const CodePoint base = DecodeUtf8(text);
  Cluster cluster{base.bytes, CodePointWidth(base.value)};
  while (cluster.bytes < text.size()) {
    const CodePoint mark = DecodeUtf8(text.substr(cluster.bytes));
    if (CodePointWidth(mark.value) != 0) break;
    // The variation selector asks for the emoji form of a symbol, which is wide.
    const bool widens = mark.value == kEmojiVariation && cluster.bytes == base.bytes &&
                        base.value >= kFirstSymbolWithEmojiForm && cluster.columns == 1;
    if (widens) cluster.columns = 2;
    cluster.bytes += mark.bytes;
  }
  return cluster;
}

void AppendVisible(char32_t value, std::string& out) {
  if (value == '\n') {
    out += "\\n";
  } else if (value == '\t') {
    out += "\\t";
  } else if (value == '\r') {
    out += "\\r";
  } else if (IsControl(value)) {
    out += fmt::format("\\x{:02x}", static_cast<std::uint32_t>(value));
  } else {
    out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(value));
  }
}

}  // namespace

std::size_t CodePointWidth(char32_t value) {
  if (IsControl(value)) return 0;
  if (value < kFirstCombining) return 1;
  if (Contains(kZeroWidth, value)) return 0;
  return Contains(kDoubleWidth, value) ? 2 : 1;
}

std::size_t DisplayWidth(std::string_view text) {
  if (IsPlain(text)) return text.size();
  std::size_t columns = 0;
  while (!text.empty()) {
    const Cluster cluster = FirstCluster(text);
    columns += cluster.columns;
    text.remove_prefix(cluster.bytes);
  }
  return columns;
}

std::string_view CutToWidth(std::string_view text, std::size_t columns) {
  if (IsPlain(text)) return text.substr(0, columns);
  std::size_t at = 0;
  while (at < text.size()) {
    const Cluster cluster = FirstCluster(text.substr(at));
    if (cluster.columns > columns) break;
    columns -= cluster.columns;
    at += cluster.bytes;
  }
  return text.substr(0, at);
}

std::string Ellipsize(std::string_view text, std::size_t columns) {
  if (CutToWidth(text, columns).size() == text.size()) return std::string(text);
  if (columns == 0) return {};
  std::string_view kept = CutToWidth(text, columns - 1);
  while (kept.ends_with(' ')) kept.remove_suffix(1);
  return std::string(kept) + "…";
}

std::string Printable(std::string_view text) {
  if (IsPlain(text)) return std::string(text);
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const CodePoint point = DecodeUtf8(text);
    if (IsControl(point.value) || IsBidiControl(point.value) || IsLineBreak(point.value)) {
      AppendVisible(point.value, out);
    } else {
      AppendUtf8(point.value, out);
    }
    text.remove_prefix(point.bytes);
  }
  return out;
}

namespace {

constexpr std::string_view kBlanks = " \t\n\v\f\r";

}  // namespace

std::string CollapseBlanks(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  std::size_t at = text.find_first_not_of(kBlanks);
  while (at < text.size()) {
    const std::size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
    if (!out.empty()) out.push_back(' ');
    out += text.substr(at, end - at);
    at = text.find_first_not_of(kBlanks, end);
  }
  return out;
}

std::vector<std::string_view> WrapLines(std::string_view collapsed, std::size_t first,
                                        std::size_t rest) {
  std::vector<std::string_view> lines;
  std::size_t start = 0;
  std::size_t used = 0;
  for (std::size_t at = 0; at < collapsed.size();) {
    const std::size_t end = std::min(collapsed.find(' ', at), collapsed.size());
    const std::size_t width = DisplayWidth(collapsed.substr(at, end - at));
    const std::size_t room = lines.empty() ? first : rest;
    if (at != start && used + 1 + width > room) {
      lines.push_back(collapsed.substr(start, at - 1 - start));
      start = at;
    }
    used = at == start ? width : used + 1 + width;
    at = end + 1;
  }
  if (start < collapsed.size()) lines.push_back(collapsed.substr(start));
  return lines;
}

std::string Wrap(std::string_view text, std::size_t columns, std::size_t indent_first,
                 std::size_t indent_rest) {
  const std::string collapsed = CollapseBlanks(text);
  std::string out;
  for (const std::string_view line :
       WrapLines(collapsed, RoomAfter(indent_first, columns), RoomAfter(indent_rest, columns))) {
    out.append(out.empty() ? indent_first : indent_rest, ' ');
    out += line;
    out.push_back('\n');
  }
  return out;
}

std::size_t RoomAfter(std::size_t indent, std::size_t columns) {
  return indent < columns ? columns - indent : 1;
}

}  // namespace belay
