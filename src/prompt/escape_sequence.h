// The commands to a terminal that hide in text: colours, window titles, cursor moves.

#ifndef BELAY_PROMPT_ESCAPE_SEQUENCE_H_
#define BELAY_PROMPT_ESCAPE_SEQUENCE_H_

#include <cstddef>
#include <string_view>

namespace belay {

// The bytes of the escape sequence that `text` starts with, 0 when it starts with none. Sequences
// begin with ESC, or with the C1 character (U+0080..U+009F) that stands for ESC and a letter.
//
// A broken sequence ends where it breaks, and a string (a window title, say) must end on its own
// line: otherwise only its introducer counts, so that nobody can make the rest of a text vanish by
// opening a string that is never closed. Taking sequences off one after another is linear.
std::size_t EscapeSequenceLength(std::string_view text);

}  // namespace belay

#endif  // BELAY_PROMPT_ESCAPE_SEQUENCE_H_
