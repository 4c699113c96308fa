#include "prompt/command_word.h"

namespace belay {

std::optional<CommandWord> CommandWord::From(std::string_view name) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789./_-";
  const bool plain = !name.empty() && name.size() <= kLongest && name.front() != '-' &&
                     name.find_first_not_of(kPlain) == std::string_view::npos;
  return plain ? std::optional(CommandWord(name)) : std::nullopt;
}

}  // namespace belay
