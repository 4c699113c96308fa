// What an agent, a file, a commit or a tool wrote: data, whatever it says.
//
// Made clean when it is made at all, so that there is no unclean one:
//   - invalid UTF-8 becomes U+FFFD
//   - whatever anybody takes for a line break (CR LF, CR, VT, FF, NEL, U+2028, U+2029) becomes
//     "\n"; those at the end are dropped
//   - escape sequences of terminals are removed whole, other control characters but tab singly
//   - what can't be seen is removed: bidirectional controls, zero-width characters, variation
//     selectors, tags. What a person can't see, a model must not read.
// Everything else stays as it was; what makes it harmless is where it may stand: in a data block
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

  // One line for each item: a file name that holds a line break can't pass for two.
  static ForeignText Lines(std::span<const std::string> items);

  const std::string& text() const { return text_; }  // clean, its first kMostKept code points
  std::size_t length() const { return length_; }     // code points of all of it, clean
  bool empty() const { return length_ == 0; }

 private:
  // Takes one character or sequence that isn't plain ASCII, and says how many bytes that was.
  std::size_t TakeSpecial(std::string_view bytes);
  void Append(std::string_view clean, std::size_t length);

  std::string text_;
  std::size_t length_ = 0;
};

// The commands to a terminal that hide in text: colours, window titles, cursor moves.

// The bytes of the escape sequence that `text` starts with, 0 when it starts with none. Sequences
// begin with ESC, or with the C1 character (U+0080..U+009F) that stands for ESC and a letter.
//
// A broken sequence ends where it breaks, and a string (a window title, say) must end on its own
// line: otherwise only its introducer counts, so that nobody can make the rest of a text vanish by
// opening a string that is never closed. Taking sequences off one after another is linear.
std::size_t EscapeSequenceLength(std::string_view text);

// Foreign text in the middle of one of belay's own sentences, the only way it may stand there: one
// short line in quotes that it can't close.

class QuotedLine {
 public:
  static constexpr std::size_t kMost = 200;  // code points between the quotes

  // Line breaks and runs of blanks become one space; double quotes of any shape become "'", and
  // angle brackets "‹" and "›", so that neither the quote nor a marker nor a tag can end or begin
  // in it. What is longer ends in "…", and a note after the quote says how much is missing.
  explicit QuotedLine(const ForeignText& foreign);

  const std::string& text() const { return text_; }  // with its quotes

 private:
  std::string text_;
};

}  // namespace belay

#endif  // BELAY_PROMPT_FOREIGN_TEXT_H_
