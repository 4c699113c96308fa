// The inside of a Markdown paragraph: text in which `code` and **bold** stand out.
//
// With colour the marks are gone and the tones show. Without it, code keeps its backticks (they say
// where a command ends) and bold loses its stars (they say little). A mark that is never closed is
// text like any other.

#ifndef BELAY_UI_INLINE_TEXT_H_
#define BELAY_UI_INLINE_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ui/style.h"

namespace belay {

struct InlineText {
  std::string text;         // collapsed, ready for WrapLines
  std::vector<Tone> tones;  // one for each byte of the text
};

// `source` is printable. Text that is neither code nor bold gets the tone `base`.
InlineText ParseInline(std::string_view source, Tone base, Style style);

// The text, wrapped to `columns` and painted, each line after its indent and ended by "\n".
std::string RenderInline(const InlineText& content, std::size_t columns,
                         std::string_view indent_first, std::string_view indent_rest, Style style);

}  // namespace belay

#endif  // BELAY_UI_INLINE_TEXT_H_
