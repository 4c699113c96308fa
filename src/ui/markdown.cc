#include "ui/markdown.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "ui/width.h"

namespace belay {
namespace {

constexpr std::string_view kCodeIndent = "    ";
constexpr std::size_t kListIndent = 2;
constexpr std::size_t kMinCellWidth = 10;

// The code, if the text is nothing but code; otherwise empty.
std::string_view WhollyCode(std::string_view text) {
  const bool quoted = text.size() > 2 && text.starts_with('`') && text.ends_with('`');
  if (!quoted) return {};
  const std::string_view code = text.substr(1, text.size() - 2);
  return code.find('`') == std::string_view::npos ? code : std::string_view();
}

// A cell has one tone. Code that fills it needs no backticks: the column sets it apart.
Cell MakeCell(std::string_view source) {
  const std::string_view code = WhollyCode(source);
  if (!code.empty()) return {std::string(code), Tone::kAccent};
  return {ParseInline(source, Tone::kPlain, Style{.color = false}).text, Tone::kPlain};
}

Table MakeTable(const TableBlock& block) {
  Table table;
  for (std::size_t i = 0; i < block.rows[0].size(); ++i) {
    const Align align = i < block.aligns.size() ? block.aligns[i] : Align::kLeft;
    table.columns.push_back({.title = MakeCell(block.rows[0][i]).text,
                             .align = align,
                             .fit = Fit::kWrap,
                             .min_width = kMinCellWidth});
  }
  for (std::size_t row = 1; row < block.rows.size(); ++row) {
    std::vector<Cell>& cells = table.rows.emplace_back();
    for (const std::string& source : block.rows[row]) cells.push_back(MakeCell(source));
  }
  return table;
}

class MarkdownRenderer {
 public:
  MarkdownRenderer(std::size_t columns, Style style)
      : columns_(columns), prose_columns_(std::min(columns, kProseColumns)), style_(style) {}

  std::string Run(const std::vector<MarkdownBlock>& blocks) const {
    std::string out;
    const MarkdownBlock* before = nullptr;
    for (const MarkdownBlock& block : blocks) {
      const std::string text =
          std::visit([&](const auto& content) { return Text(content); }, block.content);
      if (text.empty()) continue;
      if (before != nullptr && !StandTogether(*before, block)) out.push_back('\n');
      out += text;
      before = &block;
    }
    return out;
  }

 private:
  static bool StandTogether(const MarkdownBlock& before, const MarkdownBlock& block) {
    return std::holds_alternative<ItemBlock>(before.content) &&
           std::holds_alternative<ItemBlock>(block.content) && !block.after_blank;
  }

  std::string Text(const HeadingBlock& heading) const {
    const InlineText content = ParseInline(heading.text, Tone::kBold, style_);
    std::string text = RenderInline(content, prose_columns_, "", "", style_);
    if (style_.color || heading.level > 2) return text;
    const std::size_t width = std::min(DisplayWidth(content.text), prose_columns_);
    return text + std::string(width, heading.level == 1 ? '=' : '-') + "\n";
  }

  std::string Text(const ParagraphBlock& paragraph) const {
    const InlineText content = ParseInline(paragraph.text, Tone::kPlain, style_);
    return RenderInline(content, prose_columns_, "", "", style_);
  }

  std::string Text(const ItemBlock& item) const {
    const InlineText content = ParseInline(item.text, Tone::kPlain, style_);
    const std::string first = std::string(item.nested ? kListIndent : 0, ' ') + item.marker + " ";
    return RenderInline(content, prose_columns_, first, std::string(first.size(), ' '), style_);
  }

  std::string Text(const CodeBlock& code) const {
    std::string text;
    for (const std::string& line : code.lines) {
      if (!line.empty()) text += kCodeIndent;
      text += style_.Paint(Tone::kAccent, line) + "\n";
    }
    return text;
  }

  std::string Text(const TableBlock& table) const {
    return Render(MakeTable(table), {.columns = columns_, .style = style_});
  }

  std::size_t columns_;
  std::size_t prose_columns_;
  Style style_;
};

}  // namespace

std::string RenderMarkdown(std::string_view markdown, std::size_t columns, Style style) {
  return MarkdownRenderer(columns, style).Run(ParseMarkdown(markdown));
}

namespace {

constexpr std::string_view kBoldMark = "**";

class InlineParser {
 public:
  InlineParser(std::string_view source, Tone base, Style style)
      : rest_(source), base_(base), style_(style) {}

  InlineText Run() && {
    while (!rest_.empty()) {
      if (!TakeCode() && !TakeBoldMark()) Take(1, bold_ ? Tone::kBold : base_);
    }
    return std::move(result_);
  }

 private:
  void Take(std::size_t bytes, Tone tone) {
    result_.text += rest_.substr(0, bytes);
    result_.tones.resize(result_.text.size(), tone);
    rest_.remove_prefix(bytes);
  }

  // Code ends with as many backticks as began it, so that it can contain some.
  bool TakeCode() {
    const std::size_t run = std::min(rest_.find_first_not_of('`'), rest_.size());
    if (run == 0) return false;
    const std::size_t close = rest_.find(rest_.substr(0, run), run);
    const bool closed = close != std::string_view::npos;
    if (!closed) {
      Take(run, bold_ ? Tone::kBold : base_);
    } else if (style_.color) {
      rest_.remove_prefix(run);
      Take(close - run, Tone::kAccent);
      rest_.remove_prefix(run);
    } else {
      Take(close + run, Tone::kAccent);
    }
    return true;
  }

  bool TakeBoldMark() {
    if (!rest_.starts_with(kBoldMark)) return false;
    if (!bold_ && rest_.find(kBoldMark, kBoldMark.size()) == std::string_view::npos) return false;
    bold_ = !bold_;
    rest_.remove_prefix(kBoldMark.size());
    return true;
  }

  std::string_view rest_;
  Tone base_;
  Style style_;
  bool bold_ = false;
  InlineText result_;
};

void AppendPainted(std::string_view line, const Tone* tones, Style style, std::string& out) {
  for (std::size_t start = 0; start < line.size();) {
    std::size_t end = start;
    while (end < line.size() && tones[end] == tones[start]) ++end;
    out += style.Paint(tones[start], line.substr(start, end - start));
    start = end;
  }
}

// Removed marks leave double blanks or one at the end ("a ** **"); every blank but the first of a
// run is removed, with its tone.
InlineText Collapse(const InlineText& content) {
  InlineText collapsed;
  for (std::size_t i = 0; i < content.text.size(); ++i) {
    const bool redundant =
        content.text[i] == ' ' && (collapsed.text.empty() || collapsed.text.back() == ' ');
    if (redundant) continue;
    collapsed.text.push_back(content.text[i]);
    collapsed.tones.push_back(content.tones[i]);
  }
  if (collapsed.text.ends_with(' ')) {
    collapsed.text.pop_back();
    collapsed.tones.pop_back();
  }
  return collapsed;
}

}  // namespace

InlineText ParseInline(std::string_view source, Tone base, Style style) {
  return Collapse(InlineParser(source, base, style).Run());
}

std::string RenderInline(const InlineText& content, std::size_t columns,
                         std::string_view indent_first, std::string_view indent_rest, Style style) {
  const std::string_view text = content.text;
  const std::size_t first_room = RoomAfter(DisplayWidth(indent_first), columns);
  const std::size_t rest_room = RoomAfter(DisplayWidth(indent_rest), columns);
  std::string out;
  for (const std::string_view line : WrapLines(text, first_room, rest_room)) {
    out += out.empty() ? indent_first : indent_rest;
    AppendPainted(line, content.tones.data() + (line.data() - text.data()), style, out);
    out.push_back('\n');
  }
  return out;
}

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

// Bytes of the "-" or "12." that begins an item; 0 if there is none.
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

// How many backticks open a fence; 0 if the line isn't one. More backticks later in the line make
// it `code`.
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

  // Joins the lines that continue a paragraph or an item to its first.
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
