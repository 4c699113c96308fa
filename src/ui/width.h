// How much room text takes on a terminal, and how to make any text fit to be shown on one.
//
// A column is one cell of the terminal's grid. Letters take one; East Asian wide characters and
// emoji two; combining marks and control characters none. The widths come from a table of our own:
// the C library's needs a locale, which a static binary can't rely on.
//
// Terminals disagree on emoji made of several code points (families, skin tones, flags). Their
// parts are summed up here, which is the widest any terminal draws them: a line may come out too
// short, never too long.
//
// Measure before painting: the escape sequences of a painted text would count as characters.

#ifndef BELAY_UI_WIDTH_H_
#define BELAY_UI_WIDTH_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace belay {

// 0, 1 or 2.
std::size_t CodePointWidth(char32_t value);

// The columns of a whole text; an invalid UTF-8 sequence counts as the one U+FFFD that Printable
// makes of it.
std::size_t DisplayWidth(std::string_view text);

// The longest prefix of at most `columns` columns. It splits no code point and takes no mark from
// the character that carries it.
std::string_view CutToWidth(std::string_view text, std::size_t columns);

// The text itself when it fits, otherwise its beginning and "…", together at most `columns` wide.
std::string Ellipsize(std::string_view text, std::size_t columns);

// A text that stays on its line and can't command the terminal or reorder what stands around it:
// control characters and bidirectional controls become visible ("\n", "\x1b", "\u202e"), invalid
// UTF-8 becomes U+FFFD. For people only: a backslash stays one, so there is no way back.
std::string Printable(std::string_view text);

}  // namespace belay

#endif  // BELAY_UI_WIDTH_H_
