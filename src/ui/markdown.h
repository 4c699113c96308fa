// Renders help pages, written in a small part of Markdown, for a terminal.
//
//   headings      bold; without colour the first two levels are underlined
//   paragraphs    rewrapped, but never wider than kProseColumns: longer lines are hard to read
//   lists         with hanging indent
//   code          unchanged, indented by four; a long line is neither cut nor wrapped
//   tables        aligned by table.h; their cells wrap
//
// Blocks are separated by one blank line, except items that are adjacent in the source. Unknown
// markup is printed as text, and no input makes it fail.

#ifndef BELAY_UI_MARKDOWN_H_
#define BELAY_UI_MARKDOWN_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ui/style.h"
#include "ui/table.h"

namespace belay {

inline constexpr std::size_t kProseColumns = 100;

// Every line ends with "\n", none with a space.
std::string RenderMarkdown(std::string_view markdown, std::size_t columns, Style style);

// The inside of a Markdown paragraph: text with `code` and **bold**.
//
// With colour the marks are removed and the tones show. Without it, code keeps its backticks (they
// show where a command ends) and bold loses its stars. A mark that is never closed is plain text.

struct InlineText {
  std::string text;         // collapsed, ready for WrapLines
  std::vector<Tone> tones;  // one for each byte of the text
};

// `source` is printable. Text that is neither code nor bold gets the tone `base`.
InlineText ParseInline(std::string_view source, Tone base, Style style);

// The text, wrapped to `columns` and painted, each line after its indent and ended by "\n".
std::string RenderInline(const InlineText& content, std::size_t columns,
                         std::string_view indent_first, std::string_view indent_rest, Style style);

// The blocks of a Markdown text, for the small part of Markdown that help pages are written in.
//
//   # Heading                       one to six #
//   - item, or 1. item              continues until a blank line or the next block; indented by two
//                                   or more it is on the second level, which is the last
//   ```                             code until the closing fence or the end of the text
//   | a | b |                       a table, when a line of dashes (|---|--:|) and at least one
//                                   more row follow; \| is a | within a cell
//
// Everything else is a paragraph, up to the next blank line or block. No input is an error.

struct HeadingBlock {
  std::size_t level;  // 1 to 6
  std::string text;
};
struct ParagraphBlock {
  std::string text;
};
struct ItemBlock {
  std::string marker;  // "-" or "12."
  bool nested;
  std::string text;
};
struct CodeBlock {
  std::vector<std::string> lines;
};
struct TableBlock {
  std::vector<Align> aligns;                   // as many as the line of dashes has
  std::vector<std::vector<std::string>> rows;  // the first is the header
};

struct MarkdownBlock {
  std::variant<HeadingBlock, ParagraphBlock, ItemBlock, CodeBlock, TableBlock> content;
  bool after_blank;  // a blank line comes before it
};

// All texts are printable, with tabs as four spaces and no trailing blanks; marks within the text
// are kept.
std::vector<MarkdownBlock> ParseMarkdown(std::string_view markdown);

}  // namespace belay

#endif  // BELAY_UI_MARKDOWN_H_
