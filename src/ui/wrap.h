// Word wrap by display columns. Words are what stands between blanks (spaces, tabs, line ends), and
// no word is ever cut: one that is longer than the line stands alone and sticks out.

#ifndef BELAY_UI_WRAP_H_
#define BELAY_UI_WRAP_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace belay {

// The words of `text` with one space between each two.
std::string CollapseBlanks(std::string_view text);

// The lines of a collapsed text, the first at most `first` columns wide and the others `rest`, as
// views into it: who knows something about a byte of the text finds it again in the line.
std::vector<std::string_view> WrapLines(std::string_view collapsed, std::size_t first,
                                        std::size_t rest);

// One paragraph, indented, at most `columns` wide. Every line ends with "\n"; no words, no lines.
std::string Wrap(std::string_view text, std::size_t columns, std::size_t indent_first,
                 std::size_t indent_rest);

// What an indent leaves of the line: at least one column.
std::size_t RoomAfter(std::size_t indent, std::size_t columns);

}  // namespace belay

#endif  // BELAY_UI_WRAP_H_
