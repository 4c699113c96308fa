// The width of text on a terminal, and how to make any text safe to show on one.
//
// A column is one cell of the terminal's grid. Letters take one; East Asian wide characters and
// emoji two; combining marks and control characters none. The widths come from a table of our own:
// the C library's needs a locale, which a static binary can't rely on.
//
// Terminals disagree on emoji made of several code points (families, skin tones, flags). Their
// parts are summed up here, which is the widest any terminal draws them: a line may be too short,
// never too long.
//
// Measure before painting: the escape sequences of a painted text would count as characters.

#ifndef BELAY_UI_WIDTH_H_
#define BELAY_UI_WIDTH_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace belay {

// 0, 1 or 2.
std::size_t CodePointWidth(char32_t value);

// The columns of a whole text; an invalid UTF-8 sequence counts as the U+FFFD that Printable
// replaces it with.
std::size_t DisplayWidth(std::string_view text);

// The longest prefix of at most `columns` columns. It splits no code point and separates no mark
// from its character.
std::string_view CutToWidth(std::string_view text, std::size_t columns);

// The text itself when it fits, otherwise its beginning and "…", together at most `columns` wide.
std::string Ellipsize(std::string_view text, std::size_t columns);

// A text that stays on its line and can't control the terminal or reorder its surroundings: control
// characters and bidirectional controls become visible
// ("\n", "\x1b", "\u202e"), invalid UTF-8 becomes U+FFFD. For people only: a backslash isn't
// escaped, so it can't be reversed.
std::string Printable(std::string_view text);

// Word wrap by display columns. Words are separated by blanks (spaces, tabs, line ends), and no
// word is ever cut: one that is longer than the line gets its own line and sticks out.

// The words of `text`, separated by single spaces.
std::string CollapseBlanks(std::string_view text);

// The lines of a collapsed text, the first at most `first` columns wide and the others `rest`, as
// views into it, so that the offset of every byte is known.
std::vector<std::string_view> WrapLines(std::string_view collapsed, std::size_t first,
                                        std::size_t rest);

// One paragraph, indented, at most `columns` wide. Every line ends with "\n"; no words, no lines.
std::string Wrap(std::string_view text, std::size_t columns, std::size_t indent_first,
                 std::size_t indent_rest);

// The width that an indent leaves of the line: at least one column.
std::size_t RoomAfter(std::size_t indent, std::size_t columns);

}  // namespace belay

#endif  // BELAY_UI_WIDTH_H_
