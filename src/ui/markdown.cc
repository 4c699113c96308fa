#include "ui/markdown.h"

#include <algorithm>
#include <variant>
#include <vector>

#include "ui/inline_text.h"
#include "ui/markdown_blocks.h"
#include "ui/table.h"
#include "ui/width.h"

namespace belay {
namespace {

constexpr std::string_view kCodeIndent = "    ";
constexpr std::size_t kNestedIndent = 2;
constexpr std::size_t kMinCellWidth = 10;

// The code in a text that is nothing else; the empty view otherwise.
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
    const std::string first = std::string(item.nested ? kNestedIndent : 0, ' ') + item.marker + " ";
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

}  // namespace belay
