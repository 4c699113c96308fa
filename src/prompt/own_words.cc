#include "prompt/own_words.h"

namespace belay {

std::optional<CommandWord> CommandWord::From(std::string_view name) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789./_-";
  const bool plain = !name.empty() && name.size() <= kLongest && name.front() != '-' &&
                     name.find_first_not_of(kPlain) == std::string_view::npos;
  return plain ? std::optional(CommandWord(name)) : std::nullopt;
}

std::string Spelling::Of(const OwnWords& words) { return words.text(); }

std::string OwnWords::Fill(std::string_view words, std::initializer_list<std::string> values) {
  std::string text;
  for (const std::string& value : values) {
    const std::size_t hole = words.find("{}");
    text += words.substr(0, hole);
    text += value;
    words.remove_prefix(hole + 2);
  }
  text += words;
  return text;
}

}  // namespace belay
