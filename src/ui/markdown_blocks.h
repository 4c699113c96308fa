// The blocks of a Markdown text, for the small part of Markdown that help pages are written in.
//
//   # Heading                       one to six #
//   - item, or 1. item              goes on until a blank line or the next block; indented by two
//                                   or more it is one level down, and there is no further level
//   ```                             code until the same again or the end of the text
//   | a | b |                       a table, when a line of dashes (|---|--:|) and at least one
//                                   more row follow; \| is a | within a cell
//
// All else is a paragraph, up to the next blank line or block. No input is an error.

#ifndef BELAY_UI_MARKDOWN_BLOCKS_H_
#define BELAY_UI_MARKDOWN_BLOCKS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ui/table.h"

namespace belay {

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
  std::vector<Align> aligns;                   // as far as the line of dashes goes
  std::vector<std::vector<std::string>> rows;  // the first is the header
};

struct MarkdownBlock {
  std::variant<HeadingBlock, ParagraphBlock, ItemBlock, CodeBlock, TableBlock> content;
  bool after_blank;  // a blank line stood before it
};

// All texts are printable, with tabs as four spaces and no blanks at the end; marks within the text
// are still there.
std::vector<MarkdownBlock> ParseMarkdown(std::string_view markdown);

}  // namespace belay

#endif  // BELAY_UI_MARKDOWN_BLOCKS_H_
