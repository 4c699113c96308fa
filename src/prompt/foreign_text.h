// Text from an agent, a file, a commit or a tool: data, whatever it claims.
//
// Cleaned on construction, so that there is no unclean one:
//   - invalid UTF-8 becomes U+FFFD
//   - everything that counts as a line break anywhere (CR LF, CR, VT, FF, NEL, U+2028, U+2029)
//     becomes "\n"; trailing ones are dropped
//   - escape sequences of terminals are removed as a whole, and every other control character
//     except tab
//   - invisible characters are removed: bidirectional controls, zero-width characters, variation
//     selectors, tags. What a person can't see, a model must not read.
// Everything else stays; it is harmless because of where it may appear: in a data block
// (data_block.h), or as a QuotedLine.

#ifndef BELAY_PROMPT_FOREIGN_TEXT_H_
#define BELAY_PROMPT_FOREIGN_TEXT_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace belay {

class ForeignText {
 public:
  static constexpr std::size_t kMostKept = 100'000;  // code points; no prompt needs more

  // Linear in `bytes`, with memory for what is kept.
  explicit ForeignText(std::string_view bytes);

  // One line for each item: a file name with a line break can't pass for two.
  static ForeignText Lines(std::span<const std::string> items);

  const std::string& text() const { return text_; }  // clean, its first kMostKept code points
  std::size_t length() const { return length_; }     // code points of all of it, clean
  bool empty() const { return length_ == 0; }

 private:
  // Consumes one character or sequence that isn't plain ASCII, and returns its length in bytes.
  std::size_t TakeSpecial(std::string_view bytes);
  void Append(std::string_view clean, std::size_t length);

  std::string text_;
  std::size_t length_ = 0;
};

// Terminal commands hidden in text: colours, window titles, cursor moves.

// The length of the escape sequence that `text` starts with, 0 if there is none. Sequences begin
// with ESC, or with the C1 character (U+0080..U+009F) that stands for ESC and a letter.
//
// A broken sequence ends where it breaks, and a string (such as a window title) must end on its own
// line: otherwise only its introducer counts, so that an unclosed string can't make the rest of a
// text vanish. Removing sequences one after another is linear.
std::size_t EscapeSequenceLength(std::string_view text);

// Untrusted text inside one of belay's own sentences, the only way to put it there: one short line
// in quotes that it can't close.

class QuotedLine {
 public:
  static constexpr std::size_t kMost = 200;  // code points between the quotes

  // Line breaks and runs of blanks become one space; double quotes of any shape become "'", and
  // angle brackets "‹" and "›", so that neither the quote nor a marker nor a tag can begin or end
  // in it. A longer text ends in "…", and a note after the quote counts the missing characters.
  explicit QuotedLine(const ForeignText& foreign);

  const std::string& text() const { return text_; }  // with its quotes

 private:
  std::string text_;
};

}  // namespace belay

#endif  // BELAY_PROMPT_FOREIGN_TEXT_H_
