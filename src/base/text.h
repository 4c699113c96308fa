// Small work on texts: splitting, words in tables, and the nearest known word.

#ifndef BELAY_BASE_TEXT_H_
#define BELAY_BASE_TEXT_H_

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace belay {

// "a|b|c" gives a, b and c, as views into `text`. An empty text gives nothing.
std::vector<std::string_view> Split(std::string_view text, char separator);

// "Did you mean ...?": the known word nearest to a misspelt one.

// Single-character insertions, deletions, replacements and swaps of neighbours from `a` to `b`.
std::size_t EditDistance(std::string_view a, std::string_view b);

// The nearest of `known`, the first one on a tie; nothing when none is near enough to be what was
// meant. A word that `word` begins (of three letters or more) counts as near.
std::optional<std::string_view> Nearest(std::string_view word,
                                        std::span<const std::string_view> known);

// "did you mean init?" when one is near, else `otherwise`: the hint of an error about a wrong word.
std::string DidYouMean(std::string_view word, std::span<const std::string_view> known,
                       std::string otherwise);

// Whether a word is in a short table of words.

inline bool IsIn(std::span<const std::string_view> words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace belay

#endif  // BELAY_BASE_TEXT_H_
