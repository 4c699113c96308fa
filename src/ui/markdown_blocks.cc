#include "ui/markdown_blocks.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "ui/width.h"

namespace belay {
namespace {

constexpr std::size_t kNestedIndent = 2;
constexpr std::size_t kMaxHeadingLevel = 6;
constexpr std::size_t kMaxItemDigits = 3;

using Content = decltype(MarkdownBlock::content);

std::string_view Trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

std::size_t Indent(std::string_view line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

std::string CleanLine(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  std::string spaced;
  for (const char c : line) spaced += c == '\t' ? "    " : std::string(1, c);
  std::string clean = Printable(spaced);
  clean.erase(clean.find_last_not_of(' ') + 1);
  return clean;
}

std::vector<std::string> CleanLines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(CleanLine(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::optional<HeadingBlock> ParseHeading(std::string_view line) {
  const std::size_t level = std::min(line.find_first_not_of('#'), line.size());
  if (level == 0 || level > kMaxHeadingLevel || !line.substr(level).starts_with(' ')) return {};
  return HeadingBlock{level, std::string(Trim(line.substr(level)))};
}

// Bytes of the "-" or "12." that begins an item; 0 when none does.
std::size_t MarkerSize(std::string_view text) {
  if (text.starts_with("- ")) return 1;
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const bool number =
      digits > 0 && digits <= kMaxItemDigits && text.substr(digits).starts_with(". ");
  return number ? digits + 1 : 0;
}

std::optional<ItemBlock> ParseItem(std::string_view line) {
  const std::string_view text = Trim(line);
  const std::size_t marker = MarkerSize(text);
  if (marker == 0) return {};
  return ItemBlock{std::string(text.substr(0, marker)), Indent(line) >= kNestedIndent,
                   std::string(Trim(text.substr(marker)))};
}

// How many backticks open a fence; 0 when the line is none. Backticks further on make it `code`.
std::size_t FenceSize(std::string_view line) {
  const std::string_view text = Trim(line);
  const std::size_t run = std::min(text.find_first_not_of('`'), text.size());
  return run >= 3 && text.find('`', run) == std::string_view::npos ? run : 0;
}

bool ClosesFence(std::string_view line, std::size_t opened) {
  const std::string_view text = Trim(line);
  return text.size() >= opened && text.find_first_not_of('`') == std::string_view::npos;
}

bool IsTableLine(std::string_view line) { return Trim(line).starts_with('|'); }

std::vector<std::string> SplitCells(std::string_view line) {
  std::string_view text = Trim(line).substr(1);
  if (text.ends_with('|') && !text.ends_with("\\|")) text.remove_suffix(1);
  std::vector<std::string> cells(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("\\|")) {
      cells.back().push_back(text[++i]);
    } else if (text[i] == '|') {
      cells.emplace_back();
    } else {
      cells.back().push_back(text[i]);
    }
  }
  for (std::string& cell : cells) cell = std::string(Trim(cell));
  return cells;
}

bool IsDashes(std::string_view cell) {
  return cell.find('-') != std::string_view::npos &&
         cell.find_first_not_of("-:") == std::string_view::npos;
}

class BlockParser {
 public:
  explicit BlockParser(std::vector<std::string> lines) : lines_(std::move(lines)) {}

  std::vector<MarkdownBlock> Run() && {
    std::vector<MarkdownBlock> blocks;
    bool after_blank = false;
    while (at_ < lines_.size()) {
      const bool blank = lines_[at_].empty();
      if (blank) {
        ++at_;
      } else {
        blocks.push_back({ReadBlock(), after_blank});
      }
      after_blank = blank;
    }
    return blocks;
  }

 private:
  bool StartsTable(std::size_t at) const {
    if (at + 2 >= lines_.size()) return false;
    for (std::size_t i = at; i < at + 3; ++i) {
      if (!IsTableLine(lines_[i])) return false;
    }
    return std::ranges::all_of(SplitCells(lines_[at + 1]), IsDashes);
  }

  bool StartsBlock(std::size_t at) const {
    const std::string& line = lines_[at];
    return line.empty() || FenceSize(line) > 0 || ParseHeading(line) || ParseItem(line) ||
           StartsTable(at);
  }

  Content ReadBlock() {
    const std::string& line = lines_[at_];
    if (FenceSize(line) > 0) return ReadCode();
    if (StartsTable(at_)) return ReadTable();
    ++at_;
    if (auto heading = ParseHeading(line)) return *std::move(heading);
    if (auto item = ParseItem(line)) {
      item->text = ReadRest(std::move(item->text));
      return *std::move(item);
    }
    return ParagraphBlock{ReadRest(line)};
  }

  // The lines that go on with a paragraph or an item, joined to its first.
  std::string ReadRest(std::string text) {
    for (; at_ < lines_.size() && !StartsBlock(at_); ++at_) {
      text.push_back(' ');
      text += Trim(lines_[at_]);
    }
    return text;
  }

  CodeBlock ReadCode() {
    const std::size_t fence = FenceSize(lines_[at_]);
    const std::size_t indent = Indent(lines_[at_]);
    CodeBlock code;
    for (++at_; at_ < lines_.size() && !ClosesFence(lines_[at_], fence); ++at_) {
      const std::string& line = lines_[at_];
      code.lines.push_back(line.substr(std::min(indent, Indent(line))));
    }
    ++at_;  // the closing fence, or past the end
    return code;
  }

  TableBlock ReadTable() {
    TableBlock table;
    table.rows.push_back(SplitCells(lines_[at_++]));
    for (const std::string& dashes : SplitCells(lines_[at_++])) {
      const bool right = dashes.ends_with(':') && !dashes.starts_with(':');
      table.aligns.push_back(right ? Align::kRight : Align::kLeft);
    }
    for (; at_ < lines_.size() && IsTableLine(lines_[at_]); ++at_) {
      table.rows.push_back(SplitCells(lines_[at_]));
    }
    return table;
  }

  std::vector<std::string> lines_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<MarkdownBlock> ParseMarkdown(std::string_view markdown) {
  return BlockParser(CleanLines(markdown)).Run();
}

}  // namespace belay
