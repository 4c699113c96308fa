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

}  // namespace belay

#endif  // BELAY_PROMPT_FOREIGN_TEXT_H_
