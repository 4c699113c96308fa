#include "prompt/own_words.h"

namespace belay {

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
