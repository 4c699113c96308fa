// Help pages, written in a small part of Markdown (markdown_blocks.h, inline_text.h), as a terminal
// shows them.
//
//   headings      bold; without colour the first two levels are underlined
//   paragraphs    wrapped anew, but never wider than kProseColumns: longer lines are hard to read
//   lists         with hanging indent
//   code          as it is, indented by four; a long line is neither cut nor wrapped
//   tables        aligned by table.h; their cells wrap
//
// Blocks stand one blank line apart, save for items that stand together in the source. Anything
// unknown comes out as text, and no input makes it fail.

#ifndef BELAY_UI_MARKDOWN_H_
#define BELAY_UI_MARKDOWN_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "ui/style.h"

namespace belay {

inline constexpr std::size_t kProseColumns = 100;

// Every line ends with "\n", none with a space.
std::string RenderMarkdown(std::string_view markdown, std::size_t columns, Style style);

}  // namespace belay

#endif  // BELAY_UI_MARKDOWN_H_
