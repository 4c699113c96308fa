// "Did you mean ...?": the known word nearest to a misspelt one.

#ifndef BELAY_BASE_SUGGEST_H_
#define BELAY_BASE_SUGGEST_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace belay {

// Single-character insertions, deletions, replacements and swaps of neighbours from `a` to `b`.
std::size_t EditDistance(std::string_view a, std::string_view b);

// The nearest of `known`, the first one on a tie; nothing when none is near enough to be what was
// meant. A word that `word` begins (of three letters or more) counts as near.
std::optional<std::string_view> Nearest(std::string_view word,
                                        std::span<const std::string_view> known);

// "did you mean init?" when one is near, else `otherwise`: the hint of an error about a wrong word.
std::string DidYouMean(std::string_view word, std::span<const std::string_view> known,
                       std::string otherwise);

}  // namespace belay

#endif  // BELAY_BASE_SUGGEST_H_
