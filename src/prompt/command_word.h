// A name inside a command that a model is asked to run, such as a branch: one short word that no
// shell reads as anything else.

#ifndef BELAY_PROMPT_COMMAND_WORD_H_
#define BELAY_PROMPT_COMMAND_WORD_H_

#include <optional>
#include <string>
#include <string_view>

namespace belay {

class CommandWord {
 public:
  static constexpr std::size_t kLongest = 64;

  // Nothing unless it is of a-z, A-Z, 0-9 and ./_-, doesn't begin with a dash, and is short.
  static std::optional<CommandWord> From(std::string_view name);

  const std::string& text() const { return text_; }

 private:
  explicit CommandWord(std::string_view name) : text_(name) {}

  std::string text_;
};

}  // namespace belay

#endif  // BELAY_PROMPT_COMMAND_WORD_H_
