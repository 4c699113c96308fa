// Small text helpers: splitting, lookup in tables of words, and the nearest known word.

#ifndef BELAY_BASE_TEXT_H_
#define BELAY_BASE_TEXT_H_

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
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

// The texts of the items, with `separator` between them.
template <class Items, class TextOf = std::identity>
std::string Join(const Items& items, std::string_view separator, const TextOf& text_of = {}) {
  std::string text;
  std::string_view before;
  for (const auto& item : items) {
    text += before;
    text += text_of(item);
    before = separator;
  }
  return text;
}

// The number that is the whole text; nothing when it is anything else, or doesn't fit.
template <class Number>
std::optional<Number> ParseNumber(std::string_view text, int base = 10) {
  Number number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, number, base);
  return status == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

}  // namespace belay

#endif  // BELAY_BASE_TEXT_H_
