// Helpers for words of a command line; for engine/shell/*.cc only.

#ifndef BELAY_ENGINE_SHELL_WORDS_H_
#define BELAY_ENGINE_SHELL_WORDS_H_

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "base/text.h"
#include "engine/shell/effects.h"

namespace belay {

inline bool IsOptionWord(std::string_view word) { return word.size() > 1 && word.starts_with('-'); }

inline bool HasWord(std::span<const std::string> words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

inline std::string JoinWords(std::span<const std::string> words) { return Join(words, " "); }

inline std::string Lowered(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return lower;
}

inline std::string Replaced(std::string text, std::string_view what, std::string_view with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size()) {
    text.replace(at, what.size(), with);
  }
  return text;
}

// What a pathspec of git matches; its * also stands for folders.
inline std::string Pathspec(std::string_view text) {
  std::string pattern;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t close = text[at] == '[' ? text.find(']', at) : std::string_view::npos;
    if (close != std::string_view::npos) at = close;
    const bool any = text[at] == '*' || text[at] == '?' || close != std::string_view::npos;
    pattern += any ? kAnyPath : text[at];
  }
  return pattern;
}

// Whether `path` is `folder` or in it.
inline bool IsAtOrBelow(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

}  // namespace belay

#endif  // BELAY_ENGINE_SHELL_WORDS_H_
