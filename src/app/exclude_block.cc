#include "app/exclude_block.h"

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace belay {
namespace {

constexpr std::string_view kBegin = "# belay: begin (belay init --remove takes this block out)\n";
constexpr std::string_view kBeginMark = "# belay: begin";
constexpr std::string_view kEnd = "# belay: end\n";
constexpr std::string_view kEndMark = "# belay: end";

struct Span {
  std::size_t start;
  std::size_t end;
};

// Offset of the first line from `from` on that starts with `mark`.
std::size_t FindLine(std::string_view text, std::string_view mark, std::size_t from) {
  for (std::size_t at = text.find(mark, from); at != std::string_view::npos;
       at = text.find(mark, at + 1)) {
    if (at == 0 || text[at - 1] == '\n') return at;
  }
  return std::string_view::npos;
}

Result<std::optional<Span>> FindBlock(std::string_view text) {
  const Error damaged{ErrorCode::kDamaged, "its \"# belay:\" lines don't form one block",
                      "take those lines out by hand, then try again"};
  const std::size_t start = FindLine(text, kBeginMark, 0);
  const std::size_t end_line = FindLine(text, kEndMark, 0);
  if (start == std::string_view::npos && end_line == std::string_view::npos) {
    return std::optional<Span>();
  }
  const bool in_order = start < end_line && end_line != std::string_view::npos;
  if (!in_order || FindLine(text, kBeginMark, start + 1) != std::string_view::npos ||
      FindLine(text, kEndMark, end_line + 1) != std::string_view::npos) {
    return damaged;
  }
  const std::size_t newline = text.find('\n', end_line);
  return std::optional<Span>(
      {start, newline == std::string_view::npos ? text.size() : newline + 1});
}

// The lines of a block that belay didn't write, each with its end.
std::string ForeignLines(std::string_view block, const std::vector<std::string>& patterns) {
  std::string foreign;
  for (const std::string_view line : Split(block, '\n')) {
    const bool ours = line.empty() || line.starts_with(kBeginMark) || line.starts_with(kEndMark) ||
                      std::find(patterns.begin(), patterns.end(), line) != patterns.end();
    if (!ours) foreign.append(line).push_back('\n');
  }
  return foreign;
}

// `text` with `block` in the place of the old one, or at the end.
Result<std::string> Splice(std::string_view text, std::string_view block,
                           const std::vector<std::string>& patterns) {
  BELAY_TRY_ASSIGN(const std::optional<Span> old, FindBlock(text));
  std::string out(text.substr(0, old ? old->start : text.size()));
  if (!block.empty() && !out.empty() && out.back() != '\n') out.push_back('\n');
  out += block;
  if (old) out += ForeignLines(text.substr(old->start, old->end - old->start), patterns);
  if (old) out += text.substr(old->end);
  return out;
}

}  // namespace

Result<std::string> WithExcludeBlock(std::string_view text,
                                     const std::vector<std::string>& patterns) {
  std::string block(kBegin);
  for (const std::string& pattern : patterns) block += pattern + "\n";
  block += kEnd;
  return Splice(text, block, patterns);
}

Result<std::string> WithoutExcludeBlock(std::string_view text,
                                        const std::vector<std::string>& patterns) {
  return Splice(text, "", patterns);
}

}  // namespace belay
