// Small text helpers: splitting, lookup in tables of words, and the nearest known word.

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

// Single-character insertions, deletions, replacements and swaps of neighbours from `a` to `b`.
std::size_t EditDistance(std::string_view a, std::string_view b);

// The nearest of `known`, the first one on a tie; nothing when none is close enough. A known word
// of which `word` (three letters or more) is a prefix counts as close.
std::optional<std::string_view> Nearest(std::string_view word,
                                        std::span<const std::string_view> known);

// The hint of an error about a wrong word: "did you mean init?" when a known one is close, else
// `otherwise`.
std::string DidYouMean(std::string_view word, std::span<const std::string_view> known,
                       std::string otherwise);

// Whether a word is in a short table of words.
inline bool IsIn(std::span<const std::string_view> words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// The text as one word for any POSIX shell, in single quotes: it's → 'it'\''s'.
std::string ShellQuoted(std::string_view text);

}  // namespace belay

#endif  // BELAY_BASE_TEXT_H_
