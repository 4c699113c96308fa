#include "ui/wrap.h"

#include <algorithm>

#include "ui/width.h"

namespace belay {
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
