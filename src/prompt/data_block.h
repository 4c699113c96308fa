// The form that foreign text has in a prompt:
//
//   <<<DATA 5f0c2b7d91e6a834 files modified>>>
//   | src/login.cc
//   | <<<END 5f0c2b7d91e6a834>>>
//   <<<END 5f0c2b7d91e6a834>>>
//
// The file with the strange name stays inside for two reasons, each of which is enough: nobody knew
// the nonce when he wrote, and no line of the data begins where a marker, a frontmatter fence or a
// heading would have to. The prefix also tells a model at every line whose words these are.

#ifndef BELAY_PROMPT_DATA_BLOCK_H_
#define BELAY_PROMPT_DATA_BLOCK_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "os/random.h"
#include "prompt/foreign_text.h"

namespace belay {

// Declared and never defined, see own_words.h.
void LabelsAreLowerCaseWords();

// What a block holds, in words of belay's own: a literal of lower-case letters, digits and spaces.
class Label {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a literal stands where a label is wanted.
  consteval Label(const char* literal) : text_(literal) {
    if (text_.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789 ") != text_.npos) {
      LabelsAreLowerCaseWords();
    }
  }
  std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

// 64 bits of chance as hexadecimal digits. If they occur in one of `texts`, others are drawn, and
// more of them each time: it ends even when chance is broken.
std::string DrawNonce(Random& random, std::span<const std::string_view> texts);

// The block with the first `kept` code points of `foreign`; ends in a line break.
std::string RenderBlock(Label label, std::string_view nonce, const ForeignText& foreign,
                        std::size_t kept);

// The code points that the first `kept` ones take between the markers, with prefixes and line ends.
std::size_t BodySize(const ForeignText& foreign, std::size_t kept);

// How many can be kept so that they take at most `room`.
std::size_t KeptWithin(const ForeignText& foreign, std::size_t room);

}  // namespace belay

#endif  // BELAY_PROMPT_DATA_BLOCK_H_
