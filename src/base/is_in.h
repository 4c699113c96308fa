// Whether a word is in a short table of words.

#ifndef BELAY_BASE_IS_IN_H_
#define BELAY_BASE_IS_IN_H_

#include <algorithm>
#include <span>
#include <string_view>

namespace belay {

inline bool IsIn(std::span<const std::string_view> words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace belay

#endif  // BELAY_BASE_IS_IN_H_
